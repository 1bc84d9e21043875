"""What leaves a machine of the questions that wait there."""

import time

import msgspec
import pytest

from synaptic.hooks.config import HubConfig
from synaptic.hub.keys import PublicKey, WrongSignatureError
from synaptic.hub.questions import waiting
from synaptic.hub.questions.seal import check_question, digest_acts
from synaptic.hub.questions.waiting import QuestionSource, list_questions, sign_questions
from synaptic.hub.wire import HostQuestion
from synaptic.store import journal, refused
from synaptic.store.record import EventRecord
from tests.hub.questions.kit import POLICY, AskedHost

SECRET = "ghp_" + "A1b2C3d4" * 5


def source(host: AskedHost, contents: str = "structure", *reach: str) -> QuestionSource:
    return QuestionSource(host.home, host.name, host.key, HubConfig(grants=reach), contents)


def test_names_leave_and_contents_stay_unless_they_are_wanted(host: AskedHost) -> None:
    one = host.ask()
    (plain,) = list_questions(host.store, source(host))
    assert (plain.mark, plain.code, plain.policies, plain.acts) == (one.mark, "k7qmd", (POLICY,), digest_acts(one))
    assert (plain.shown, plain.reason, plain.project) == ("", "", "~/project")
    assert plain.is_held and plain.has_stakes and not plain.is_grantable
    (full,) = list_questions(host.store, source(host, "full"))
    assert (full.shown, full.reason) == ("terraform destroy", "It destroys what runs.")


def test_a_decided_call_is_held_no_more_and_an_answered_question_leaves_no_more(host: AskedHost) -> None:
    one = host.ask()
    journal.append_records(host.store, [EventRecord(call=one.call, at=time.time(), agent="codex", event="PreToolUse")])
    (found,) = list_questions(host.store, source(host))
    assert not found.is_held
    refused.answer_refused(host.store, [one.mark], "upheld", time.time())
    assert list_questions(host.store, source(host)) == ()


@pytest.mark.parametrize(
    ("policies", "reach", "config", "is_grantable"),
    [
        ((POLICY,), (), "", False),
        ((POLICY,), (POLICY,), "", True),
        ((POLICY, "git.clean"), ("cloud.*",), "", False),
        ((POLICY, "git.clean"), ("cloud.*", "git.?lean"), "", True),
        (("self.engine-files",), ("*",), "", False),
        ((POLICY,), ("*",), '[grants]\nnever = ["cloud.*"]\n', False),
        ((POLICY,), ("*",), "[grants]\nnever = 7\n", False),
    ],
)
def test_what_may_be_lifted_from_outside(host: AskedHost, policies, reach, config, is_grantable) -> None:
    host.home.config.write_text(config)
    host.ask(*policies)
    (found,) = list_questions(host.store, source(host, "structure", *reach))
    assert found.is_grantable is is_grantable


def test_the_host_vouches_for_every_word(host: AskedHost) -> None:
    host.ask()
    (signed,) = sign_questions(list_questions(host.store, source(host, "full")), source(host))
    travelled = msgspec.json.decode(msgspec.json.encode(signed), type=HostQuestion)
    check_question(host.name, travelled, host.key.public)
    changes = {"shown": "ls", "policies": ("git.clean",), "mark": "x", "acts": "x", "is_grantable": True, "at": 1.0,
               "reason": "", "is_held": False, "project": "~/other", "signature": "",
               "key": PublicKey(b"", b"").text}  # fmt: skip
    for name, value in changes.items():
        with pytest.raises(WrongSignatureError):
            check_question(host.name, msgspec.structs.replace(travelled, **{name: value}), host.key.public)
    with pytest.raises(WrongSignatureError):
        check_question("build-8", travelled, host.key.public)


def test_secrets_and_what_drives_a_terminal_stay_at_home(host: AskedHost) -> None:
    host.ask(POLICY, code="zzzzz", shape=f"\x1b[2J{SECRET}")
    host.store.write(
        lambda connection: connection.execute("UPDATE refused SET reason = ?", (f"\x1b]0;x\x07\0{SECRET}\u202e",))
    )
    (found,) = list_questions(host.store, source(host, "full"))
    text = msgspec.json.encode(found).decode()
    for part in (SECRET, "\x1b", "\\u001b", "\u202e", "\\u0000"):
        assert part not in text


def test_many_long_questions_fit_into_one_request(host: AskedHost, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "MOST_BYTES", 5000)
    for number in range(20):
        host.ask(POLICY, fingerprint=str(number))
    found = list_questions(host.store, source(host, "full"))
    assert len(found) == 20
    assert 0 < sum(bool(one.shown) for one in found) < 20
