"""The plan of a project, and how many commits it is behind."""

import os
from collections import OrderedDict
from collections.abc import Mapping

from synaptic.facts.files import text_of
from synaptic.facts.gather import EngineMeans, Gatherer
from synaptic.facts.git import ask, file_git, file_of, git
from synaptic.model.call import Call
from synaptic.model.project import Git, PlanFile
from synaptic.policies.source_files import PLAN

VARIABLES = {"warn": "PLAN_STALENESS_WARN", "deny": "PLAN_STALENESS_DENY"}
KEPT = 64
_counts: OrderedDict[tuple[str, str, int], int] = OrderedDict()
"""Commits by working tree, checked-out commit and the plan's time: none of them changes without the others."""


async def plan(call: Call, means: EngineMeans) -> PlanFile:
    """The plan in the working tree of the file that is written, else the one in the project."""
    tree = await _tree(call, means)
    for folder in dict.fromkeys((tree.top, call.root)):
        if folder and (found := _plan_in(folder)):
            return found
    return PlanFile()


async def plan_commits(call: Call, means: EngineMeans) -> int:
    """Commits of the checked-out branch that are younger than the plan."""
    known, tree = await plan(call, means), await _tree(call, means)
    if not known.exists or not tree.commit:
        return 0
    # Counting needs a git process; with this key it runs once per commit and plan, not once per event.
    key = (tree.top, tree.commit, int(known.modified))
    if key not in _counts:
        printed = await ask(tree.top, "rev-list", "--count", f"--since=@{int(known.modified)}", "HEAD")
        _counts[key] = int(printed) if printed.strip().isdigit() else 0
        if len(_counts) > KEPT:
            _counts.popitem(last=False)
    return _counts[key]


async def staleness(call: Call, means: EngineMeans) -> Mapping[str, int]:
    """Limits from the environment that are numbers."""
    said = {name: call.env.get(variable, "") for name, variable in VARIABLES.items()}
    return {name: int(text) for name, text in said.items() if text.isascii() and text.isdigit() and len(text) < 10}


FACTS: Mapping[str, Gatherer] = {"plan": plan, "plan_commits": plan_commits, "staleness": staleness}


async def _tree(call: Call, means: EngineMeans) -> Git:
    return await file_git(call, means) if file_of(call) else await git(call, means)


def _plan_in(folder: str) -> PlanFile | None:
    path = f"{folder}/{PLAN}"
    try:
        modified = os.stat(path).st_mtime  # noqa: PTH116
    except OSError:
        return None
    return PlanFile(path=path, text=text_of(path), modified=modified)
