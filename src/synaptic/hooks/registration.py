"""Export a project's YAML hooks as JSON grouped by event, for orchestrators that run them."""

import json
from typing import Any

import msgspec

from synaptic.hooks.config import Config
from synaptic.hooks.sources import Sources
from synaptic.hooks.yaml import Definition, found_in
from synaptic.model.event import EVENTS

LIFECYCLE = ("UserPromptSubmit", "PreAbilityCall", "PostAbilityCall", "SessionStart", "SessionEnd", "SessionStop")
"""The order of the groups; other events follow in the order they are known."""


class Registration(msgspec.Struct, frozen=True):
    """Hooks grouped by event, and the problems of unusable files."""

    groups: dict[str, list[dict[str, Any]]]
    problems: tuple[str, ...] = ()

    def json(self) -> str:
        return json.dumps(self.groups, indent=2, ensure_ascii=False)


def register(sources: Sources, config: Config, *, extended: bool = False) -> Registration:
    """Build the registration of hooks on in `config.environment`. The extended form adds what a runner needs."""
    found, problems = found_in(sources.project_definitions(), config)
    groups: dict[str, list[dict[str, Any]]] = {}
    for event in dict.fromkeys((*LIFECYCLE, *EVENTS)):
        listening = sorted((item for item in found if event in item.hook.events), key=lambda item: item.hook.priority)
        if listening:
            groups[event] = [_entry(item.definition, extended) for item in listening]
    return Registration(groups, (*problems, *sources.problems))


def _entry(definition: Definition, extended: bool) -> dict[str, Any]:
    handler = {"kind": definition.handler["kind"], **definition.handler}
    entry: dict[str, Any] = {"id": definition.id, "handler": handler}
    if extended:
        entry |= {"match": definition.match or {}, "blocking": definition.blocking, "priority": definition.priority}
    return entry
