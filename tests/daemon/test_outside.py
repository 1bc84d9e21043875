"""A story of policies of one's own: two files outside the repository, the dispatcher, the daemon, a process killed."""

import json
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

from synaptic.runners.environment import MARK_VARIABLE
from tests.daemon.setting import Setting
from tests.docs.test_own_policies import FREEZE, PUSHES, PUSHES_CASES

HELD = '''
import os
import time
from pathlib import Path

from synaptic.sdk import PreToolUse, deny, policy


@policy("acme.held", events=(PreToolUse,), tools=("Bash",), timeout=20.0, on_error="{on_error}")
def held(event, facts):
    """Waits until somebody kills its process, the first time."""
    note = Path(facts.root, "held")
    if not note.exists():
        note.write_text(str(os.getpid()))
        time.sleep(60)
    return deny("not now") if "deploy" in facts.command.programs else None
'''


def put(setting: Setting, **files: str) -> Path:
    folder = setting.home.root / "policies"
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)
    return folder


def bash(setting: Setting, command: str) -> dict:
    """What the agent is told before it runs a command."""
    done = setting.dispatch("PreToolUse", setting.payload(tool_input={"command": command}))
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout).get("hookSpecificOutput", {}) if done.stdout else {}


def find_workers(setting: Setting) -> list[int]:
    """Processes of policies of this home."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = entry.read_bytes().split(b"\0")
        except OSError:
            continue
        if b"synaptic.sdk.worker" in words and any(str(setting.home.root).encode() in word for word in words):
            found.append(int(entry.parent.name))
    return found


def test_two_files_with_state_and_a_fact(running: Setting):
    put(running, acme_pushes=PUSHES, _freeze=FREEZE)
    assert bash(running, "git push") == {}
    assert bash(running, "git push origin main") == {}
    third = bash(running, "git push")
    assert third["permissionDecision"] == "deny"
    assert "2 pushes of" in third["permissionDecisionReason"]
    (running.project / "FREEZE").touch()
    assert "FREEZE" in bash(running, "git push -q")["permissionDecisionReason"]
    assert bash(running, "ls") == {}
    assert any("acme_pushes.py:" in step.source for step in running.last().decision.trace)


def test_its_state_outlives_daemon_and_worker_and_counts_without_a_daemon(running: Setting):
    put(running, acme_pushes=PUSHES, _freeze=FREEZE)
    assert bash(running, "git push") == {}
    for pid in find_workers(running):
        os.kill(pid, signal.SIGKILL)
    assert running.wait_for(lambda: find_workers(running) == [], 10)
    assert bash(running, "git push -q") == {}
    running.stop()
    running.without_daemon()
    assert bash(running, "git push")["permissionDecision"] == "deny"
    assert running.wait_for(lambda: find_workers(running) == [], 10), "a fallback leaves no process behind"


def kill_held(setting: Setting, command: str) -> tuple[dict, str]:
    """Send a call, and kill the process of its policy while it thinks about it."""
    env = {"HOME": str(setting.user), "PATH": os.environ["PATH"], "CLAUDE_PROJECT_DIR": str(setting.project)}
    payload = json.dumps(setting.payload(tool_input={"command": command})).encode()
    sent = subprocess.Popen(
        [setting.home.dispatch, "PreToolUse"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=env,
    )
    assert sent.stdin is not None
    sent.stdin.write(payload)
    sent.stdin.close()
    note = setting.project / "held"
    assert setting.wait_for(lambda: note.exists() and note.read_text())
    started = time.monotonic()
    os.kill(int(note.read_text()), signal.SIGKILL)
    assert sent.stdout is not None
    out = sent.stdout.read()
    sent.wait(20)
    assert time.monotonic() - started < 5
    told = json.loads(out) if out else {}
    return told.get("hookSpecificOutput", {}), json.dumps(told)


def test_a_worker_killed_in_mid_call_is_loud_and_the_act_goes_on(running: Setting):
    put(running, acme=HELD.format(on_error="allow"))
    said, whole = kill_held(running, "deploy")
    assert said.get("permissionDecision") is None
    assert "acme.held: its process failed" in whole and "went on without it" in whole
    assert bash(running, "deploy -n")["permissionDecisionReason"].startswith("not now")
    (step,) = [step for step in running.entries()[1].decision.trace if step.hook == "acme.held"]
    assert step.fault == "crash"


def test_a_guard_killed_in_mid_call_denies_where_it_says_so(running: Setting):
    put(running, acme=HELD.format(on_error="deny"))
    said, _ = kill_held(running, "ls")
    assert said["permissionDecision"] == "deny"
    assert "set to deny on error" in said["permissionDecisionReason"]


def test_a_policy_of_a_repository_is_not_imported_by_any_event(running: Setting):
    mark = running.project / "imported"
    running.config('trust = "ask"\n')
    folder = running.project / ".synaptic" / "policies"
    folder.mkdir()
    (folder / "acme.py").write_text(f"open({str(mark)!r}, 'w')\n")
    (folder / "_words.py").symlink_to("/dev/zero")
    os.mkfifo(folder / "pipe.py")
    assert bash(running, "ls") == {}
    started = json.loads(running.dispatch("SessionStart", running.payload("SessionStart", source="startup")).stdout)
    assert "policies/acme.py" in started["systemMessage"] and "synaptic trust" in started["systemMessage"]
    assert not mark.exists()
    assert find_workers(running) == []


def test_the_daemon_ends_its_workers(running: Setting):
    put(running, acme_pushes=PUSHES, _freeze=FREEZE)
    bash(running, "git push")
    (pid, *_) = find_workers(running)
    assert MARK_VARIABLE.encode() in Path(f"/proc/{pid}/environ").read_bytes()
    running.stop()
    assert running.wait_for(lambda: find_workers(running) == [], 10)


def test_workers_of_a_killed_daemon_end_by_themselves(running: Setting):
    put(running, acme_pushes=PUSHES, _freeze=FREEZE)
    bash(running, "git push")
    assert find_workers(running)
    parent = int(Path(f"/proc/{find_workers(running)[0]}/stat").read_text().rpartition(")")[2].split()[1])
    os.kill(parent, signal.SIGKILL)
    assert running.wait_for(lambda: find_workers(running) == [], 10)


def test_the_cases_of_the_story_are_those_of_the_guide(running: Setting):
    folder = put(running, acme_pushes=PUSHES, _freeze=FREEZE)
    (folder / "acme_pushes.toml").write_text(PUSHES_CASES)
    env = {"HOME": str(running.user), "PATH": os.environ["PATH"]}
    done = subprocess.run(
        [running.home.launcher, "policy", "test", "--json"],
        cwd=running.project,
        env=env,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert json.loads(done.stdout)["passed"] == 4, done.stdout + done.stderr


GUARD = '''
from synaptic.sdk import PreToolUse, deny, policy


@policy("acme.deploys", events=(PreToolUse,), tools=("Bash",), on_error="{on_error}")
def deploys(event, facts):
    """Deployments."""
    return deny("not on a Friday") if "make" in facts.command.programs else None
'''


def test_a_guard_whose_file_breaks_denies_through_daemon_and_without_it(running: Setting):
    file = put(running, acme=GUARD.format(on_error="deny")) / "acme.py"
    assert bash(running, "make deploy")["permissionDecisionReason"].startswith("not on a Friday")
    file.write_text(file.read_text() + "import nothing_here\n")
    broken = bash(running, "make deploy")
    assert broken["permissionDecision"] == "deny" and "nothing_here" in broken["permissionDecisionReason"]
    running.stop()
    shutil.rmtree(running.home.run)
    running.without_daemon()
    assert bash(running, "make deploy")["permissionDecision"] == "deny"
    file.unlink()
    assert bash(running, "make deploy") == {}


def test_a_policy_whose_file_breaks_is_told_in_that_very_answer(running: Setting):
    file = put(running, acme=GUARD.format(on_error="allow")) / "acme.py"
    assert bash(running, "make deploy")["permissionDecision"] == "deny"
    file.write_text(file.read_text() + "import nothing_here\n")
    done = running.dispatch("PreToolUse", running.payload(tool_input={"command": "make deploy"}))
    assert "acme.deploys" in json.loads(done.stdout)["systemMessage"]
    assert "nothing_here" in json.loads(done.stdout)["systemMessage"]
