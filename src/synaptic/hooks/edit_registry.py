"""Edit a skill's entries in a registry.toml: put in, renew, take out. Whatever people wrote there stays as it is."""

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import tomlkit
from tomlkit.exceptions import TOMLKitError

from synaptic.files.inside import name_inside
from synaptic.files.lock import hold_lock, hold_lock_inside
from synaptic.files.replace import make_folders
from synaptic.files.toml import parse_toml
from synaptic.hooks.table_text import split_at_tables
from synaptic.model.errors import DeclarationError

PERSONAL_KEYS = {"matcher": ".*", "priority": 50, "blocking": False}
"""Keys that a user may change in a package's entry, with their defaults."""


class RegistryLine(msgspec.Struct, frozen=True, kw_only=True):
    """One entry as a package wants it. `script` is absolute."""

    event: str
    script: str
    matcher: str = ".*"
    priority: int = 50
    blocking: bool = False


class EntryOwner(msgspec.Struct, frozen=True):
    """The skill and scope whose entries are edited. An entry without a scope belongs to its skill in any scope."""

    skill: str
    scope: str

    def owns(self, entry: dict[str, Any]) -> bool:
        return entry.get("skill") == self.skill and entry.get("scope", "") in ("", self.scope)

    def make_key(self, event: object, script: object) -> tuple[str, str]:
        """Make an entry's key: event and script path below its skill, the same wherever the project is."""
        return str(event), str(script).rpartition(f"/skills/{self.skill}/")[2]


def parse_entries(text: str, where: str = "") -> list[dict[str, Any]]:
    """Parse every `[[hook]]` in order. Raises DeclarationError for invalid TOML."""
    try:
        found = parse_toml(text).get("hook", [])
    except ValueError as error:
        raise DeclarationError(f"is no valid TOML and stays as it is: {error}", where=where) from None
    if not isinstance(found, list) or not all(isinstance(entry, dict) for entry in found):
        raise DeclarationError("`hook` must be written `[[hook]]`, once for each hook", where=where)
    return found


def upsert_entries(
    text: str, owner: EntryOwner, wanted: Sequence[RegistryLine], base: Sequence[RegistryLine] = (), where: str = ""
) -> str:
    """Edit the text so that it has exactly the wanted entries of this owner.

    An existing entry is updated in its place. Where it differs from `base`, what the package asked for last time,
    the user has changed it, and the change is kept.
    """
    before = parse_entries(text, where)
    parts = split_at_tables("hook", text, len(before), where)
    left = {owner.make_key(line.event, line.script): line for line in wanted}
    asked = {owner.make_key(line.event, line.script): line for line in base}
    after: list[dict[str, Any]] = []
    for number, entry in enumerate(before):
        if not owner.owns(entry):
            after.append(entry)
            continue
        key = owner.make_key(entry.get("event"), entry.get("script"))
        line = left.pop(key, None)
        if line is None:  # the package has this hook no more
            parts.drop(number)
            continue
        values = _find_changes(entry, line, asked.get(key))
        parts.change(number, values)
        after.append({**entry, **values})
    added = [_make_entry_values(line, owner) for line in left.values()]
    new = parts.join() + "".join(_write_table(values) for values in added)
    return _prove_text(new if text else new.lstrip("\n"), [*after, *added], where)


def withdraw_entries(text: str, owner: EntryOwner, where: str = "") -> str:
    """Remove this owner's entries from the text."""
    return upsert_entries(text, owner, (), (), where)


@contextlib.contextmanager
def lock_registry(project: Path | None, registry: Path) -> Iterator[None]:
    """Let one process at a time edit a project's registry, or the user's own. Its folder is created."""
    file = registry.parent / ".registry.lock"
    if project is None:
        make_folders(registry.parent)
    with hold_lock_inside(project, name_inside(project, file)) if project else hold_lock(file):
        yield


def _find_changes(entry: dict[str, Any], line: RegistryLine, base: RegistryLine | None) -> dict[str, Any]:
    """What has to change in an entry: a value that the user changed since the package asked for it stays theirs."""
    values: dict[str, Any] = {"script": line.script}
    for key, default in PERSONAL_KEYS.items():
        mine = entry.get(key, default)
        asked = getattr(base, key) if base is not None else getattr(line, key)
        wanted = getattr(line, key)
        # Still as the package asked last time, so the user has not changed it and the new default applies.
        if mine == asked and mine != wanted:
            values[key] = wanted
    return {key: value for key, value in values.items() if entry.get(key) != value}


def _make_entry_values(line: RegistryLine, owner: EntryOwner) -> dict[str, Any]:
    return {
        "event": line.event,
        "matcher": line.matcher,
        "skill": owner.skill,
        "script": line.script,
        "priority": line.priority,
        "blocking": line.blocking,
        "scope": owner.scope,
    }


def _write_table(values: dict[str, Any]) -> str:
    return "\n[[hook]]\n" + tomlkit.dumps(values)


def _prove_text(text: str, expected: list[dict[str, Any]], where: str) -> str:
    """The new text, if it says what was meant and nothing else; the file stays as it is when it does not."""
    try:
        said = parse_toml(text).get("hook", [])
    except (ValueError, TOMLKitError) as error:
        raise DeclarationError(f"cannot be edited safely: {error}", where=where, hint="write it plainly") from None
    if said != expected:
        raise DeclarationError("cannot be edited safely and stays as it is", where=where, hint="write it plainly")
    return text if text.strip() else ""
