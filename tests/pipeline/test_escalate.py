"""The same refused call again: stronger, then a question, then a word to the user; never an allow."""

from hypothesis import given
from hypothesis import strategies as st

from synaptic.model.decision import Decision, Kind
from synaptic.model.tool import Tool
from synaptic.pipeline.escalate import ATTENDED_MODES, escalate_refusal, fingerprint_call

TOOL = Tool("Bash", {"command": "git push -f origin main"})
DENIED = Decision(kind=Kind.DENY, by="git.force-push", reason="Never on main.")
UNATTENDED = ("", "bypassPermissions", "dontAsk", "auto", "novelty")
MODES = st.sampled_from([*sorted(ATTENDED_MODES), *UNATTENDED])


@given(st.sampled_from(list(Kind)), st.integers(0, 50), MODES, st.booleans())
def test_nothing_becomes_an_allow(kind: Kind, before: int, mode: str, allowed: bool) -> None:
    decision = Decision(kind=kind, by="x", reason="r", allowed=allowed)
    after = escalate_refusal(decision, TOOL, before, mode)
    if kind is not Kind.DENY:
        assert after == decision
        return
    assert after.kind in (Kind.DENY, Kind.ASK)
    assert after.kind is Kind.DENY or (before == 2 and mode in ATTENDED_MODES)
    assert after.reason.endswith("r") or after.reason.startswith("r")


def test_the_steps() -> None:
    first, second, third, fourth, tenth = (
        escalate_refusal(DENIED, TOOL, before, "default") for before in (0, 1, 2, 3, 9)
    )
    assert first == DENIED
    assert second.kind is Kind.DENY and "refused again" in second.reason and "Never on main." in second.reason
    assert third.kind is Kind.ASK and "3 times" in third.reason and "git.force-push" in third.reason
    assert fourth.kind is Kind.DENY and fourth.messages and "git push -f" in fourth.messages[0]
    assert tenth.kind is Kind.DENY and "10 times" in tenth.messages[0]
    assert [step.phase for step in third.trace] == ["escalated"]


def test_where_nobody_would_be_asked_it_stays_a_deny() -> None:
    for mode in UNATTENDED:
        assert escalate_refusal(DENIED, TOOL, 2, mode).kind is Kind.DENY


def test_the_same_act_has_the_same_name_however_it_is_described() -> None:
    again = Tool("Bash", {"command": "git  push -f\torigin main", "description": "try again"})
    assert fingerprint_call(again, "p") == fingerprint_call(TOOL, "p") != fingerprint_call(TOOL, "q")
    assert fingerprint_call(Tool("Bash", {"command": "git push origin main"}), "p") != fingerprint_call(TOOL, "p")
    edit = {"file_path": "/a", "old_string": "x", "new_string": "y"}
    again = Tool("Edit", dict(reversed(edit.items())))
    assert fingerprint_call(Tool("Edit", edit), "p") == fingerprint_call(again, "p")
    assert fingerprint_call(Tool("Edit", edit), "p") != fingerprint_call(Tool("Write", edit), "p")
    fingerprint_call(Tool("X\ud800", {"command": object()}), "p\ud800")
