"""A person with a program of their own, which has the Claude Agent SDK in it."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.clients.claude import Session, _offline
from tests.clients.conftest import client  # noqa: F401 - the same client
from tests.clients.model_server import ModelServer
from tests.clients.outcome import Outcome
from tests.clients.script import Rule
from tests.integrations.frameworks import ROOT, require_framework

PROGRAM = Path(__file__).with_name("claude_program.py")


class Program(msgspec.Struct):
    """One program of one user."""

    session: Session
    framework: Path

    def run(self, *rules: Rule, prompts: tuple[str, ...] = ("go",), **more: Any) -> Outcome:
        """`more`: `own` callbacks by name, a `defect` of the engine, `options` of the SDK, `env` of the program."""
        session = self.session
        todo = {
            "client": str(session.client),
            "cwd": str(session.project),
            "prompts": prompts,
            "own": more.get("own", ()),
            "defect": more.get("defect", False),
            "options": {"setting_sources": [], "allowed_tools": ["Bash", "mcp__own__run"], **more.get("options", {})},
        }
        with ModelServer(rules) as model:
            env = {**session._base(), **_offline(model.url, session.temporary), **more.get("env", {})}
            done = subprocess.run(
                [sys.executable, str(PROGRAM)],
                cwd=session.project,
                env={**env, "PYTHONPATH": f"{self.framework}:{ROOT}"},
                input=json.dumps(todo),
                capture_output=True,
                text=True,
                timeout=120,
            )
        assert done.returncode == 0, done.stderr
        return Outcome(done.returncode, done.stdout, done.stderr, tuple(model.requests))

    def journal(self, event: str = "") -> list[tuple[str, str, str]]:
        """Event, tool and decision of everything that was written down."""
        return [(one.event, one.tool, str(one.decision.kind)) for one in self.session.journal(event)]


@pytest.fixture
def program(client: Path) -> Iterator[Program]:  # noqa: F811
    framework = require_framework("claude-agent-sdk")
    session = Session(client)
    yield Program(session, framework)
    session.close()
