"""The linter and the tests of a project: what it is configured for, where that is installed."""

import os
from collections.abc import Mapping
from itertools import islice

from synaptic.facts.files import read_text_file
from synaptic.facts.gather import EngineMeans, Gatherer
from synaptic.facts.git import find_call_file, gather_file_git
from synaptic.files.snapshot import MAX_NAMES
from synaptic.model.call import Call
from synaptic.model.project import Tooling
from synaptic.policies.practice import tooling
from synaptic.policies.source_files import is_skippable, is_source, to_project_path, triggers_tests

LOCAL_FOLDERS = (".venv/bin", "venv/bin", "node_modules/.bin")
"""Where a project keeps its own programs, before the user's."""


async def gather_linter(call: Call, means: EngineMeans) -> Tooling:
    """The linter that the project configures for the file that was written."""
    path = find_call_file(call)
    inner = to_project_path(path, call.root)
    if not is_source(inner) or is_skippable(inner):
        return Tooling()
    top = (await gather_file_git(call, means)).top or call.root
    return _find_installed(tooling.find_linter(path, _list_top_files(top)), top, call)


async def gather_suite(call: Call, means: EngineMeans) -> Tooling:
    """The test command of the working tree that the file is in."""
    path = find_call_file(call)
    if not triggers_tests(to_project_path(path, call.root)):
        return Tooling()
    top = (await gather_file_git(call, means)).top or call.root
    found = (_find_installed(one, top, call) for one in tooling.iter_suites(path, _list_top_files(top)))
    # A configured runner may not be installed where the project's own script still finds it.
    return next((one for one in found if one.argv), Tooling())


FACTS: Mapping[str, Gatherer] = {"linter": gather_linter, "suite": gather_suite}


def _list_top_files(top: str) -> tooling.ProjectFiles:
    if not top:
        return {}
    try:
        with os.scandir(top) as found:
            entries = list(islice(found, MAX_NAMES))
    except OSError:
        return {}
    return {
        entry.name if not entry.is_dir() else f"{entry.name}/": read_text_file(entry.path)
        if entry.name in tooling.READ_FILES
        else ""
        for entry in entries
    }


def _find_installed(found: tooling.FoundTool | None, top: str, call: Call) -> Tooling:
    if found is None:
        return Tooling()
    name, (program, *words) = found
    path = _find_program(program, top, (call.env or os.environ).get("PATH", ""))
    return Tooling(name=name, argv=(path, *words), cwd=top) if path else Tooling(name=name, cwd=top)


def _find_program(name: str, top: str, path: str) -> str:
    """A project's own program, else the user's. Relative entries of PATH would be the project's choice."""
    folders = [f"{top}/{folder}" for folder in LOCAL_FOLDERS] + [
        folder for folder in path.split(":") if folder.startswith("/")
    ]
    candidates = (f"{folder}/{name}" for folder in folders)
    return next((one for one in candidates if os.path.isfile(one) and os.access(one, os.X_OK)), "")  # noqa: PTH113
