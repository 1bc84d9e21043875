"""Files that the engine reads for an agent: only those that the policies let the agent read itself."""

import os
from pathlib import Path

import msgspec

from synaptic.engine.check import Checker
from synaptic.model.decision import Decision, Kind
from synaptic.model.dehydration import Read
from synaptic.model.home import Home
from synaptic.model.layers import Effort

REFUSED = frozenset({Kind.DENY, Kind.ASK})


async def refusal(home: Home, root: str, path: str) -> str:
    """Why a file is kept from agents; nothing when it is not."""
    said = await _asked(Checker(home), root, path)
    return f"{said.by}: {said.reason}" if said.kind in REFUSED else ""


async def allowed(home: Home, root: str, effort: Effort, read: Read) -> Read:
    """A hand-over without the required files that a policy keeps from agents, and with a word about each of them."""
    checker = Checker(home)
    kept, refused = [], []
    for name in read.payload.required_files:
        said = [await _asked(checker, root, path) for path in _places(name, root, effort)]
        found = next((one for one in said if one.kind in REFUSED), None)
        if found is None:
            kept.append(name)
        else:
            refused.append(f"required file {name} left out ({found.by}): {found.reason}")
    payload = msgspec.structs.replace(read.payload, required_files=tuple(kept))
    return Read(payload, (*read.warnings, *refused))


async def _asked(checker: Checker, root: str, path: str) -> Decision:
    return await checker.decide({"tool_name": "Read", "tool_input": {"file_path": path}, "cwd": root})


def _places(name: str, root: str, effort: Effort) -> tuple[str, ...]:
    """Every file that the name may mean when it is read."""
    if name.startswith(("/", "~")):
        return (str(Path(name).expanduser()) if name.startswith("~/") else name,)
    return tuple(os.path.normpath(f"{folder}/{name}") for folder in (root, effort.task))
