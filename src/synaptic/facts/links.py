"""Where the paths of a tool call really lead."""

import os
from collections.abc import Mapping

from synaptic.facts.gather import USER_HOME, EngineMeans, Gatherer
from synaptic.files.long_paths import MAX_PATH_CHARS
from synaptic.model.call import Call
from synaptic.model.event import ToolEvent


async def gather_real_paths(call: Call, means: EngineMeans) -> Mapping[str, str]:
    """Resolve links, for each path of the call that leads somewhere else than it says."""
    if not isinstance(call.event, ToolEvent):
        return {}
    found = ((path, _resolve_links(path, call)) for path in call.event.tool.paths)
    return {path: real for path, real in found if real}


def _resolve_links(path: str, call: Call) -> str:
    """The path behind links, or nothing when there are none. One that cannot be looked at has none."""
    absolute = os.path.normpath(_make_absolute(path, call))
    if len(absolute) > MAX_PATH_CHARS:
        return ""
    try:
        if absolute.startswith(f"{call.root}/") and not _has_link(absolute, len(call.root) + 1):
            return ""
        real = os.path.realpath(absolute)
    except (OSError, ValueError):
        return ""
    return real if real != absolute else ""


def _has_link(path: str, start: int) -> bool:
    """Whether a part of the path below its root is a link: asking for those few is cheaper than for all."""
    end = path.find("/", start)
    while end != -1:
        if os.path.islink(path[:end]):  # noqa: PTH114 a Path costs more than the question
            return True
        end = path.find("/", end + 1)
    return os.path.islink(path)  # noqa: PTH114


def _make_absolute(path: str, call: Call) -> str:
    expanded = path.replace("~", call.env.get("HOME") or USER_HOME, 1) if path.startswith("~/") else path
    return os.path.join(call.event.cwd or call.root, expanded)  # noqa: PTH118


FACTS: Mapping[str, Gatherer] = {"real_paths": gather_real_paths}
