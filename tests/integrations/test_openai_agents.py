"""The true runner of the OpenAI Agents SDK with a scripted model: the engine around its function tools."""

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.daemon.setting import BLOCK, Setting, modify
from tests.integrations.frameworks import ROOT, require_framework

PROGRAM = Path(__file__).with_name("openai_program.py")
ADVICE = """echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"mind the gap"}}'"""


def run(setting: Setting, *commands: str, **env: str) -> list[str]:
    """What the model was told about each of its calls."""
    framework = require_framework("openai-agents")
    base = {"HOME": str(setting.user), "PATH": os.environ["PATH"], "PYTHONPATH": f"{framework}:{ROOT}"}
    done = subprocess.run(
        [sys.executable, str(PROGRAM)],
        cwd=setting.project,
        env={**base, **env},
        input=json.dumps(commands),
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def guard_danger(setting: Setting, body: str, **keys: object) -> None:
    setting.register("guard", f"""case $HOOK_INPUT in *danger*) {body} ;; esac""", matcher="run_shell", **keys)


def test_a_refused_call_does_not_run_and_the_model_is_told_why(setting: Setting) -> None:
    guard_danger(setting, BLOCK)
    refused, fine = run(setting, "touch danger", "echo fine")
    assert "Banned command pattern detected." in refused and fine == "exit 0: fine\n"
    assert not (setting.project / "danger").exists()
    found = [(one.event, one.tool, str(one.decision.kind)) for one in setting.entries()[::-1]]
    before, after = ("PreToolUse", "run_shell"), ("PostToolUse", "run_shell")
    assert found == [(*before, "deny"), (*before, "none"), (*after, "none")]


def test_a_rewrite_is_a_refusal_that_says_what_to_call(setting: Setting) -> None:
    guard_danger(setting, modify("echo safe"))
    (told,) = run(setting, "touch danger")
    assert "echo safe" in told and not (setting.project / "danger").exists()


def test_advice_is_told_with_the_output(setting: Setting) -> None:
    guard_danger(setting, ADVICE, protocol="native")
    (told,) = run(setting, "echo danger")
    assert told == "exit 0: danger\n\n\nmind the gap"


def test_the_guard_reads_the_command_of_a_tool_with_any_name(setting: Setting) -> None:
    subprocess.run(["git", "init", "-q"], cwd=setting.project, check=True)
    (told,) = run(setting, "git push --force origin HEAD:main")
    assert "pull request" in told


def test_what_a_tool_starts_is_nobodys_person(running: Setting) -> None:
    (told,) = run(running, "shortcut", SHORTCUT=f"{running.home.launcher} config set presets '[]'")
    assert told.startswith("exit 3") and "has an agent in itself" in told


def test_an_engine_that_cannot_be_used_is_no_allow(setting: Setting) -> None:
    (setting.home.root / "run").write_text("not a folder")
    guard_danger(setting, BLOCK)
    (refused,) = run(setting, "touch danger")
    assert "Banned" in refused and not (setting.project / "danger").exists()
