"""The plan of a project, and how many commits it is behind."""

import os
from collections import OrderedDict
from collections.abc import Mapping

from synaptic.facts.ask_git import run_git
from synaptic.facts.files import read_text_file
from synaptic.facts.gather import EngineMeans, Gatherer
from synaptic.facts.git import find_call_file, gather_file_git, gather_git
from synaptic.model.call import Call
from synaptic.model.project import Git, PlanFile
from synaptic.policies.source_files import PLAN_NAME

STALENESS_VARIABLES = {"warn": "PLAN_STALENESS_WARN", "deny": "PLAN_STALENESS_DENY"}
MAX_COUNTS = 64
_counts: OrderedDict[tuple[str, str, int], int] = OrderedDict()
"""Commits by working tree, checked-out commit and the plan's time: none of them changes without the others."""


async def gather_plan(call: Call, means: EngineMeans) -> PlanFile:
    """The plan in the working tree of the file that is written, else the one in the project."""
    tree = await _find_tree(call, means)
    for folder in dict.fromkeys((tree.top, call.root)):
        if folder and (found := _read_plan(folder)):
            return found
    return PlanFile()


async def gather_plan_commits(call: Call, means: EngineMeans) -> int:
    """Commits of the checked-out branch that are younger than the plan."""
    known, tree = await gather_plan(call, means), await _find_tree(call, means)
    if not known.exists or not tree.commit:
        return 0
    # Counting needs a git process; with this key it runs once per commit and plan, not once per event.
    key = (tree.top, tree.commit, int(known.modified))
    if key not in _counts:
        printed = await run_git(tree.top, "rev-list", "--count", f"--since=@{int(known.modified)}", "HEAD")
        _counts[key] = int(printed) if printed.strip().isdigit() else 0
        if len(_counts) > MAX_COUNTS:
            _counts.popitem(last=False)
    return _counts[key]


async def gather_staleness(call: Call, means: EngineMeans) -> Mapping[str, int]:
    """Limits from the environment that are numbers."""
    said = {name: call.env.get(variable, "") for name, variable in STALENESS_VARIABLES.items()}
    return {name: int(text) for name, text in said.items() if text.isascii() and text.isdigit() and len(text) < 10}


FACTS: Mapping[str, Gatherer] = {
    "plan": gather_plan,
    "plan_commits": gather_plan_commits,
    "staleness": gather_staleness,
}


async def _find_tree(call: Call, means: EngineMeans) -> Git:
    return await gather_file_git(call, means) if find_call_file(call) else await gather_git(call, means)


def _read_plan(folder: str) -> PlanFile | None:
    path = f"{folder}/{PLAN_NAME}"
    try:
        modified = os.stat(path).st_mtime  # noqa: PTH116
    except OSError:
        return None
    return PlanFile(path=path, text=read_text_file(path), modified=modified)
