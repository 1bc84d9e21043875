"""Parse the hooks of a `registry.toml`, one `[[hook]]` each; a broken entry disables only itself."""

import os
from pathlib import Path
from typing import Literal

import msgspec

from synaptic.files.toml import parse_toml
from synaptic.hooks.budget import LIST_ITEMS, PROJECT_HOOKS
from synaptic.hooks.declaration import (
    DeclarationFile,
    Declarations,
    Timeout,
    check_matcher,
    check_text,
    check_url,
    find_matcher_doubts,
    resolve_inside,
    split_function,
)
from synaptic.hooks.nearest import MAX_HINTS, find_nearest, make_hint
from synaptic.hooks.shape import convert_table, refuse_typos
from synaptic.model.errors import DeclarationError
from synaptic.model.event import EVENTS
from synaptic.model.hook import DEFAULT_TIMEOUT, Command, Handler, Hook, HttpEndpoint, OnError, Protocol, PythonFunction

HANDLER_KEYS = ("script", "command", "url", "python")


class RegistryEntry(msgspec.Struct, frozen=True, kw_only=True):
    """The keys of one `[[hook]]`."""

    event: str | tuple[str, ...]
    """The event it runs for, or a list of them."""
    matcher: str = ".*"
    """Full match against the event's subject, such as the tool's name."""
    skill: str = ""
    """Who brought it."""
    script: str = ""
    """Path of an executable file: absolute, or in a repository's registry relative to its root and never out of it."""
    priority: int = 50
    """Lower runs first."""
    blocking: bool = False
    """It is waited for and may decide; else it is started and left alone."""
    id: str = ""
    """Its name in traces; made from `skill` and the script's name when empty."""
    timeout: Timeout = DEFAULT_TIMEOUT
    """Seconds."""
    on_error: OnError = "allow"
    """What its failure means."""
    protocol: Protocol = "decision"
    """How its output and exit code are read."""
    enabled: bool = True
    """false switches it off and keeps the entry."""
    scope: Literal["", "project", "global"] = ""
    """Which installation owns the entry; it has no effect on when the hook runs."""
    command: str = ""
    """Shell text, instead of `script`."""
    url: str = ""
    """An http address on this machine, instead of `script`."""
    python: str = ""
    """`/path/file.py:function`, instead of `script`; the path is read like that of a script."""


def parse_registry_toml(text: bytes, place: DeclarationFile) -> Declarations:
    """Parse a registry. Never raises: an unusable entry is a problem that says where and why."""
    try:
        table = parse_toml(text)
    except ValueError as error:
        return Declarations(problems=(f"{place.file}: is no valid TOML, no hook of it runs: {error}",))
    problems = [f"{place.file}: unknown key `{key}` (hooks are written `[[hook]]`)" for key in table if key != "hook"]
    entries = table.get("hook", [])
    if not isinstance(entries, list):
        problems.append(f"{place.file}: `hook` must be written `[[hook]]`, once for each hook")
        entries = []
    if place.scope == "project" and len(entries) > PROJECT_HOOKS:
        problems.append(f"{place.file}: has {len(entries)} hooks; only the first {PROJECT_HOOKS} count")
        entries = entries[:PROJECT_HOOKS]
    hooks: list[Hook] = []
    for number, entry in enumerate(entries, 1):
        hooks += _read_entry(entry, number, place, problems)
    return Declarations(tuple(hooks), tuple(problems))


def _read_entry(table: object, number: int, place: DeclarationFile, problems: list[str]) -> list[Hook]:
    where = f"{place.file}: hook {number}"
    try:
        entry = convert_table(table, RegistryEntry, where)
        problems += refuse_typos(table, RegistryEntry, where) if isinstance(table, dict) else []
        if not entry.enabled:
            return []
        return [_make_hook(entry, where, place, problems)]
    except DeclarationError as error:
        problems.append(f"{error}; this hook is disabled")
        return []


def _make_hook(entry: RegistryEntry, where: str, place: DeclarationFile, problems: list[str]) -> Hook:
    handler = _make_handler(entry, where, place)
    events = _check_events(entry, where, problems)
    if len(problems) <= MAX_HINTS:
        problems += find_matcher_doubts(entry.matcher, events, where)
    return Hook(
        id=entry.id or f"{entry.skill or Path(place.file).stem}:{_make_label(entry)}",
        events=events,
        handler=handler,
        matcher=check_matcher(entry.matcher, where, place.scope),
        priority=entry.priority,
        blocking=entry.blocking,
        awaited=entry.blocking,  # what does not block is started and forgotten here, other than in YAML
        timeout=entry.timeout,
        on_error=entry.on_error,
        protocol=entry.protocol,
        scope=place.scope,
        root=place.root if place.scope == "project" else "",
        skill=entry.skill,
        source=where,
    )


def _check_events(entry: RegistryEntry, where: str, problems: list[str]) -> tuple[str, ...]:
    """Check event names: one that resembles a known one is refused as a typo, any other may be of a newer agent."""
    names = (entry.event,) if isinstance(entry.event, str) else entry.event
    if not all(names) or not names:
        raise DeclarationError("`event` names no event", where=where)
    if len(names) > LIST_ITEMS:
        raise DeclarationError(f"`event` has more than {LIST_ITEMS} names", where=where)
    for name in names:
        if name in EVENTS:
            continue
        if len(problems) > MAX_HINTS:  # a file of so many mistakes is not searched for what each of them means
            raise DeclarationError(f"`event`: unknown event `{name[:80]}`", where=where)
        if find_nearest(name, EVENTS):
            raise DeclarationError(f"`event`: unknown event `{name}`", where=where, hint=make_hint(name, EVENTS))
        problems.append(f"{where}: no agent known here sends the event `{name}`; the hook waits for it")
    return tuple(dict.fromkeys(names))


def _make_handler(entry: RegistryEntry, where: str, place: DeclarationFile) -> Handler:
    given = [key for key in HANDLER_KEYS if getattr(entry, key)]
    if len(given) != 1:
        found = f"has {' and '.join(given)}" if given else "has nothing to run"
        raise DeclarationError(found, where=where, hint="give exactly one of script, command, url, python")
    if entry.url:
        return HttpEndpoint(check_url(entry.url, where))
    if entry.command:
        # A project's command always runs at its root: what was trusted there is what runs.
        cwd = place.root if place.scope == "project" else ""
        return Command(shell=check_text(entry.command, where, "command"), cwd=cwd)
    if entry.python:
        file, function = split_function(entry.python, where, "python")
        return PythonFunction(_locate_file(file, where, "python", place), function)
    return Command(argv=(_locate_file(entry.script, where, "script", place),))


def _locate_file(path: str, where: str, key: str, place: DeclarationFile) -> str:
    """An absolute path as it is. A relative one is read from the repository's root: it lies elsewhere for everybody."""
    check_text(path, where, key)
    if path.startswith("/"):
        return path
    if place.scope == "project":
        return resolve_inside(path, place, f"{where}: `{key}`")
    meant = os.path.normpath(Path(place.root, path))
    raise DeclarationError(f"`{key}`: `{path}` is not absolute", where=where, hint=f'write {key} = "{meant}"')


def _make_label(entry: RegistryEntry) -> str:
    words = (entry.script or entry.python or entry.url or entry.command).split()
    return (entry.script or words[0]).rstrip("/").rpartition("/")[2] if words else "hook"
