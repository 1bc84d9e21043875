"""A terminal's window for attempts: a program of such a name, a shell in it, and somebody who types there."""

import os
import re
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path

from tests.daemon.setting import Setting

CLI = f"{sys.executable} -m synaptic.cli.main"
ENDED = re.compile(r"ended:(\d+)\r?\n")
QUESTION = re.compile(rf": $|{ENDED.pattern}")
SECONDS = 60.0


class Window:
    """`script` under the name of a terminal's window: it has the terminal, and a shell leads the session in it."""

    def __init__(self, setting: Setting, name: str = "xterm", shell: str = "exec bash --noprofile --norc -i") -> None:
        program = setting.user / name
        if not program.exists():
            shutil.copy(shutil.which("script") or "", program)
        env = {
            "HOME": str(setting.user),
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "SHELL": "/bin/bash",
            "PS1": "$ ",
            "COLUMNS": "80",
            "TERM": "xterm",
        }
        self._process = subprocess.Popen(
            [program, "-qfc", shell, "/dev/null"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=setting.project,
            env=env,
            start_new_session=True,
        )
        self.pid = self._process.pid

    def types(self, line: str, *answers: str) -> tuple[int, str]:
        """What a command ends with and prints; `answers` are typed after it, each when a question stands there."""
        self.send(f"{line}; echo ended:$?\n")
        said = ""
        for answer in answers:
            said += self.read(QUESTION)
            if ENDED.search(said):
                break
            self.send(f"{answer}\n")
        said += "" if ENDED.search(said) else self.read(ENDED)
        found = ENDED.search(said)
        assert found, said
        return int(found[1]), said[: found.start()].partition("\n")[2].replace("\r", "")

    def synaptic(self, words: str, *answers: str) -> tuple[int, str]:
        """What `synaptic` says to these words."""
        return self.types(f"{CLI} {words}", *answers)

    def send(self, text: str) -> None:
        assert self._process.stdin
        self._process.stdin.write(text.encode())
        self._process.stdin.flush()

    def read(self, until: re.Pattern[str]) -> str:
        assert self._process.stdout
        fd, said, end = self._process.stdout.fileno(), "", time.monotonic() + SECONDS
        while not until.search(said):
            assert time.monotonic() < end, said
            if select.select([fd], [], [], 1)[0]:
                piece = os.read(fd, 1 << 16)
                assert piece, said
                said += piece.decode("utf-8", "replace")
        return said

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
