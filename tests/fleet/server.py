"""A tmux server of one's own: its own socket, no configuration, gone after the test."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

import pytest


def required() -> None:
    """Skip where there is no tmux; fail where everything must be tested."""
    if shutil.which("tmux"):
        return
    if os.environ.get("SYNAPTIC_TEST_ALL") == "1":
        pytest.fail("tmux is not installed (apt-get install tmux)")
    pytest.skip("tmux is not installed (apt-get install tmux)")


class Server:
    """Panes to look at from outside."""

    def __init__(self, environ: Mapping[str, str], folder: Path) -> None:
        # A socket's path is short, and a test's folder is not.
        self.folder = Path(tempfile.mkdtemp(prefix="syn-"))
        self.socket = self.folder / "s"
        self.environ = {**environ, "TMUX_TMPDIR": str(self.folder), "SHELL": "/bin/sh"}
        self.tmux(
            "-f", "/dev/null", "new-session", "-d", "-s", "work", "-x", "200", "-y", "50", "-c", str(folder), "cat"
        )
        self.tmux("set-option", "-g", "remain-on-exit", "off")

    def tmux(self, *words: str) -> str:
        command = ("tmux", "-u", "-S", str(self.socket), *words)
        done = subprocess.run(command, env=self.environ, capture_output=True, text=True, timeout=30)
        assert done.returncode == 0, f"{words}: {done.stderr}"
        return done.stdout.strip("\n")

    def shows(self, target: str, format_: str) -> str:
        return self.tmux("display-message", "-p", "-t", target, format_)

    def own(self, kind: str, target: str, name: str) -> str:
        """An option that is set on the pane or window itself."""
        return self.tmux("show-options", kind, "-q", "-v", "-t", target, name)

    @property
    def variable(self) -> str:
        """TMUX, as programs in its panes have it."""
        return f"{self.socket},{self.shows('work', '#{pid}')},0"

    def close(self) -> None:
        subprocess.run(("tmux", "-S", str(self.socket), "kill-server"), env=self.environ, capture_output=True)
        shutil.rmtree(self.folder, ignore_errors=True)
