"""Ready answers for the dispatcher: what it says to each agent when no engine can be asked, also without Python.

`refusals/AGENT/EVENT` holds an exit code, a line break, and what goes to stdout. The dispatcher says why, on stderr.
"""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from synaptic.agents.shared.discover import find_adapter, list_agent_names
from synaptic.files.replace import replace_own
from synaptic.model.errors import SettingsError
from synaptic.model.event import EVENTS
from synaptic.model.home import Home

REFUSAL_TEXT = "synaptic: blocked, because it could not be checked: the engine gave no answer; type: synaptic doctor"
PLAIN_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]*")
"""What the dispatcher takes for part of a path."""


def list_refusals() -> Iterator[tuple[str, str, bytes]]:
    """Agent, event, and content of its file, for every event that can be refused."""
    for agent in list_agent_names():
        wire = find_adapter(agent)
        dialect = getattr(wire, "dialect", None)
        names = dict.fromkeys((*(dialect.events if dialect else ()), *EVENTS))
        for event in names:
            if PLAIN_NAME.fullmatch(event) and wire.get_capability(wire.to_canonical(event)).deny:
                answer = wire.refuse(event, REFUSAL_TEXT)
                yield agent, event, f"{answer.exit}\n".encode() + answer.stdout


def write_refusals(home: Home) -> None:
    """Write the files; those that are right are left alone."""
    for agent, event, content in list_refusals():
        path = home.refusals / agent / event
        try:
            if path.is_file() and path.read_bytes() == content:
                continue
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            replace_own(str(path), content, 0o600)
        except OSError as error:
            raise SettingsError(f"cannot be written: {error.strerror}", where=str(path)) from error


def find_missing_refusals(home: Home) -> list[str]:
    """Names of those that are not as they should be."""
    return [
        f"{agent}/{event}"
        for agent, event, content in list_refusals()
        if not _has_content(home.refusals / agent / event, content)
    ]


def remove_refusals(home: Home) -> None:
    """Remove all of them."""
    shutil.rmtree(home.refusals, ignore_errors=True)


def _has_content(path: Path, content: bytes) -> bool:
    try:
        return path.read_bytes() == content
    except OSError:
        return False
