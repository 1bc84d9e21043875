"""More of what a shell offers after TAB: folders of projects, events, hooks, packages, words from short lists.

As in `completion`, trouble offers nothing, and each function imports what it needs.
"""

# ruff: noqa: PLC0415  as said above

import os
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from click.shell_completion import CompletionItem

from synaptic.cli.completion import Suggestions, keep_matching, make_completion
from synaptic.model.errors import SynapticError

if TYPE_CHECKING:
    from synaptic.cli.place import CommandPlace
    from synaptic.store.db import Store

LAST_EVENTS = 30
LOOKED_AT = 200
"""Of so many events the projects are offered: all of a year would be too much for a TAB."""
CHANNELS = ("develop", "beta", "main")


@make_completion
def complete_event_numbers(store: "Store", place: "CommandPlace") -> Suggestions:
    from synaptic.cli.event import format_entry_line
    from synaptic.store import entries

    return [(str(one.id), format_entry_line(one)[:60]) for one in entries.read_last_entries(store, LAST_EVENTS)]


@make_completion
def complete_refusals(store: "Store", place: "CommandPlace") -> Suggestions:
    """Codes of refusals that nobody has answered, the newest first."""
    from synaptic.store import refused

    found = refused.list_refused(store, most=LAST_EVENTS)
    return [(one.code, f"{', '.join(one.policies)}: {one.subject.shown}"[:60]) for one in found if not one.answer]


@make_completion
def complete_grants(store: "Store", place: "CommandPlace") -> Suggestions:
    from synaptic.store import grants
    from synaptic.work.grants import describe_state

    found, now = grants.list_grants(store), time.time()
    return [
        (one.grant.id, f"{one.grant.policy}: {one.grant.like or one.grant.shown}"[:60])
        for one in found
        if describe_state(one, now) == "in force"
    ]


@make_completion
def complete_follow_ups(store: "Store", place: "CommandPlace") -> Suggestions:
    from synaptic.store import follow_ups

    return [(str(one.id), f"{one.kind}, {one.hook}") for one in follow_ups.list_follow_ups(store, place.root)]


@make_completion
def find_projects(store: "Store", place: "CommandPlace") -> Suggestions:
    """Projects that somebody has agreed to, and those that events came from lately."""
    from synaptic.store import entries, trust

    agreed = {one.root: "trusted" for one in trust.list_agreements(store)}
    seen = {one.root: "" for one in entries.read_last_entries(store, LOOKED_AT)}
    return [(root, about) for root, about in sorted({**seen, **agreed}.items()) if root and os.path.isdir(root)]  # noqa: PTH112  a name of any bytes


def complete_projects(incomplete: str) -> list[CompletionItem]:
    """Projects that are known, and every other folder: which ones there are the shell knows best."""
    known = [CompletionItem(root, help=about or None) for root, about in find_projects(incomplete)]
    return [CompletionItem(incomplete, type="dir"), *known]


def complete_files(incomplete: str) -> list[CompletionItem]:
    """Files, which the shell completes by itself."""
    return [CompletionItem(incomplete, type="file")]


def complete_words(*words: str) -> Callable[[str], list[tuple[str, str]]]:
    """One of a few words."""

    def complete(incomplete: str) -> list[tuple[str, str]]:
        return keep_matching([(word, "") for word in words], incomplete)

    return complete


def complete_hooks(incomplete: str) -> list[tuple[str, str]]:
    """Hooks as they are registered here."""
    from synaptic.cli.list import read_catalog
    from synaptic.cli.place import find_place

    with suppress(SynapticError, OSError):
        hooks = read_catalog(find_place())["hooks"]
        return keep_matching([(hook["id"], ", ".join(hook["events"])) for hook in hooks], incomplete)
    return []


def complete_settings(incomplete: str) -> list[tuple[str, str]]:
    """Keys of config.toml."""
    from synaptic.hooks.config import TABLES, Config

    plain = [(key, "") for key in Config.__struct_fields__ if key not in (*TABLES, "policies")]
    parts = [(f"{table}.{name}", "") for table, kind in TABLES.items() for name in kind.__struct_fields__]
    return keep_matching([*plain, *parts], incomplete)


def complete_sections(incomplete: str) -> list[tuple[str, str]]:
    """Sections of what is remembered about a project."""
    from synaptic.store.sections import STORED_NAMES

    return keep_matching([(name, "") for name in STORED_NAMES], incomplete)


def complete_packages(incomplete: str) -> list[tuple[str, str]]:
    """Packages of the registry, where it is a file of this machine: a TAB asks no server."""
    from synaptic.cli.place import find_place
    from synaptic.cli.sites import find_channel
    from synaptic.packages.source import choose_registry_url, open_source

    with suppress(SynapticError, OSError):
        place = find_place()
        url = choose_registry_url("", os.environ, place.home)
        if url.startswith("dolt:"):
            with open_source(url, place.home) as source:
                found = source.list_packages(find_channel(place, ""))
            return keep_matching([(one.name, one.description) for one in found], incomplete)
    return []
