"""Take over hooks from an agent's settings, with a record of both files so that it can be undone exactly."""

from contextlib import nullcontext
from pathlib import Path
from typing import Any

import msgspec
import tomlkit
from tomlkit.exceptions import TOMLKitError

from synaptic.agents.base import WantedEntries
from synaptic.agents.claude.entries import CLAUDE_SHAPE, build_wanted_entries
from synaptic.agents.shared import record
from synaptic.agents.shared.jsontext import NewItem, append_items, apply_edits, scan_json
from synaptic.agents.shared.ours import EntryPlan
from synaptic.agents.shared.record import SettingsMark, lock_bootstrap
from synaptic.agents.shared.settings import install_entries, uninstall_entries
from synaptic.cli import foreign
from synaptic.cli.foreign import ForeignHook
from synaptic.files.place import drop_file, place_file
from synaptic.files.replace import delete_file, read_file, replace_file
from synaptic.model.errors import DeclarationError, SettingsError
from synaptic.model.home import Home
from synaptic.setup import settings

IMPORT_PREFIX = "imported"


class ImportScope(msgspec.Struct, frozen=True):
    """From which settings into which registry."""

    settings: Path
    registry: Path
    project: Path | None = None
    """Whose files both are; None for the user's own."""


class HookImport(msgspec.Struct, frozen=True, kw_only=True):
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
    project: str = ""

    @property
    def root(self) -> Path | None:
        return Path(self.project) if self.project else None

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(str(entry["id"]) for entry in self.entries)


class ImportOutcome(msgspec.Struct, frozen=True):
    """The outcome of a take-over: what moved, and what has to stay."""

    moved: HookImport | None
    staying: list[ForeignHook]


def locate_imports(home: Home) -> Path:
    return home.root / "imports.json"


def list_imports(home: Home) -> list[HookImport]:
    """List the take-overs that have not been undone, oldest first."""
    try:
        return msgspec.json.decode(read_file(locate_imports(home)) or b"[]", type=list[HookImport])
    except msgspec.DecodeError as error:
        raise SettingsError(
            f"is damaged: {error}", where=str(locate_imports(home)), hint="restore or delete it"
        ) from error


def take_over_hooks(home: Home, scope: ImportScope, dry_run: bool = False) -> ImportOutcome:
    """Move the hooks that can be moved; returns what was moved and what stays."""
    with nullcontext() if dry_run else lock_bootstrap(home):
        bare = _read_bare_settings(home, scope.settings)
        hooks = foreign.find_foreign_hooks(bare, str(home.dispatch)) if bare else []
        movable = [one for one in hooks if not foreign.explain_refusal(one)]
        staying = [one for one in hooks if foreign.explain_refusal(one)]
        if not movable or bare is None:
            return ImportOutcome(None, staying)
        moved = _plan_import(scope, bare, movable)
        if not dry_run:
            # The record first, so that whatever is interrupted can be undone. The registry before the settings: for a
            # moment a hook may run twice, but never not at all.
            _save_imports(home, [*list_imports(home), moved])
            place_file(scope.project, scope.registry, moved.registry_after.encode())
            _write_settings(home, scope.project, scope.settings, moved.after)
        return ImportOutcome(moved, staying)


def undo_import(home: Home, one: HookImport) -> bool:
    """Undo one take-over; whether the settings are again what they were, byte for byte."""
    with lock_bootstrap(home):
        path = Path(one.settings)
        bare = _read_bare_settings(home, path)
        exact = bare == one.after
        _write_settings(home, one.root, path, one.before if exact else _append_hooks(bare or "{}", one))
        _clear_registry(one)
        _save_imports(home, [other for other in list_imports(home) if other != one])
    return exact


def _plan_import(scope: ImportScope, bare: str, movable: list[ForeignHook]) -> HookImport:
    registry = _read_text(scope.registry)
    document = _parse_registry(registry or "", scope.registry)
    taken = {str(entry.get("id")) for entry in document.get("hook", [])}
    entries: list[dict[str, Any]] = []
    for one in movable:
        number = 1
        # Ids of an earlier take-over are still in the registry.
        while (name := f"{IMPORT_PREFIX}:{one.event}:{number}") in taken:
            number += 1
        taken.add(name)
        entries.append(foreign.translate_hook(one, name))
    return HookImport(
        settings=str(scope.settings),
        project=str(scope.project or ""),
        registry=str(scope.registry),
        before=bare,
        after=foreign.cut_hooks(bare, movable),
        registry_before=registry,
        registry_after=_extend_registry(registry or "", entries, scope.registry),
        entries=tuple(entries),
        groups=tuple((one.event, _make_group(one)) for one in movable),
    )


def _make_group(one: ForeignHook) -> dict[str, Any]:
    return {**({} if one.matcher is None else {"matcher": one.matcher}), "hooks": [one.hook]}


def _read_text(path: Path) -> str | None:
    raw = read_file(path)
    try:
        return None if raw is None else raw.decode()
    except UnicodeDecodeError as error:
        raise SettingsError(f"is not UTF-8 (byte {error.start})", where=str(path), hint="correct it first") from error


def _parse_registry(text: str, path: Path) -> tomlkit.TOMLDocument:
    try:
        return tomlkit.parse(text)
    except TOMLKitError as error:
        raise DeclarationError(f"is no valid TOML: {error}", where=str(path), hint="correct it first") from None


def _extend_registry(text: str, entries: list[dict[str, Any]], path: Path) -> str:
    gap = "" if not text or text.endswith("\n\n") else "\n" if text.endswith("\n") else "\n\n"
    after = text + gap + "\n".join(f"[[hook]]\n{tomlkit.dumps(entry)}" for entry in entries)
    _parse_registry(after, path)  # a registry that writes its hooks in another form cannot be added to
    return after


def _read_bare_settings(home: Home, path: Path) -> str | None:
    """Read the settings without our own entries, exactly as they were before those were added."""
    text = _read_text(path)
    if text is None:
        return None
    mark = record.load_record(home).settings.get(str(path))
    try:
        return uninstall_entries(text, WantedEntries(CLAUDE_SHAPE, str(home.dispatch), {}), mark.undo if mark else None)
    except SettingsError as error:
        raise SettingsError(error.message, where=str(path), hint="correct the file first") from error


def _write_settings(home: Home, project: Path | None, path: Path, text: str) -> None:
    """Write the text, with our own entries if they were there. One write: an agent never reads half of it."""
    known = record.load_record(home)
    mark, token = known.settings.get(str(path)), settings.read_token(home)
    if mark is None or token is None:
        place_file(project, path, text.encode(), 0o600)
        return
    choices = known.choices
    plan = EntryPlan(str(home.dispatch), token, choices.fail == "closed", choices.http)
    edited = install_entries(text, build_wanted_entries(plan))
    if edited is None:
        raise SettingsError("already holds our entries", where=str(path), hint="type: synaptic doctor")
    record.mark_settings(home, path, SettingsMark(edited.undo, mark.folders))
    place_file(project, path, edited.text.encode(), 0o600)


def _append_hooks(text: str, one: HookImport) -> str:
    """Append the hooks at the end of their events, for a file that was edited since the take-over."""
    for event, group in one.groups:
        mark = text[: len(text) - len(text.removeprefix(foreign.BYTE_ORDER_MARK))]
        body = text[len(mark) :]
        root = scan_json(body)
        hooks = root.find_members("hooks")
        events = hooks[0].value.find_members(event) if hooks else []
        if events:
            edit = append_items(body, events[0].value, [NewItem(group)])
        elif hooks:
            edit = append_items(body, hooks[0].value, [NewItem([group], event)])
        else:
            edit = append_items(body, root, [NewItem({event: [group]}, "hooks")])
        text = mark + apply_edits(body, [edit])
    return text


def _clear_registry(one: HookImport) -> None:
    """Take our entries out of the registry again."""
    path = Path(one.registry)
    text = _read_text(path)
    if text is None:
        return
    # Nobody has edited it since: the exact bytes come back. Else only our entries are taken out.
    if text == one.registry_after:
        if one.registry_before is None:
            drop_file(one.root, path)
        else:
            place_file(one.root, path, one.registry_before.encode())
        return
    document = _parse_registry(text, path)
    for entry in [entry for entry in document.get("hook", []) if entry.get("id") in one.ids]:
        document["hook"].remove(entry)
    place_file(one.root, path, tomlkit.dumps(document).encode())


def _save_imports(home: Home, imports: list[HookImport]) -> None:
    if imports:
        replace_file(locate_imports(home), msgspec.json.encode(imports))
    else:
        delete_file(locate_imports(home))
