"""Gates that would refuse the same call one after another: all of their reasons at once, and nothing more than that."""

import json
from pathlib import Path

import pytest

from synaptic.model import sane
from synaptic.model.call import Answer
from synaptic.policies.practice.doc_gate import DocGate
from synaptic.store import grants, sections
from synaptic.store import state as states
from synaptic.store.db import Store
from tests.daemon.setting import BLOCK, Setting, output, specific, without_handle
from tests.daemon.test_practice import HEADER, Practice, now
from tests.lib.exceptions import make_exceptions
from tests.lib.shell import git

LONG = "x = 1\n" * 60
ALL = 'trust = "all"\npresets = ["essentials", "sane", "practice"]\n'


@pytest.fixture
def practice(tmp_path: Path) -> Practice:
    return Practice(tmp_path)


def reason(answer: Answer) -> str:
    return without_handle(str(specific(answer).get("permissionDecisionReason", "")))


def told(setting: Setting) -> list[str]:
    return [step.hook for step in setting.last().decision.trace if step.phase == "told"]


def read_section(setting: Setting, name: str) -> dict:
    store = Store.open(setting.home)
    try:
        owner = states.SectionOwner(str(setting.project))
        return dict(states.read_state(store, owner, [name]).read_section(name))
    finally:
        store.close()


def test_branch_header_and_plan_are_told_at_once(practice: Practice) -> None:
    git(practice.project, "checkout", "-q", "main")
    said = reason(practice.tool(practice.project / "a.py", LONG)).split("\n")
    assert [line.partition(": ")[0] for line in said] == [
        "practice.branch-guard",
        "practice.doc-gate",
        "practice.plan-check",
    ]
    decision = practice.last().decision
    assert (decision.kind, decision.by) == ("deny", "practice.branch-guard")
    assert told(practice) == ["practice.doc-gate", "practice.plan-check"]
    assert practice.hooks_that_ran() == ["practice.branch-guard"]


def test_each_reason_that_is_told_is_the_one_that_would_come_later(practice: Practice) -> None:
    """Whoever does what one of them says meets the next one with the words it was announced with."""
    git(practice.project, "checkout", "-q", "main")
    path = practice.project / "a.py"
    announced = reason(practice.tool(path, LONG)).split("\n")
    git(practice.project, "checkout", "-q", "feature")
    assert reason(practice.tool(path, LONG)).split("\n") == announced[1:]
    long = HEADER + "# @decision DEC-A-001\n" + LONG
    assert reason(practice.tool(path, long)) == announced[2].partition(": ")[2]
    practice.file("MASTER_PLAN.md", "# Plan\n## Intent\n## Phase 1: one\n**Status:** planned\n")
    git(practice.project, "add", "MASTER_PLAN.md")
    git(practice.project, "commit", "-q", "-m", "plan")
    assert "permissionDecision" not in specific(practice.tool(path, long))


def test_one_gate_alone_says_what_it_always_said(practice: Practice) -> None:
    git(practice.project, "checkout", "-q", "main")
    said = reason(practice.tool(practice.project / "a.py"))
    assert said.startswith(f"{practice.project} has main checked out")
    assert told(practice) == []
    quiet = practice.last().decision.trace[0]
    # Those that were asked and had nothing to say are among the quiet ones, and none of them is called unasked.
    assert "practice.doc-gate" in quiet.note.split() and "practice.plan-check" in quiet.note.split()
    assert "practice." not in practice.last().decision.trace[-1].note


def test_what_follows_from_a_gate_does_not_follow_from_its_reason(practice: Practice) -> None:
    """A strike that is only told is not counted, and no file shows it."""
    practice.config(ALL)
    practice.status(f"fail|3|{now()}")
    store = Store.open(practice.home)
    sections.set_section_value(store, str(practice.project), "safemode", ("active", True))
    store.close()
    for _ in range(3):
        practice.tool(practice.project / "a.py")
        assert practice.last().decision.by == "sane.safemode-edit"
    assert not (practice.claude / ".test-gate-strikes").exists()
    assert read_section(practice, "project:test-gate") == {}


def test_only_the_gate_that_decides_is_among_the_refusals(practice: Practice) -> None:
    """S1-079: refusals in a row are counted by gate; records of others in between would start each count anew."""
    practice.config(ALL)
    git(practice.project, "checkout", "-q", "main")
    for _ in range(5):
        given = {"file_path": str(practice.project / "a.py"), "content": HEADER}
        practice.event("PreToolUse", tool_name="Write", tool_input=given, permission_mode="dontAsk")
    assert "practice.branch-guard" in told(practice)
    section = read_section(practice, sane.ENFORCEMENT)
    assert {block["gate"] for block in section["blocks"]} == {"sane.unresearched-edit"}
    assert section["halted"] is True
    lines = (practice.claude / "sanetools.log").read_text().splitlines()
    assert len(lines) == 5 and all("Research before edits" in json.loads(line)["reason"] for line in lines)


def test_one_handle_covers_all_of_them(practice: Practice) -> None:
    git(practice.project, "checkout", "-q", "main")
    path = practice.project / "a.py"
    practice.tool(path, LONG)
    code = practice.last().decision.code
    made = make_exceptions(practice.home, code)
    assert [grant.policy for grant in made] == ["practice.branch-guard", "practice.doc-gate", "practice.plan-check"]
    assert "permissionDecision" not in specific(practice.tool(path, LONG))
    assert practice.last().decision.grants == tuple(grant.id for grant in made)
    # Each of them counted once.
    assert specific(practice.tool(path, LONG))["permissionDecision"] == "deny"
    assert practice.last().decision.code == code


def test_an_exception_to_one_of_them_leaves_the_others(practice: Practice) -> None:
    git(practice.project, "checkout", "-q", "main")
    path = practice.project / "a.py"
    practice.tool(path, LONG)
    first = make_exceptions(practice.home, practice.last().decision.code, "here")[0]
    store = Store.open(practice.home)
    grants.revoke_grants(store, [one.grant.id for one in grants.list_grants(store) if one.grant.id != first.id], 1e12)
    store.close()
    said = reason(practice.tool(path, LONG)).split("\n")
    assert [line.partition(": ")[0] for line in said] == ["practice.doc-gate", "practice.plan-check"]


def test_an_exception_to_a_later_gate_is_not_used_up_by_a_refusal(practice: Practice) -> None:
    git(practice.project, "checkout", "-q", "main")
    path = practice.project / "a.py"
    practice.tool(path, LONG)
    made = make_exceptions(practice.home, practice.last().decision.code)
    store = Store.open(practice.home)
    grants.revoke_grants(store, [made[0].id], 1e12)
    store.close()
    for _ in range(2):
        said = reason(practice.tool(path, LONG))
        assert "checked out" in said and "practice.doc-gate" not in said
    phases = [(step.hook, step.phase) for step in practice.last().decision.trace if step.hook.startswith("practice.")]
    assert phases == [
        ("practice.branch-guard", "run"),
        ("practice.doc-gate", "lifted"),
        ("practice.plan-check", "lifted"),
    ]


def test_the_words_of_a_gate_that_helps_come_with_its_reason(practice: Practice) -> None:
    git(practice.project, "checkout", "-q", "main")
    said = specific(practice.tool(practice.project / "a.py", LONG))
    assert "A header to start from" in said["additionalContext"]


def test_a_guard_that_refuses_asks_no_gate(practice: Practice) -> None:
    """What is dangerous in itself is no better once a plan was written."""
    practice.config(ALL)
    practice.tool("/etc/passwd.py", LONG)
    assert practice.last().decision.kind == "deny" and told(practice) == []


def test_a_script_that_refuses_asks_no_gate_and_no_script_is_run_for_a_gate(practice: Practice) -> None:
    practice.config('trust = "all"\n' + 'presets = ["practice"]\n')
    git(practice.project, "checkout", "-q", "main")
    practice.register("early", f"grep -q early.py && {BLOCK}; exit 0", matcher="Write", priority=1)
    practice.register("late", BLOCK, matcher="Write", priority=33)
    practice.tool(practice.project / "early.py", LONG)
    assert "early" in practice.last().decision.by and told(practice) == []
    practice.tool(practice.project / "a.py", LONG)
    assert practice.last().decision.by == "practice.branch-guard"
    assert practice.order == ["early", "early"]
    assert told(practice) == ["practice.doc-gate", "practice.plan-check"]


def test_a_commit_hears_of_the_branch_and_of_the_tests(practice: Practice) -> None:
    practice.status(f"fail|3|{now()}")
    practice.file("a.py", HEADER)
    git(practice.project, "add", "a.py")
    git(practice.project, "checkout", "-q", "main")
    given = {"command": "git commit -m x"}
    said = reason(practice.answer(practice.request(tool_input=given)))
    assert "git.protected-commit: " in said and "git.untested-merge: " in said


def test_a_gate_that_breaks_while_it_is_only_heard_costs_nobody_the_refusal(
    practice: Practice, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*given: object) -> None:
        raise ZeroDivisionError("on purpose")

    monkeypatch.setattr(DocGate, "check", fail)
    git(practice.project, "checkout", "-q", "main")
    said = reason(practice.tool(practice.project / "a.py", LONG))
    assert "practice.branch-guard" in said and "practice.plan-check" in said
    decision = practice.last().decision
    assert decision.kind == "deny" and decision.code and not decision.warnings


def test_a_dry_run_tells_the_same_and_writes_nothing(practice: Practice) -> None:
    git(practice.project, "checkout", "-q", "main")
    given = {"tool_name": "Write", "tool_input": {"file_path": str(practice.project / "a.py"), "content": LONG}}
    rehearsed = practice.rehearse(practice.request(**given)).decision
    assert "practice.plan-check: " in rehearsed.reason and not rehearsed.code
    said = reason(practice.answer(practice.request(**given)))
    assert said == rehearsed.reason


def test_an_answer_is_still_only_a_deny(practice: Practice) -> None:
    git(practice.project, "checkout", "-q", "main")
    said = output(practice.tool(practice.project / "a.py", LONG))["hookSpecificOutput"]
    assert said.keys() == {"hookEventName", "permissionDecision", "permissionDecisionReason", "additionalContext"}
