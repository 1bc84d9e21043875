"""Driving the real Claude Code offline: a throw-away home, a project, and a model that follows a script."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import tomlkit

from synaptic.daemon import lifecycle
from synaptic.model.errors import DaemonError
from synaptic.model.home import Home
from synaptic.store.db import Store
from synaptic.store.journal import read_entries_after
from synaptic.store.record import JournalEntry
from tests.clients.model_server import ModelServer
from tests.clients.outcome import Outcome
from tests.clients.script import Rule

ALLOWED = {"permissions": {"allow": ["Bash", "Write", "Edit", "Read", "Agent", "EnterWorktree", "ToolSearch"]}}
END_SECONDS = 10.0
REPORT = ("--output-format", "stream-json", "--input-format", "stream-json", "--verbose", "--include-hook-events")


class Session:
    """One user with one project. Paths are short: a Unix socket's path has little room."""

    def __init__(self, client: Path) -> None:
        self.client = client
        self.folder = Path(tempfile.mkdtemp(prefix="syn-"))
        self.home = self.folder / "home"
        self.project = self.folder / "project"
        self.temporary = self.folder / "tmp"
        for folder in (self.home / ".claude", self.project / ".claude", self.temporary):
            folder.mkdir(parents=True)
        self.settings(ALLOWED)
        self._repository()

    def settings(self, settings: Mapping[str, object]) -> None:
        """The user's own settings."""
        (self.home / ".claude" / "settings.json").write_text(json.dumps(settings, indent=2))

    def project_settings(self, settings: Mapping[str, object]) -> None:
        """Settings that the repository brings."""
        (self.project / ".claude" / "settings.json").write_text(json.dumps(settings, indent=2))

    def script(self, name: str, body: str) -> Path:
        """An executable shell script of a skill."""
        path = self.project / ".synaptic" / "skills" / name / "hooks" / "hook.sh"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o755)
        return path

    def register(self, name: str, **keys: object) -> None:
        """One more entry in the project's registry."""
        registry = self.project / ".synaptic" / "hooks" / "registry.toml"
        registry.parent.mkdir(parents=True, exist_ok=True)
        entry = {"event": "PreToolUse", "matcher": "Bash", "skill": name, "priority": 20, "blocking": True, **keys}
        with registry.open("a") as out:
            out.write(tomlkit.dumps({"hook": [entry]}) + "\n")

    def skill(self, name: str, body: str, **keys: object) -> Path:
        """A skill with one script on one event."""
        path = self.script(name, body)
        self.register(name, script=str(path), **keys)
        return path

    def bootstrap(self, *words: str) -> None:
        """Our entries in the user's settings, and the dispatcher in place."""
        self.synaptic("bootstrap", *words)

    def trust(self) -> None:
        """The user has read the project's hooks and wants them."""
        self.synaptic("trust", "--yes", "--uncovered")

    def synaptic(self, *words: str, check: bool = True) -> str:
        """What the command line prints, run by this user in this project."""
        command = [str(Path(sys.executable).with_name("synaptic")), *words]
        done = subprocess.run(command, cwd=self.project, env=self._base(), capture_output=True, text=True, timeout=60)
        if check and done.returncode:
            raise AssertionError(f"{' '.join(words)}: exit {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    def run(self, *rules: Rule, prompts: tuple[str, ...] = ("go",), **extra: Any) -> Outcome:
        """One whole session of the client. `extra`: `args` for its command line, `env` for its environment."""
        command = [str(self.client), "-p", *REPORT, *extra.get("args", ())]
        told = [{"type": "user", "message": {"role": "user", "content": prompt}} for prompt in prompts]
        with ModelServer(rules) as model:
            done = subprocess.run(
                command,
                cwd=self.project,
                env={**self._base(), **_offline(model.url, self.temporary), **extra.get("env", {})},
                input="".join(json.dumps(line) + "\n" for line in told),
                capture_output=True,
                text=True,
                timeout=120,
            )
        return Outcome(done.returncode, done.stdout, done.stderr, tuple(model.requests))

    @property
    def synaptic_home(self) -> Home:
        return Home(self.home / ".synaptic")

    def journal(self, event: str = "") -> tuple[JournalEntry, ...]:
        """What was written down, oldest first."""
        store = Store.open(self.synaptic_home)
        try:
            return tuple(entry for entry in read_entries_after(store, 0, 10_000) if event in ("", entry.event))
        finally:
            store.close()

    def close(self) -> None:
        """The daemon of this home ends, and nothing of it stays, whatever state a test left it in."""
        with suppress(DaemonError):
            lifecycle.stop_daemon(self.synaptic_home, grace=2)
        end = time.monotonic() + END_SECONDS
        while (left := processes_in(self.home)) and time.monotonic() < end:
            for process in left:
                with suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
            time.sleep(0.01)  # one of them may just have started another
        shutil.rmtree(self.folder, ignore_errors=True)

    def _base(self) -> dict[str, str]:
        return {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(self.home), "LANG": "C.UTF-8", "TERM": "dumb"}

    def _repository(self) -> None:
        who = ["-c", "user.name=Dev", "-c", "user.email=dev@example.com"]
        for words in (["init", "-q", "-b", "main"], [*who, "commit", "-q", "--allow-empty", "-m", "start"]):
            subprocess.run(["git", *words], cwd=self.project, env=self._base(), check=True)


def processes_in(home: Path) -> list[int]:
    """Processes that were started with a path of this home on their command line."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = entry.read_bytes()
        except OSError:
            continue
        if f"{home}/".encode() in words:
            found.append(int(entry.parent.name))
    return found


def _offline(url: str, temporary: Path) -> dict[str, str]:
    return {
        "ANTHROPIC_BASE_URL": url,
        "ANTHROPIC_API_KEY": "sk-ant-scripted-0000",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "CLAUDE_CODE_TMPDIR": str(temporary),
        "DISABLE_AUTOUPDATER": "1",
        "DISABLE_TELEMETRY": "1",
        "DISABLE_ERROR_REPORTING": "1",
    }
