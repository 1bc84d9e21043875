"""Exceptions as commands: which refusal is meant, what a pattern covers, who may say yes."""

import time
from collections.abc import Callable

import msgspec
import pytest

from synaptic.model.authority import Authority
from synaptic.model.decision import Decision, Kind
from synaptic.model.errors import LayerError, StoreError
from synaptic.model.grant import RefusedAct, RefusedNews, RefusedSubject
from synaptic.store import grants, journal, refused
from synaptic.store.db import Store
from synaptic.store.record import EventRecord
from synaptic.work.command import CommandContext
from synaptic.work.grants import AllowCall, ListGrants, PreviewCall, RevokeGrants, ShowGrant
from tests.work.desk import Desk, code

SURE = Authority(standing="sure", who="pts/3, by sshd")
AGENT = Authority(standing="agent", why="process 4711 above it is claude")
PUSH = "git push --force-with-lease origin feature/{}"


def act(policy: str, fingerprint: str = "f1", stakes: str = "") -> RefusedAct:
    return RefusedAct(policy=policy, options="o", fingerprint=fingerprint, stakes=stakes)


@pytest.fixture
def refuse(desk: Desk) -> Callable[..., str]:
    """Write the refusal of a command into the journal; its event's number."""

    def write(command: str, *acts: RefusedAct, handle: str = "k7qmd", kind: Kind = Kind.DENY, **more: str) -> str:
        number = time.monotonic_ns()
        root = more.get("root", str(desk.root))
        payload = {"session_id": "s1", "cwd": root, "tool_name": "Bash", "tool_input": {"command": command}}
        subject = RefusedSubject(
            code=handle, acts=acts, asks=kind is Kind.ASK, tool="Bash", shown=command, root=root, cwd=root
        )
        record = EventRecord(
            call=f"call-{number}", at=time.time(), agent="claude", event="PreToolUse", session="s1", tool="Bash",
            root=root, payload=msgspec.json.encode({**payload, "hook_event_name": "PreToolUse"}),
            decision=Decision(kind=kind, by=acts[0].policy if acts else "", reason="no", code=handle if acts else ""),
            refused=RefusedNews(subject) if acts else None,
        )  # fmt: skip
        journal.append_records(desk.store, [record])
        return str(journal.read_last_entries(desk.store)[0].id)

    return write


def as_person(desk: Desk, authority: Authority = SURE) -> CommandContext:
    return msgspec.structs.replace(desk.context(), authority=authority)


def test_one_exception_for_each_policy_that_refused(desk: Desk, refuse: Callable[..., str]) -> None:
    refuse("x", act("git.clean"), act("git.reset-hard", stakes="s"))
    made = AllowCall(refusal="K7QMD ", because=" why ").run(as_person(desk)).grants
    assert [(one.policy, one.scope, one.stakes, one.because) for one in made] == [
        ("git.clean", "once", "", "why"),
        ("git.reset-hard", "once", "s", "why"),
    ]
    assert {one.granted_by for one in made} == {"pts/3, by sshd"}
    assert refused.list_refused(desk.store)[0].answer == "allowed"
    assert len(ListGrants().run(desk.context())) == 2


@pytest.mark.parametrize(
    ("scope", "more", "stakes"),
    [("once", {}, "s"), ("session", {}, "s"), ("until", {"seconds": 60}, ""), ("here", {}, ""), ("always", {}, "")],
)
def test_what_would_be_lost_is_held_to_near_the_call_only(
    desk: Desk, refuse: Callable[..., str], scope: str, more: dict[str, float], stakes: str
) -> None:
    refuse("x", act("git.reset-hard", stakes="s"))
    (made,) = AllowCall(refusal="k7qmd", scope=scope, **more).run(as_person(desk)).grants  # type: ignore[arg-type]
    assert made.stakes == stakes and made.fingerprint == "f1"
    assert made.session == ("s1" if scope == "session" else "")
    assert made.root == ("" if scope == "always" else str(desk.root))
    assert bool(made.expires) is (scope in ("once", "session", "until"))


def test_two_refusals_of_one_handle_are_told_apart_by_their_events(desk: Desk, refuse: Callable[..., str]) -> None:
    first, second = refuse("a", act("git.clean")), refuse("b", act("git.clean", "f2"), root=str(desk.root.parent))
    with pytest.raises(LayerError, match="names 2 refusals") as caught:
        AllowCall(refusal="k7qmd").run(as_person(desk))
    assert f"synaptic allow {first}" in str(caught.value) and f"synaptic allow {second}" in str(caught.value)
    assert AllowCall(refusal=second).run(as_person(desk)).shown == "b"
    shown = PreviewCall(refusal=first).run(desk.context())
    assert AllowCall(refusal=shown.mark).run(as_person(desk)).shown == "a"


def test_a_handle_of_digits_is_not_taken_for_an_event(desk: Desk, refuse: Callable[..., str]) -> None:
    for _ in range(3):
        number = refuse("ls", kind=Kind.NONE)
    refuse("x", act("git.clean"), handle=number)
    assert AllowCall(refusal=number).run(as_person(desk)).shown == "x"


@pytest.mark.parametrize("named", ["", " ", "zzzz", "999", "9" * 30, "'; DROP TABLE grants", "\ud800", "k7q\0m"])
def test_a_name_that_nothing_has_is_an_error(desk: Desk, refuse: Callable[..., str], named: str) -> None:
    refuse("x", act("git.clean"))
    with pytest.raises((LayerError, StoreError)):
        AllowCall(refusal=named).run(as_person(desk))
    assert grants.list_grants(desk.store) == ()


@pytest.mark.parametrize("policy", ["self.daemon", "devices.raw-write", "system.fork-bomb"])
def test_one_policy_that_nobody_overrules_keeps_all_from_it(
    desk: Desk, refuse: Callable[..., str], policy: str
) -> None:
    refuse("x", act("git.clean"), act(policy))
    assert code(lambda: AllowCall(refusal="k7qmd").run(as_person(desk))) == "NEVER_ALLOWED"
    assert grants.list_grants(desk.store) == ()


def test_an_agent_gets_nothing_with_the_pin_either(desk: Desk, refuse: Callable[..., str]) -> None:
    refuse("x", act("git.clean"))
    nobody = Authority(standing="unsure", why="it has no terminal")
    assert code(lambda: AllowCall(refusal="k7qmd").run(as_person(desk, AGENT))) == "FOR_PEOPLE"
    assert code(lambda: AllowCall(refusal="k7qmd").run(as_person(desk, nobody))) == "PIN_MISSING"
    assert code(lambda: AllowCall(refusal="k7qmd", pin="1234").run(as_person(desk, AGENT))) == "FOR_PEOPLE"
    assert grants.list_grants(desk.store) == () and refused.list_refused(desk.store)[0].answer == ""


def test_a_pattern_is_for_what_the_call_was(desk: Desk, refuse: Callable[..., str]) -> None:
    refuse(PUSH.format("a"), act("git.force-push", stakes="s"))
    (made,) = AllowCall(refusal="k7qmd", scope="here", like=PUSH.format("*")).run(as_person(desk)).grants
    assert (made.fingerprint, made.stakes, made.like, made.subject) == ("", "", PUSH.format("*"), "git")
    for like in ("git push *", "rm *", "git push --force-with-lease origin *", PUSH.format("b")):
        assert code(lambda: AllowCall(refusal="k7qmd", like=like).run(as_person(desk))) == "BAD_PATTERN"  # noqa: B023


def test_a_preview_tells_what_of_the_past_a_pattern_covers(desk: Desk, refuse: Callable[..., str]) -> None:
    refuse(PUSH.format("a"), act("git.force-push"))
    refuse(PUSH.format("b"), act("git.force-push", "f2"), handle="aaaa")
    refuse("git push --force origin main", act("git.force-push", "f3"), handle="bbbb")
    refuse(PUSH.format("c"), kind=Kind.NONE)
    found = PreviewCall(refusal="k7qmd", like=PUSH.format("*")).run(desk.context())
    assert found.preview and found.suggestion == PUSH.format("*")
    assert (found.preview.covered.count, found.preview.missed.count, found.preview.others.count) == (2, 1, 1)
    assert "exactly these 5 words" in found.preview.words
    assert grants.list_grants(desk.store) == ()


@pytest.mark.parametrize("command", ["rm -rf build", "rm -rf /tmp/x/y", "git push", "cat a/b && ls a/b", "ls ../a/b"])
def test_no_pattern_is_suggested_that_is_much_wider(desk: Desk, refuse: Callable[..., str], command: str) -> None:
    refuse(command, act("files.recursive-deletion"))
    refuse(command.replace("b", "c"), act("files.recursive-deletion", "f2"), handle="aaaa")
    assert PreviewCall(refusal="k7qmd").run(desk.context()).suggestion == ""


def test_exceptions_are_named_by_their_beginnings_and_go_once(desk: Desk, refuse: Callable[..., str]) -> None:
    refuse("x", act("git.clean"))
    (made,) = AllowCall(refusal="k7qmd").run(as_person(desk)).grants
    assert ShowGrant(id=made.id[:3]).run(desk.context()).grant.id == made.id
    assert code(lambda: ShowGrant(id="").run(desk.context())) == "NOT_FOUND"
    assert RevokeGrants(id=made.id[:5]).run(desk.context())[0].grant.id == made.id
    assert code(lambda: RevokeGrants(id=made.id).run(desk.context())) == "OVER"
    assert code(lambda: RevokeGrants().run(desk.context())) == "VALIDATION_ERROR"
    assert RevokeGrants(all=True).run(desk.context()) == ()
    assert ListGrants().run(desk.context()) == () != ListGrants(all=True).run(desk.context())


def test_where_nothing_is_kept_on_disk_nothing_is_allowed(desk: Desk, refuse: Callable[..., str]) -> None:
    refuse("x", act("git.clean"))
    store = Store.open_in_memory(as_person(desk).home, StoreError("the disk is full"))
    context = msgspec.structs.replace(as_person(desk), store=store)
    with pytest.raises(StoreError, match="the disk is full"):
        AllowCall(refusal="k7qmd").run(context)
    store.close()


@pytest.mark.parametrize("text", ["[grants\n", '[grants]\npin = "sometimes"\n', '[grants]\nnever = "git.*"\n'])
def test_a_config_that_cannot_be_read_forbids(desk: Desk, refuse: Callable[..., str], text: str) -> None:
    refuse("x", act("git.clean"))
    as_person(desk).home.config.write_text(text)
    assert code(lambda: AllowCall(refusal="k7qmd").run(as_person(desk))) == "CONFIG_UNKNOWN"
    as_person(desk).home.config.write_text('nonsense = 1\n[grants]\nnever = ["git.*"]\n')
    assert code(lambda: AllowCall(refusal="k7qmd").run(as_person(desk))) == "NEVER_ALLOWED"
