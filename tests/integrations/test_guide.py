"""The examples of the guide, run as they stand: the true frameworks, scripted models."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.clients.claude import _offline
from tests.clients.model_server import ModelServer
from tests.clients.script import bash, conversation
from tests.daemon.setting import Setting
from tests.docs.test_guide import DOCS, blocks
from tests.integrations.conftest import Program
from tests.integrations.frameworks import ROOT, require_framework

GUIDE = DOCS / "guide" / "sdk.md"
FIRST, OWN, OPENAI = blocks(GUIDE, "python")
SCRIPTED = """
from agents import RunConfig, Runner
from tests.integrations.openai_program import ScriptedModel
run = Runner.run_sync
config = RunConfig(model=ScriptedModel([]), tracing_disabled=True)
Runner.run_sync = lambda agent, prompt: run(agent, prompt, run_config=config)
"""


def run(text: str, folder: Path, env: dict[str, str], framework: str) -> str:
    path = f"{require_framework(framework)}:{ROOT}"
    done = subprocess.run(
        [sys.executable, "-c", text], cwd=folder, env={**env, "PYTHONPATH": path}, capture_output=True, text=True,
        timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def run_claude(program: Program, text: str, *turns: object) -> str:
    session = program.session
    (session.folder / "bin").mkdir()
    (session.folder / "bin" / "claude").symlink_to(session.client)
    with ModelServer((conversation(*turns),)) as model:
        env = {**session._base(), **_offline(model.url, session.temporary)}
        env["PATH"] = f"{session.folder / 'bin'}:{env['PATH']}"
        return run(text, session.project, env, "claude-agent-sdk")


@pytest.mark.client
def test_the_first_example_is_judged(program: Program) -> None:
    assert "done" in run_claude(program, FIRST)
    assert program.journal("UserPromptSubmit") and program.journal("Stop")


@pytest.mark.client
def test_the_example_of_an_own_callback_keeps_to_its_folder(program: Program) -> None:
    assert "stay in this folder" in run_claude(program, OWN, bash("ls .."), bash("ls"))
    assert len(program.journal("PreToolUse")) == 2


def test_the_example_of_the_openai_agents_sdk_runs(setting: Setting) -> None:
    env = {"HOME": str(setting.user), "PATH": os.environ["PATH"], "OPENAI_API_KEY": "none"}
    assert run(SCRIPTED + OPENAI, setting.project, env, "openai-agents") == "done\n"
