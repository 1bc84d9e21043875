"""A console that somebody has typed in a terminal's window: who says yes there is known."""

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from tests.security.agent.terminals import CLI, Window
from tests.web.console import WebConsole

LINK = re.compile(r"http://127\.[\d.]+:\d+/enter\?token=[\w-]+(?=\r?\n)")
PROMPT = re.compile(r"[$#] ")


class TypedConsole(WebConsole):
    """`synaptic web`, typed."""

    def __init__(self, user: Path, project: Path) -> None:
        self._window = Window(cast("Any", SimpleNamespace(user=user, project=project)))
        self._window.read(PROMPT)
        self._window.send(f"{CLI} web --port 0\n")
        found = LINK.search(self._window.read(LINK))
        assert found
        self.link = found[0]
        self.address = self.link.partition("/enter")[0]
        self.host, _, port = self.address.removeprefix("http://").partition(":")
        self.port = int(port)

    def stop(self) -> None:
        """Its window is closed; whoever ends the user's leftovers may have done so before."""
        self._window.close()
