"""The entries and files that tell an agent about the dispatcher, in the forms that several agents share."""

from collections.abc import Callable
from typing import Any

from synaptic.agents.base import AgentFile, OwnFile, SettingsFile, SettingsShape, WantedEntries, Wiring
from synaptic.agents.shared.ours import ENTRY_ARGUMENT, OWN_FILE_NOTE, quote_path
from synaptic.model.event import EVENTS, Event

EntryBuilder = Callable[[Wiring, str], dict[str, Any]]
"""What is appended to the array of one event."""


def build_json_files(name: str, build: EntryBuilder, shape: SettingsShape) -> Callable[[Wiring], tuple[AgentFile, ...]]:
    """One JSON file of the agent's folder, with an entry for every event."""

    def make(wiring: Wiring) -> tuple[AgentFile, ...]:
        groups = {event: build(wiring, event) for event in wiring.agent.events}
        return (SettingsFile(wiring.locate_file(name), WantedEntries(shape, wiring.plan.dispatch, groups)),)

    return make


def build_group(wiring: Wiring, event: str) -> dict[str, Any]:
    """A group that holds one hook."""
    return {"hooks": [build_hook(wiring, event)]}


def build_hook(wiring: Wiring, event: str) -> dict[str, Any]:
    """A command, and how many seconds the agent waits for it."""
    return {"type": "command", "command": build_command_text(wiring, event), "timeout": find_timeout(wiring, event)}


def build_script(wiring: Wiring, event: str) -> str:
    """A program of its own that becomes the dispatcher."""
    return f"{SCRIPT_HEAD}exec {build_command_text(wiring, event)}\n"


SCRIPT_HEAD = f"#!/bin/sh\n# synaptic, {OWN_FILE_NOTE}\n"


def build_own_file(wiring: Wiring, name: str, text: str) -> OwnFile:
    """An executable file of the agent's folder that is ours alone."""
    return OwnFile(wiring.locate_file(name), text, 0o755)


def build_command_text(wiring: Wiring, event: str) -> str:
    """The dispatcher's command line, for a shell."""
    return f"{quote_path(wiring.plan.dispatch)} {wiring.agent.name} {event} {ENTRY_ARGUMENT}{wiring.plan.token}"


def find_timeout(wiring: Wiring, event: str) -> int:
    """The seconds that the engine reckons with."""
    return int(wiring.agent.adapter.get_capability(event).timeout)


def find_event_kind(wiring: Wiring, event: str) -> type[Event]:
    """What an event is here; a plain one when it is the agent's alone."""
    return EVENTS.get(wiring.agent.adapter.to_canonical(event), Event)
