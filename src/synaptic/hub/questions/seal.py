"""What is signed of a question and of an answer, byte for byte. A hub carries both and can make neither."""

import base64
import binascii
import hashlib
import math

import msgspec

from synaptic.hub.keys import PublicKey, SecretKey, WrongSignatureError
from synaptic.hub.wire import AnswerText, HostQuestion
from synaptic.model.errors import SynapticError
from synaptic.store.refused import RefusedCall

QUESTION_DOMAIN = "synaptic-question-1"
ANSWER_COMMENT = "an answer to a question of another machine"
MOST_ANSWER = 16 << 10
"""Bytes of an answer's text."""
SAYS = ("once", "session", "here", "no")


def digest_acts(one: RefusedCall) -> str:
    """What a yes would lift, and of which refusal: other options, another call or another loss is another digest."""
    return hashlib.sha256(msgspec.json.encode([one.mark, one.subject.acts])).hexdigest()


def sign_question(host: str, question: HostQuestion, key: SecretKey) -> HostQuestion:
    """The question with the host's key and its signature over all of it."""
    named = msgspec.structs.replace(question, key=key.public.text, signature="")
    signature = base64.b64encode(key.sign_plain(_write_question(host, named))).decode()
    return msgspec.structs.replace(named, signature=signature)


def check_question(host: str, question: HostQuestion, key: PublicKey) -> None:
    """Raises WrongSignatureError unless this key has signed exactly this question of this host."""
    try:
        signature = base64.b64decode(question.signature, validate=True)
    except (binascii.Error, ValueError) as error:
        raise WrongSignatureError("the question is not signed") from error
    if question.key != key.text:
        raise WrongSignatureError("the question is signed with another key")
    key.check(_write_question(host, question), signature)


def sign_answer(answer: AnswerText, key: SecretKey) -> tuple[bytes, str]:
    """The bytes that travel, and the signature over them."""
    text = encode_answer(answer)
    return text, key.sign(text, ANSWER_COMMENT)


def encode_answer(answer: AnswerText) -> bytes:
    """With sorted keys: one answer has one text."""
    return msgspec.json.encode(answer, order="sorted")


def read_answer(text: bytes) -> AnswerText:
    """Understand an answer. Raises SynapticError for every text that `encode_answer` would not have written."""
    if len(text) > MOST_ANSWER:
        raise SynapticError("it is too long")
    try:
        answer = msgspec.json.decode(text, type=AnswerText)
        is_same = encode_answer(answer) == text
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise SynapticError("it is no answer") from error
    if not is_same:
        raise SynapticError("it is written otherwise than answers are")
    if not (math.isfinite(answer.at) and math.isfinite(answer.expires)) or answer.says not in SAYS:
        raise SynapticError("it says nothing that is known here")
    return answer


def _write_question(host: str, question: HostQuestion) -> bytes:
    """Without what is as usual: a field that a newer version adds and does not use changes nothing."""
    plain = msgspec.structs.replace(question, signature="")
    usual = {field.name: field.default for field in msgspec.structs.fields(HostQuestion)}
    said = {name: value for name in usual if (value := getattr(plain, name)) != usual[name]}
    return msgspec.json.encode([QUESTION_DOMAIN, host, said], order="sorted")
