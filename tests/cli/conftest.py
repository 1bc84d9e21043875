"""A user with an empty home and a project of their own, in front of the real command line."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from synaptic.cli.main import run_command_line
from synaptic.cli.up import ProbeAnswer, send_probe
from synaptic.daemon import lifecycle
from synaptic.model.home import Home

FOREIGN = (
    "SYNAPTIC_HOME",
    "SYNAPTIC_ENV",
    "SYNAPTIC_DEBUG",
    "CLAUDE_CONFIG_DIR",
    "CLAUDE_PROJECT_DIR",
    "NO_COLOR",
    "PYTHONUNBUFFERED",
)
"""Variables of whoever runs the tests that would change what is tested."""


class Shown(NamedTuple):
    """What one command line did."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


class User:
    """One person at a keyboard, in a temporary home."""

    def __init__(self, base: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = base / "home"
        self.project = base / "project"
        self.home = Home(self.folder / ".synaptic")
        self.settings = self.folder / ".claude" / "settings.json"
        self._capsys = capsys
        (self.project / ".git").mkdir(parents=True)
        self.folder.mkdir()

    def types(self, *words: str) -> Shown:
        """The command in this process."""
        self._capsys.readouterr()
        code = run_command_line(words)
        return Shown(code, *self._capsys.readouterr())

    def runs(self, *words: str, stdin: str | bytes = b"", program: str = "", **env: str) -> Shown:
        """The command in a process of its own, as a shell starts it; `program` is Python that starts it instead."""
        start = ["-c", program] if program else ["-m", "synaptic.cli.main"]
        done = subprocess.run(
            [sys.executable, *start, *words],
            input=stdin.encode() if isinstance(stdin, str) else stdin,
            capture_output=True,
            env={**os.environ, **env},
            timeout=60,
            check=False,
        )
        return Shown(done.returncode, done.stdout.decode(), done.stderr.decode())

    def sends(self) -> ProbeAnswer:
        """One event through the dispatcher, to a daemon that runs: one that starts meanwhile would outlive the test."""
        if lifecycle.read_status(self.home).state == "stopped":
            self.types("daemon", "start")
        return send_probe(self.home.dispatch, str(self.project))

    def writes(self, path: str, text: str, mode: int = 0o644) -> Path:
        """A file of the project."""
        file = self.project / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        file.chmod(mode)
        return file

    def configures(self, text: str) -> None:
        self.home.root.mkdir(exist_ok=True)
        self.home.config.write_text(text)

    def brings_hook(self, body: str = "exit 0", **keys: object) -> Path:
        """A script of the project and its entry in the registry."""
        script = self.writes("guard.sh", f"#!/bin/sh\n{body}\n", 0o755)
        entry = {"event": "PreToolUse", "skill": "demo", "script": str(script), "blocking": True, **keys}
        lines = "".join(f"{key} = {json.dumps(value)}\n" for key, value in entry.items())
        registry = self.project / ".synaptic" / "hooks" / "registry.toml"
        registry.parent.mkdir(parents=True, exist_ok=True)
        with registry.open("a") as file:
            file.write(f"[[hook]]\n{lines}\n")
        return script


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[User]:
    """Somebody who has never used the program, in their project's folder."""
    person = User(tmp_path, capsys)
    monkeypatch.setenv("HOME", str(person.folder))
    monkeypatch.setenv("SHELL", "/bin/bash")
    for name in FOREIGN:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(person.project)
    yield person
    # First, that a call which is still on its way starts no daemon any more.
    with suppress(OSError):
        person.home.engine.unlink()
    lifecycle.stop_daemon(person.home)
