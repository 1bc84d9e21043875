"""The linter and the tests of a project: what it is configured for, where that is installed."""

import os
from collections.abc import Mapping

from synaptic.facts.files import text_of
from synaptic.facts.gather import EngineMeans, Gatherer
from synaptic.facts.git import file_git, file_of
from synaptic.model.call import Call
from synaptic.model.project import Tooling
from synaptic.policies.practice import tooling
from synaptic.policies.source_files import is_guarded, is_skippable, is_source, local

LOCAL = (".venv/bin", "venv/bin", "node_modules/.bin")
"""Where a project keeps its own programs, before the user's."""


async def linter(call: Call, means: EngineMeans) -> Tooling:
    """The linter that the project configures for the file that was written."""
    path = file_of(call)
    inner = local(path, call.root)
    if not is_source(inner) or is_skippable(inner):
        return Tooling()
    top = (await file_git(call, means)).top or call.root
    return _installed(tooling.linter(path, _files(top)), top, call)


async def suite(call: Call, means: EngineMeans) -> Tooling:
    """The test command of the working tree that the file is in."""
    path = file_of(call)
    if not is_guarded(local(path, call.root)):
        return Tooling()
    top = (await file_git(call, means)).top or call.root
    return _installed(tooling.suite(path, _files(top)), top, call)


FACTS: Mapping[str, Gatherer] = {"linter": linter, "suite": suite}


def _files(top: str) -> tooling.Files:
    try:
        entries = list(os.scandir(top)) if top else []
    except OSError:
        return {}
    return {
        entry.name if not entry.is_dir() else f"{entry.name}/": text_of(entry.path)
        if entry.name in tooling.READ
        else ""
        for entry in entries
    }


def _installed(found: tooling.Found | None, top: str, call: Call) -> Tooling:
    if found is None:
        return Tooling()
    name, (program, *words) = found
    path = _program(program, top, (call.env or os.environ).get("PATH", ""))
    return Tooling(name=name, argv=(path, *words), cwd=top) if path else Tooling(name=name, cwd=top)


def _program(name: str, top: str, path: str) -> str:
    """A project's own program, else the user's. Relative entries of PATH would be the project's choice."""
    folders = [f"{top}/{folder}" for folder in LOCAL] + [folder for folder in path.split(":") if folder.startswith("/")]
    candidates = (f"{folder}/{name}" for folder in folders)
    return next((one for one in candidates if os.path.isfile(one) and os.access(one, os.X_OK)), "")  # noqa: PTH113
