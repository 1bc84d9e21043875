"""The files of a patch, each shown to the hooks that judge one file at a time."""

from collections.abc import Iterator

import msgspec

from synaptic.agents.base import Capability
from synaptic.agents.shared.degrade import degrade_decision
from synaptic.hooks.select import SelectedHooks, compile_selection
from synaptic.model.call import Call
from synaptic.model.decision import Decision
from synaptic.model.event import ToolEvent
from synaptic.model.patch import BEGIN, read_patch_files, split_file_change
from synaptic.model.tool import PATCH, Tool
from synaptic.shell.read.reader import read_safely

PATCH_PROGRAMS = frozenset({"apply_patch", "applypatch"})
FILE_CAPABILITY = Capability(deny=True, ask=True, context=True, feedback=True)
"""What one file's hooks may say about the whole patch: they can neither change it nor permit it."""


def split_by_file(call: Call) -> tuple[Call, ...]:
    """One call per file for a patch of several files or a patch that a shell command applies; else none."""
    if not isinstance(call.event, ToolEvent):
        return ()
    tool = call.event.tool
    if tool.name == PATCH:
        changes = read_patch_files(tool.read_text("patch"))
        return tuple(
            _make_file_call(call, edit, call.event.cwd) for change in changes for edit in split_file_change(change)
        )
    return tuple(_split_shell_patch(call, tool.command)) if BEGIN in tool.command else ()


def drop_asked(found: SelectedHooks, asked: SelectedHooks) -> SelectedHooks:
    """The hooks that have not seen the whole patch."""
    known = {hook.id for hook in asked.hooks}
    return compile_selection(tuple(hook for hook in found.hooks if hook.id not in known))


def limit_to_share(decision: Decision) -> Decision:
    """Reduce a decision about one file to what it may mean for the patch: it can refuse or advise, not permit it."""
    return degrade_decision(decision, FILE_CAPABILITY, "patch")


def _split_shell_patch(call: Call, command: str) -> Iterator[Call]:
    cwd = call.event.cwd or call.root
    changes = read_patch_files(command)
    for found in read_safely(command, cwd, call.env.get("HOME", "")).commands:
        if found.name in PATCH_PROGRAMS:
            mine = (change for change in changes if change.path in found.paths)
            yield from (
                _make_file_call(call, edit, found.cwd or cwd) for change in mine for edit in split_file_change(change)
            )


def _make_file_call(call: Call, tool: Tool, cwd: str) -> Call:
    named = {"tool_name": tool.name, "tool_input": dict(tool.input), "cwd": cwd}
    event = msgspec.structs.replace(call.event, **named)
    return msgspec.structs.replace(call, event=event, payload={**call.payload, **named})
