"""Edit a config file: switch presets and policies, set one value. Comments and everything else in it stay."""

from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import Item

from synaptic.files.place import place_file
from synaptic.files.replace import read_file
from synaptic.files.toml import parse_toml
from synaptic.hooks.config import Config, is_always_enforced, is_enabled, parse_config_text
from synaptic.hooks.nearest import make_hint
from synaptic.model.errors import DeclarationError
from synaptic.model.hook import Mode
from synaptic.model.presets import PRESETS
from synaptic.policies.base import load_policies

GIVEN_TEXT = Path("config.toml")
"""How a config is named that is no file."""


def enable_policies(
    path: Path, names: Iterable[str], project: Path | None = None, outside: Collection[str] = ()
) -> bool:
    """Switch on `@preset`s and policies by id, in the user's file or in a project's. True when the file changed.

    `outside` are the ids of policies that are not built in.
    """
    _check_names(names, outside)
    return _switch_names(path, names, True, project)


def disable_policies(
    path: Path, names: Iterable[str], project: Path | None = None, outside: Collection[str] = ()
) -> bool:
    """Switch off `@preset`s and policies by id. True when the file changed."""
    _check_names(names, outside)
    return _switch_names(path, names, False, project)


def set_modes(path: Path, names: Iterable[str], mode: Mode, project: Path | None = None) -> bool:
    """Give `@preset`s and policies a mode, and switch on what is off. True when the file changed."""
    wanted = tuple(names)
    check_modes(wanted, mode)
    before = _read_text(path)
    document = _parse_document(before, path)
    for name in wanted:
        _set_mode(document, name, mode, path)
    for name in wanted:
        if name[0] == "@":
            _switch_preset(document, name[1:], True, path)
        elif not _is_on(document, name, project):
            _switch_policy(document, name, True, path)
    return _write_text(path, before, tomlkit.dumps(document), project)


def check_modes(names: Iterable[str], mode: Mode) -> None:
    """Raises DeclarationError for a name that is none, and for what may not have this mode."""
    wanted = tuple(names)
    _check_names(wanted, ())
    if own := [name for name in wanted if mode != "enforce" and is_always_enforced(name)]:
        raise DeclarationError(f"{own[0]} guards Synaptic itself and is always enforced")


def _set_mode(document: tomlkit.TOMLDocument, name: str, mode: Mode, path: Path) -> None:
    if name[0] != "@":
        _open_policy_table(document, name, path)["mode"] = mode
        return
    if "modes" not in document:
        document["modes"] = tomlkit.table()
    _expect_kind(document["modes"], dict, path, "modes")[name] = mode


def _is_on(document: tomlkit.TOMLDocument, name: str, project: Path | None) -> bool:
    """Whether this file alone switches a policy on; a project's has no presets unless it names them."""
    values = parse_config_text(tomlkit.dumps(document).encode(), "").values
    return is_enabled(load_policies()[name], Config(**({"presets": (), **values} if project else values)))


def _switch_names(path: Path, names: Iterable[str], on: bool, project: Path | None) -> bool:
    wanted = tuple(names)
    before = _read_text(path)
    document = _parse_document(before, path)
    for name in wanted:
        _switch_preset(document, name[1:], on, path) if name[0] == "@" else _switch_policy(document, name, on, path)
    return _write_text(path, before, tomlkit.dumps(document), project)


def switch_in_text(text: str, names: Iterable[str], *, on: bool) -> str:
    """A config's text with `@preset`s and built-in policies switched. Raises DeclarationError for an unknown name."""
    wanted = tuple(names)
    _check_names(wanted, ())
    document = _parse_document(text, GIVEN_TEXT)
    for name in wanted:
        switch = _switch_preset if name[0] == "@" else _switch_policy
        switch(document, name.removeprefix("@"), on, GIVEN_TEXT)
    return tomlkit.dumps(document)


def assign_in_text(text: str, key: str, value: str) -> str:
    """A config's text with one dotted key set. Raises DeclarationError for a wrong key or value."""
    known = parse_config_text(text.encode(), str(GIVEN_TEXT)).problems
    after = _assign_value(text, GIVEN_TEXT, key, value)
    if problems := [one for one in parse_config_text(after.encode(), str(GIVEN_TEXT)).problems if one not in known]:
        raise DeclarationError(problems[0], hint="synaptic config schema")
    return after


def set_value(path: Path, key: str, value: str, project: Path | None = None) -> bool:
    """Set a dotted key; True when the file changed. For a wrong value DeclarationError, and the file as it was."""
    before = _read_text(path)
    known = parse_config_text(before.encode(), str(path)).problems
    after = _assign_value(before, path, key, value)
    # Problems that were there before must not keep anybody from setting something else.
    if problems := [text for text in parse_config_text(after.encode(), str(path)).problems if text not in known]:
        raise DeclarationError(f"not written: {problems[0]}", hint="synaptic config schema")
    return _write_text(path, before, after, project)


def _read_text(path: Path) -> str:
    try:
        return (read_file(path) or b"").decode()
    except UnicodeDecodeError as error:
        raise DeclarationError(f"is not UTF-8 (byte {error.start})", where=str(path), hint="correct it") from None


def _write_text(path: Path, before: str, after: str, project: Path | None) -> bool:
    if after == before:
        return False
    place_file(project, path, after.encode())
    return True


def _check_names(names: Iterable[str], outside: Collection[str]) -> None:
    # All names first: an unknown one must not leave half of the switches written.
    presets = tuple(f"@{preset}" for preset in PRESETS)
    for name in names:
        known = presets if name.startswith("@") else (*load_policies(), *outside)
        if name not in known:
            raise DeclarationError(f"there is no `{name}` to switch", hint=make_hint(name, known))


def _parse_document(text: str, path: Path) -> tomlkit.TOMLDocument:
    try:
        parse_toml(text)  # first: what is refused there would take long or too deep a stack here
        return tomlkit.parse(text)
    except (ValueError, TOMLKitError) as error:
        raise DeclarationError(f"is no valid TOML and stays as it is: {error}", where=str(path)) from None


def _switch_preset(document: tomlkit.TOMLDocument, name: str, on: bool, path: Path) -> None:
    if "presets" not in document:
        # The defaults are written out: a list with only the new preset would switch the default ones off.
        document["presets"] = list(Config().presets)
    presets = _expect_kind(document["presets"], list, path, "presets")
    if on and name not in presets:
        presets.append(name)
    if not on and name in presets:
        presets.remove(name)


def _switch_policy(document: tomlkit.TOMLDocument, name: str, on: bool, path: Path) -> None:
    _open_policy_table(document, name, path)["enabled"] = on


def _open_policy_table(document: tomlkit.TOMLDocument, name: str, path: Path) -> Any:
    if "policies" not in document:
        document["policies"] = tomlkit.table(is_super_table=True)
    tables = _expect_kind(document["policies"], dict, path, "policies")
    if name not in tables:
        tables[name] = tomlkit.table()
    return _expect_kind(tables[name], dict, path, f'policies."{name}"')


def _expect_kind(value: Any, kind: type, path: Path, key: str) -> Any:
    # A hand-written `presets = "strict"` is reported, not replaced by a list: the file is the user's.
    if not isinstance(value, kind):
        raise DeclarationError(f"`{key}` is no {'list' if kind is list else 'table'}", where=str(path))
    return value


def _assign_value(before: str, path: Path, key: str, value: str) -> str:
    try:
        document = tomlkit.parse(before)
        parts = _split_key(key)
        table: Any = document
        for part in parts[:-1]:
            table = table.setdefault(part, tomlkit.table())
        table[parts[-1]] = _read_value(value)
        return tomlkit.dumps(document)
    except (TOMLKitError, TypeError, AttributeError) as error:
        raise DeclarationError(f"`{key}` cannot be set: {error}", where=str(path)) from None


def _split_key(key: str) -> list[str]:
    """The names in a dotted key, as TOML reads it: one in quotes may hold dots."""
    parts: list[str] = []
    table: Any = tomlkit.parse(f"{key} = 0").unwrap()
    while isinstance(table, dict):
        ((name, table),) = table.items()
        parts.append(name)
    return parts


def _read_value(text: str) -> Item:
    """A TOML value, or the words themselves: nobody should have to quote twice in a shell."""
    try:
        return tomlkit.value(text)
    except TOMLKitError:
        return tomlkit.item(text)
