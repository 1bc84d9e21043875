"""Export a project's YAML hooks as JSON grouped by event, for orchestrators that run them."""

import json
from typing import Any

import msgspec

from synaptic.hooks.config import Config
from synaptic.hooks.sources import CatalogSources
from synaptic.hooks.yaml import HookDefinition, read_definitions
from synaptic.model.event import EVENTS

LIFECYCLE_EVENTS = (
    "UserPromptSubmit",
    "PreAbilityCall",
    "PostAbilityCall",
    "SessionStart",
    "SessionEnd",
    "SessionStop",
)
"""The order of the groups; other events follow in the order they are known."""


class HookRegistration(msgspec.Struct, frozen=True):
    """Hooks grouped by event, and the problems of unusable files."""

    groups: dict[str, list[dict[str, Any]]]
    problems: tuple[str, ...] = ()

    def to_json(self) -> str:
        return json.dumps(self.groups, indent=2, ensure_ascii=False)


def build_registration(sources: CatalogSources, config: Config, *, extended: bool = False) -> HookRegistration:
    """Build the registration of hooks on in `config.environment`. The extended form adds what a runner needs."""
    found, problems = read_definitions(sources.read_project_definitions(), config)
    groups: dict[str, list[dict[str, Any]]] = {}
    for event in dict.fromkeys((*LIFECYCLE_EVENTS, *EVENTS)):
        listening = sorted((item for item in found if event in item.hook.events), key=lambda item: item.hook.priority)
        if listening:
            groups[event] = [_make_entry(item.definition, extended) for item in listening]
    return HookRegistration(groups, (*problems, *sources.problems))


def _make_entry(definition: HookDefinition, extended: bool) -> dict[str, Any]:
    handler = {"kind": definition.handler["kind"], **definition.handler}
    entry: dict[str, Any] = {"id": definition.id, "handler": handler}
    if extended:
        entry |= {"match": definition.match or {}, "blocking": definition.blocking is True}
        entry |= {"awaited": definition.awaited, "priority": definition.priority}
    return entry
