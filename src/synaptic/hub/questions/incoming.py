"""Takes in what people at the hub have answered: in the process that ships, never in the daemon."""

import asyncio
import hashlib
import logging
import time
from collections.abc import Iterator
from contextlib import closing

import msgspec

from synaptic.hooks.bundle import Person
from synaptic.hooks.bundle_seal import find_bundle
from synaptic.hub.bundles.pin import read_pin
from synaptic.hub.questions.book import AnswerBook, RefusedAnswer, TakenAnswer, read_book, write_book
from synaptic.hub.questions.judge import (
    AnswerRefusedError,
    AnswerRules,
    check_person,
    check_question,
    check_reach,
    check_time,
    find_people,
    limit_end,
    make_terms,
)
from synaptic.hub.questions.seal import MOST_ANSWER, read_answer
from synaptic.hub.shipping.link import HubLink
from synaptic.hub.shipping.plan import read_plan
from synaptic.hub.wire import AnswerText, HubNews, SignedAnswer
from synaptic.model.errors import StoreError, SynapticError
from synaptic.model.home import Home
from synaptic.store import grants, refused
from synaptic.store.db import Store
from synaptic.work.consent import read_grants_config
from synaptic.work.event_words import show_line
from synaptic.work.grants import keep_grants, make_grants, require_grantable

log = logging.getLogger(__name__)

MOST_ANSWERS = 200
"""At once: a hub brings half as many."""
MOST_SIGNATURE = 4096
MOST_ACTS = 50
"""Policies that one answer may lift."""
TWICE = "it was taken in before"
MOST_NUMBER = 1 << 53
MOST_REMEMBERED = 8 * 86400.0
"""Longer than any answer can count (`[hub] longest`)."""


class JudgedAnswer(msgspec.Struct, frozen=True):
    """An answer of somebody who is known, and the digest of its text."""

    answer: AnswerText
    person: Person
    digest: bytes

    def iter_ids(self, most: int) -> Iterator[str]:
        """The names of the exceptions that it makes: the same ones each time."""
        return (grants.derive_grant_id(self.digest + bytes([place])) for place in range(most))


async def take_answers(link: HubLink, news: HubNews) -> None:
    """All of them, in their order. Raises StoreError, OSError: then they come again, and each counts once."""
    answers = sorted(news.answers, key=lambda answer: answer.number)
    if len(answers) > MOST_ANSWERS:
        log.warning("the hub brought %d answers at once: only the first %d were looked at", len(answers), MOST_ANSWERS)
    for one in answers[:MOST_ANSWERS]:
        await asyncio.to_thread(take_answer, link.home, one)


def take_answer(home: Home, signed: SignedAnswer) -> str:
    """Why it was refused; "" for one that counts. Raises StoreError, OSError where this machine cannot take it now."""
    digest = hashlib.sha256(signed.text).digest()
    book = read_book(home)
    known = book.taken.get(digest.hex())
    if known is not None and known.number == min(signed.number, MOST_NUMBER):
        return ""  # brought once more, because nobody could note that it had been
    if was_refused := book.find_refused(_digest_whole(signed)):
        return was_refused.why
    try:
        answer = _take(home, signed, digest, known)
    except (StoreError, OSError):
        raise
    except SynapticError as error:
        return _refuse(home, book, signed, error)
    until = min(answer.expires, time.time() + MOST_REMEMBERED)
    write_book(home, book.add_taken(digest.hex(), TakenAnswer(min(signed.number, MOST_NUMBER), until)))
    log.warning("%s answered `%s` to a question here, by the hub", answer.person, answer.says)
    return ""


def _take(home: Home, signed: SignedAnswer, digest: bytes, known: TakenAnswer | None) -> AnswerText:
    if known is not None:
        raise AnswerRefusedError(TWICE)
    if len(signed.text) > MOST_ANSWER or len(signed.signature) > MOST_SIGNATURE or not signed.signature.isascii():
        raise AnswerRefusedError("it is not signed as answers are")
    answer, rules = read_answer(signed.text), _read_rules(home)
    person = check_person(answer, (signed.text, signed.signature), rules)
    with closing(Store.open(home)) as store:
        grants.require_disk(store)
        _apply(store, JudgedAnswer(answer, person, digest), rules)
    return answer


def _apply(store: Store, judged: JudgedAnswer, rules: AnswerRules) -> None:
    """Do what a person has signed, if it is still a question. Raises SynapticError, and has written nothing then."""
    answer, now = judged.answer, time.time()
    end = check_time(answer, rules, now)
    if {one.grant.id for one in grants.list_grants(store)} & set(judged.iter_ids(MOST_ACTS)):
        raise AnswerRefusedError(TWICE)
    one = check_question(answer, refused.find_by_mark(store, answer.mark), rules)
    check_reach(answer, one, judged.person, rules)
    if answer.says == "no":
        refused.answer_refused(store, [one.mark], "upheld", now)
        return
    require_grantable(one, rules.never)
    terms = make_terms(answer, judged.person)
    until = limit_end(terms.scope, end, now)
    named = zip(make_grants(one, terms, now), judged.iter_ids(MOST_ACTS), strict=False)
    made = tuple(msgspec.structs.replace(grant, id=name, expires=until) for grant, name in named)
    if len(made) != len(one.subject.acts):
        raise AnswerRefusedError("it would lift too much at once")
    keep_grants(store, one, made, now)


def _read_rules(home: Home) -> AnswerRules:
    """As they are on disk now: what the user has just taken back counts no more. Raises SynapticError."""
    plan, pin = read_plan(home), read_pin(home)
    if plan.member is None:
        raise AnswerRefusedError("this machine has joined no hub")
    people = find_people(find_bundle(home), pin.key.text if pin else "")
    return AnswerRules(plan.member.host, plan.hub, read_grants_config(home).never, people)


def _refuse(home: Home, book: AnswerBook, signed: SignedAnswer, error: SynapticError) -> str:
    why = show_line(error.message)
    log.warning("answer %d of the hub was refused: %s", signed.number, error)
    try:
        person = read_answer(signed.text).person
    except SynapticError:
        person = ""
    number, digest = min(signed.number, MOST_NUMBER), _digest_whole(signed)
    one = RefusedAnswer(at=time.time(), number=number, person=person, why=why, digest=digest)
    write_book(home, book.add_refused(one))
    return why


def _digest_whole(signed: SignedAnswer) -> str:
    """With the signature: a hub that brings a text with a wrong one first keeps the right one from nobody."""
    signature = hashlib.sha256(signed.signature.encode("utf-8", "replace")).digest()
    return hashlib.sha256(signature + signed.text).hexdigest()
