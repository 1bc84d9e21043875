"""The true Claude Agent SDK with the true client: the engine behind its callbacks."""

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest

from synaptic.daemon import lifecycle
from synaptic.engine.reports import NOT_OWN_TEXT
from tests.clients.script import Do, Use, bash, conversation
from tests.integrations.conftest import Program
from tests.lib.shell import git

pytestmark = pytest.mark.client

EVENTS = ("UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolBatch", "Stop")
"""What the agent waits for. It shows its words (MessageDisplay) without waiting: the program may have ended by then."""
DENY = json.dumps({"action": "block", "reason": "not here"})
USER = {"setting_sources": ["user", "project"]}


def native(event: str, **specific: object) -> str:
    return f"echo '{json.dumps({'hookSpecificOutput': {'hookEventName': event, **specific}})}'"


@pytest.fixture
def remote(program: Program) -> Path:
    """A bare repository with a branch `feature` that was amended here since."""
    bare = program.session.folder / "remote.git"
    bare.mkdir()
    git(bare, "init", "-q", "--bare", "-b", "main")
    project = program.session.project
    git(project, "remote", "add", "origin", str(bare))
    git(project, "switch", "-q", "-c", "feature")
    git(project, "push", "-q", "-u", "origin", "feature")
    git(project, "commit", "-q", "--amend", "--allow-empty", "-m", "start again")
    return bare


def said(folder: Path, *words: str) -> str:
    return subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True, text=True).stdout.strip()


def test_without_settings_and_without_a_daemon_every_event_is_judged_once(program: Program, remote: Path) -> None:
    outcome = program.run(conversation(bash("git push --force origin HEAD:main")))
    assert outcome.result.is_error and "pull request" in outcome.result.text
    assert said(remote, "branch", "--list", "main") == ""
    assert not program.session.synaptic_home.socket.exists()
    found = [one for one in program.journal() if one[0] in EVENTS]
    assert sorted(event for event, _, _ in found) == sorted(set(EVENTS) - {"PostToolUse"})
    assert ("PreToolUse", "Bash", "deny") in found


def test_a_rewrite_is_what_runs(program: Program, remote: Path) -> None:
    outcome = program.run(conversation(bash("git push --force origin feature")))
    assert "forced update" in outcome.result.text
    assert said(remote, "rev-parse", "feature") == said(program.session.project, "rev-parse", "HEAD")
    (entry,) = program.session.journal("PreToolUse")
    assert entry.decision.input["command"] == "git push --force-with-lease origin feature"


@pytest.fixture
def wired(program: Program) -> Program:
    """The same for a user who has run `synaptic bootstrap`, with a daemon."""
    program.session.bootstrap()
    lifecycle.start_daemon(program.session.synaptic_home)
    assert lifecycle.wait_ready(program.session.synaptic_home, 20)
    return program


@pytest.mark.parametrize("options", [{}, USER, {"setting_sources": None}], ids=["none", "user", "default"])
def test_an_event_of_settings_and_sdk_is_judged_once(wired: Program, options: dict) -> None:
    wired.session.skill("adviser", native("PreToolUse", additionalContext="mind the gap"), protocol="native")
    wired.session.trust()
    outcome = wired.run(conversation(bash("echo one"), bash("echo two")), options=options)
    assert [result.text for result in outcome.results] == ["one", "two"]
    assert outcome.context.count("mind the gap") == 2
    found = [event for event, _, _ in wired.journal() if event in EVENTS]
    tool = ["PreToolUse", "PostToolUse", "PostToolBatch"]
    assert sorted(found) == sorted(["UserPromptSubmit", *tool, *tool, "Stop"])
    assert not any(NOT_OWN_TEXT in entry.answer.stderr.decode() for entry in wired.session.journal() if entry.answer)


def test_a_question_that_nobody_can_answer_runs_nothing(wired: Program) -> None:
    said = native("PreToolUse", permissionDecision="ask", permissionDecisionReason="sure?")
    wired.session.skill("asker", said, protocol="native")
    wired.session.trust()
    outcome = wired.run(conversation(bash("touch sentinel")))
    assert outcome.result.is_error and not (wired.session.project / "sentinel").exists()
    assert wired.journal("PreToolUse") == [("PreToolUse", "Bash", "ask")]


def test_instructions_for_a_summary_reach_it(wired: Program) -> None:
    said = native("PreCompact", additionalContext="keep the plan")
    wired.session.skill("keeper", said, event="PreCompact", matcher="", protocol="native")
    wired.session.trust()
    outcome = wired.run(conversation(bash("echo one")), prompts=("go", "/compact"))
    assert "keep the plan" in outcome.heard
    assert [event for event, _, _ in wired.journal("PreCompact")] == ["PreCompact"]


def test_a_stop_hook_makes_the_agent_go_on(wired: Program) -> None:
    once = f"[ -e {wired.session.folder}/told ] || {{ touch {wired.session.folder}/told; echo '{DENY}'; }}"
    wired.session.skill("stopper", once, event="Stop", matcher="")
    wired.session.trust()
    outcome = wired.run(conversation(bash("echo one")))
    assert "not here" in outcome.heard
    assert len(wired.journal("Stop")) == 2


@pytest.mark.parametrize("has_daemon", [True, False], ids=["daemon", "in process"])
def test_two_tools_of_one_turn_are_judged_each_by_itself(wired: Program, has_daemon: bool) -> None:
    if not has_daemon:
        lifecycle.stop_daemon(wired.session.synaptic_home)
        with wired.session.synaptic_home.engine.open("a") as file:
            file.write("daemon=false\n")
    wired.session.skill("guard", f"""case $HOOK_INPUT in *danger*) sleep 0.3; echo '{DENY}' ;; esac""")
    wired.session.trust()
    uses = tuple(Use("Bash", {"command": f"touch {word}", "description": "x"}) for word in ("danger", "fine"))
    outcome = wired.run(conversation(uses))
    assert [result.is_error for result in outcome.results] == [True, False]
    assert sorted(wired.journal("PreToolUse")) == [("PreToolUse", "Bash", "deny"), ("PreToolUse", "Bash", "none")]
    assert wired.session.synaptic_home.socket.exists() == has_daemon
    assert (wired.session.project / "fine").exists() and not (wired.session.project / "danger").exists()


@pytest.mark.parametrize("options", [{}, USER], ids=["none", "user"])
def test_a_daemon_that_is_killed_in_the_middle_costs_no_verdict(wired: Program, options: dict) -> None:
    wired.session.skill("guard", f"""case $HOOK_INPUT in *danger*) echo '{DENY}' ;; esac""")
    wired.session.trust()
    home = wired.session.synaptic_home

    def kill() -> None:
        os.kill(lifecycle.read_status(home).pid, signal.SIGKILL)

    outcome = wired.run(conversation(bash("echo one"), (Do(kill), *bash("touch danger")), bash("echo three")),
                        options=options)  # fmt: skip
    assert [result.is_error for result in outcome.results] == [False, True, False]
    assert not (wired.session.project / "danger").exists()
    if not options:
        kinds = [kind for _, _, kind in wired.journal("PreToolUse")]
        assert kinds == ["none", "deny", "none"]
        assert len(wired.journal("Stop")) == len(wired.journal("UserPromptSubmit")) == 1


def test_own_callbacks_come_first_in_their_order_and_the_engine_judges_what_they_made(
    program: Program, remote: Path
) -> None:
    outcome = program.run(conversation(bash("echo hello")), own=["note", "force_push", "note"])
    assert outcome.result.is_error and "pull request" in outcome.result.text
    calls = [command for event, command in json.loads(outcome.stdout) if event == "PreToolUse"]
    assert calls == ["echo hello", "git push --force origin HEAD:main"]
    assert said(remote, "branch", "--list", "main") == ""


def test_a_callbacks_refusal_counts_and_its_failure_is_told(program: Program) -> None:
    outcome = program.run(conversation(bash("touch forbidden"), bash("echo fine")), own=["fail", "refuse_word", "note"])
    assert [result.is_error for result in outcome.results] == [True, False]
    assert "not this word" in outcome.results[0].text and "a defect of the program" in outcome.stderr
    calls = [command for event, command in json.loads(outcome.stdout) if event == "PreToolUse"]
    assert calls == ["echo fine"]
    assert len(program.journal("PreToolUse")) == 2


def test_the_programs_prompt_is_the_users_and_what_its_tools_start_is_not(wired: Program) -> None:
    synaptic = str(wired.session.synaptic_home.launcher)
    call = (Use("mcp__own__run", {"words": [synaptic, "config", "set", "presets", "[]"]}),)
    outcome = wired.run(conversation(call))
    assert "exit 3" in outcome.result.text and "has an agent in itself" in outcome.result.text
    (prompt,) = wired.session.journal("UserPromptSubmit")
    assert NOT_OWN_TEXT not in prompt.answer.stderr.decode()


def test_below_an_agent_the_programs_prompt_is_nobodys(wired: Program) -> None:
    wired.run(conversation(bash("echo one")), env={"CLAUDECODE": "1"})
    (prompt,) = wired.session.journal("UserPromptSubmit")
    assert NOT_OWN_TEXT in prompt.answer.stderr.decode()


def test_a_defect_of_the_engine_is_no_allow(wired: Program) -> None:
    outcome = wired.run(conversation(bash("touch sentinel")), defect=True)
    assert outcome.result.is_error and "a defect of the engine" in outcome.result.text
    assert not (wired.session.project / "sentinel").exists()


def test_where_nobody_has_chosen_an_open_guard_a_defect_stops_the_prompt(program: Program) -> None:
    outcome = program.run(conversation(bash("touch sentinel")), defect=True)
    assert "a defect of the engine" in outcome.stdout and outcome.requests == ()
