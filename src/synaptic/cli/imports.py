"""Take over hooks from an agent's settings, with a record of both files so that it can be undone exactly."""

from contextlib import nullcontext
from pathlib import Path
from typing import Any

import msgspec
import tomlkit
from tomlkit.exceptions import TOMLKitError

from synaptic.agents.base import WantedEntries
from synaptic.agents.claude.entries import SHAPE, wanted_entries
from synaptic.agents.shared.jsontext import New, append, apply, scan
from synaptic.agents.shared.ours import Plan
from synaptic.agents.shared.settings import install, uninstall
from synaptic.cli import foreign
from synaptic.cli.foreign import Foreign
from synaptic.files.replace import delete, make_folders, read, replace
from synaptic.model.errors import DeclarationError, SettingsError
from synaptic.model.home import Home
from synaptic.setup import record, settings
from synaptic.setup.record import SettingsMark, locked

PREFIX = "imported"


class Scope(msgspec.Struct, frozen=True):
    """From which settings into which registry."""

    settings: Path
    registry: Path


class Import(msgspec.Struct, frozen=True, kw_only=True):
    """One take-over: both files before and after, without our own entries, and what was moved."""

    settings: str
    registry: str
    before: str
    after: str
    registry_before: str | None
    registry_after: str
    entries: tuple[dict[str, Any], ...]
    groups: tuple[tuple[str, dict[str, Any]], ...]
    """Event and matcher group of each hook, for a file that was edited in the meantime."""

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(str(entry["id"]) for entry in self.entries)


class Taken(msgspec.Struct, frozen=True):
    """The outcome of a take-over: what moved, and what has to stay."""

    moved: Import | None
    staying: list[Foreign]


def record_file(home: Home) -> Path:
    return home.root / "imports.json"


def done(home: Home) -> list[Import]:
    """List the take-overs that have not been undone, oldest first."""
    try:
        return msgspec.json.decode(read(record_file(home)) or b"[]", type=list[Import])
    except msgspec.DecodeError as error:
        raise SettingsError(
            f"is damaged: {error}", where=str(record_file(home)), hint="restore or delete it"
        ) from error


def take(home: Home, scope: Scope, dry_run: bool = False) -> Taken:
    """Move the hooks that can be moved; returns what was moved and what stays."""
    with nullcontext() if dry_run else locked(home):
        bare = _bare(home, scope.settings)
        hooks = foreign.found(bare, str(home.dispatch)) if bare else []
        movable = [one for one in hooks if not foreign.refusal(one)]
        staying = [one for one in hooks if foreign.refusal(one)]
        if not movable or bare is None:
            return Taken(None, staying)
        moved = _planned(scope, bare, movable)
        if not dry_run:
            # The record first, so that whatever is interrupted can be undone. The registry before the settings: for a
            # moment a hook may run twice, but never not at all.
            _save(home, [*done(home), moved])
            make_folders(scope.registry.parent)
            replace(scope.registry, moved.registry_after.encode(), 0o644)
            _write(home, scope.settings, moved.after)
        return Taken(moved, staying)


def put_back(home: Home, one: Import) -> bool:
    """Undo one take-over; whether the settings are again what they were, byte for byte."""
    with locked(home):
        path = Path(one.settings)
        bare = _bare(home, path)
        exact = bare == one.after
        make_folders(path.parent)
        _write(home, path, one.before if exact else _appended(bare or "{}", one))
        _clear(one)
        _save(home, [other for other in done(home) if other != one])
    return exact


def _planned(scope: Scope, bare: str, movable: list[Foreign]) -> Import:
    registry = _text(scope.registry)
    document = _document(registry or "", scope.registry)
    taken = {str(entry.get("id")) for entry in document.get("hook", [])}
    entries: list[dict[str, Any]] = []
    for one in movable:
        number = 1
        # Ids of an earlier take-over are still in the registry.
        while (name := f"{PREFIX}:{one.event}:{number}") in taken:
            number += 1
        taken.add(name)
        entries.append(foreign.translated(one, name))
    return Import(
        settings=str(scope.settings),
        registry=str(scope.registry),
        before=bare,
        after=foreign.without(bare, movable),
        registry_before=registry,
        registry_after=_extended(registry or "", entries, scope.registry),
        entries=tuple(entries),
        groups=tuple((one.event, _group(one)) for one in movable),
    )


def _group(one: Foreign) -> dict[str, Any]:
    return {**({} if one.matcher is None else {"matcher": one.matcher}), "hooks": [one.hook]}


def _text(path: Path) -> str | None:
    raw = read(path)
    try:
        return None if raw is None else raw.decode()
    except UnicodeDecodeError as error:
        raise SettingsError(f"is not UTF-8 (byte {error.start})", where=str(path), hint="correct it first") from error


def _document(text: str, path: Path) -> tomlkit.TOMLDocument:
    try:
        return tomlkit.parse(text)
    except TOMLKitError as error:
        raise DeclarationError(f"is no valid TOML: {error}", where=str(path), hint="correct it first") from None


def _extended(text: str, entries: list[dict[str, Any]], path: Path) -> str:
    gap = "" if not text or text.endswith("\n\n") else "\n" if text.endswith("\n") else "\n\n"
    after = text + gap + "\n".join(f"[[hook]]\n{tomlkit.dumps(entry)}" for entry in entries)
    _document(after, path)  # a registry that writes its hooks in another form cannot be added to
    return after


def _bare(home: Home, path: Path) -> str | None:
    """Read the settings without our own entries, exactly as they were before those were added."""
    text = _text(path)
    if text is None:
        return None
    mark = record.load(home).settings.get(str(path))
    try:
        return uninstall(text, WantedEntries(SHAPE, str(home.dispatch), {}), mark.undo if mark else None)
    except SettingsError as error:
        raise SettingsError(error.message, where=str(path), hint="correct the file first") from error


def _write(home: Home, path: Path, text: str) -> None:
    """Write the text, with our own entries if they were there. One write: an agent never reads half of it."""
    known = record.load(home)
    mark, token = known.settings.get(str(path)), settings.read_token(home)
    if mark is None or token is None:
        replace(path, text.encode())
        return
    choices = known.choices
    plan = Plan(str(home.dispatch), token, choices.fail == "closed", choices.http)
    edited = install(text, wanted_entries(plan))
    if edited is None:
        raise SettingsError("already holds our entries", where=str(path), hint="type: synaptic doctor")
    record.mark_settings(home, path, SettingsMark(edited.undo, mark.folders))
    replace(path, edited.text.encode())


def _appended(text: str, one: Import) -> str:
    """Append the hooks at the end of their events, for a file that was edited since the take-over."""
    for event, group in one.groups:
        mark = text[: len(text) - len(text.removeprefix(foreign.MARK))]
        body = text[len(mark) :]
        root = scan(body)
        hooks = root.members("hooks")
        events = hooks[0].value.members(event) if hooks else []
        if events:
            edit = append(body, events[0].value, [New(group)])
        elif hooks:
            edit = append(body, hooks[0].value, [New([group], event)])
        else:
            edit = append(body, root, [New({event: [group]}, "hooks")])
        text = mark + apply(body, [edit])
    return text


def _clear(one: Import) -> None:
    """Take our entries out of the registry again."""
    path = Path(one.registry)
    text = _text(path)
    if text is None:
        return
    # Nobody has edited it since: the exact bytes come back. Else only our entries are taken out.
    if text == one.registry_after:
        if one.registry_before is None:
            delete(path)
        else:
            replace(path, one.registry_before.encode())
        return
    document = _document(text, path)
    for entry in [entry for entry in document.get("hook", []) if entry.get("id") in one.ids]:
        document["hook"].remove(entry)
    replace(path, tomlkit.dumps(document).encode())


def _save(home: Home, imports: list[Import]) -> None:
    if imports:
        replace(record_file(home), msgspec.json.encode(imports))
    else:
        delete(record_file(home))
