"""The text of files that a window should know before it goes on: read within bounds, inside the project, no secrets."""

import os
from collections.abc import Iterable, Mapping

from synaptic.facts.gather import USER_HOME, EngineMeans, Gatherer
from synaptic.facts.layers import find_call_layers
from synaptic.facts.skill_run import gather_skill_run
from synaptic.files.inside import name_inside, read_inside
from synaptic.model.call import Call
from synaptic.model.event import PreToolUse
from synaptic.policies.fleet.preloads import list_first_files, list_skill_files, list_waiting_files
from synaptic.policies.secrets.private import is_secret
from synaptic.store.redact import redact_text

MAX_FILE_CHARS = 10_000
MAX_ALL_CHARS = 40_000
MAX_FILES = 16
"""Files that are looked at; what is not read is named to the model, which may read it itself."""
UTF8_BYTES = 4
"""Bytes that a letter may have."""


async def gather_preloads(call: Call, means: EngineMeans) -> Mapping[str, str]:
    """The files that this event's answer should carry, by path; those that are missing or do not fit are left out."""
    found = find_call_layers(call, means)
    if found.effort is None or call.event.agent_id:
        return {}
    if isinstance(call.event, PreToolUse):
        paths = list_waiting_files(found.effort.metadata)
    else:
        paths = list_first_files(found.effort, found.skill)
    return read_preloads(paths, call) if paths else {}


async def gather_skill_texts(call: Call, means: EngineMeans) -> Mapping[str, str]:
    """The files of the skill that this event starts."""
    run = await gather_skill_run(call, means)
    return read_preloads(list_skill_files(run.skill), call) if run else {}


FACTS: Mapping[str, Gatherer] = {"preloads": gather_preloads, "skill_texts": gather_skill_texts}


def read_preloads(paths: Iterable[str], call: Call) -> dict[str, str]:
    """Read text files of the call's project, in their order, as long as there is room."""
    texts: dict[str, str] = {}
    left = MAX_ALL_CHARS
    for path in list(paths)[:MAX_FILES]:
        text = _read_text(path, call)
        # The same text under two names is one file, or a copy of it.
        if text and len(text) <= left and text not in texts.values():
            texts[path] = text
            left -= len(text)
    return texts


def _read_text(path: str, call: Call) -> str:
    """The text of one file; "" where it must not or cannot be read: it is a repository that names it."""
    if not call.root or is_secret(path, call.env.get("HOME") or USER_HOME):
        return ""
    try:
        root = os.path.realpath(call.root)
        own = f"{root}{path[len(call.root) :]}" if path.startswith(f"{call.root}/") else path
        raw = read_inside(root, name_inside(root, own), MAX_FILE_CHARS * UTF8_BYTES) or b""
    except (OSError, ValueError):  # a link, a pipe, too large, outside
        return ""
    text = "" if b"\0" in raw else raw.decode("utf-8", "replace")
    return redact_text(text) if len(text) <= MAX_FILE_CHARS else ""
