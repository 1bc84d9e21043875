"""Write `[[rule]]` tables into config.toml or rules.toml, and take one out. What people wrote there stays as it is."""

import contextlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
import tomlkit
from tomlkit.items import Item

from synaptic.files.lock import hold_lock
from synaptic.files.place import place_file
from synaptic.files.replace import make_folders, read_file
from synaptic.files.toml import parse_toml
from synaptic.hooks.nearest import make_hint
from synaptic.hooks.rules.parse import PROJECT_RULES, PROJECT_RULES_BYTES
from synaptic.hooks.table_text import split_at_tables
from synaptic.model.errors import DeclarationError

RULE_TABLE = "rule"
ORIGIN_MARK = "# from "
"""How the line begins that says where a rule is from."""
MAX_LINE_CHARS = 100
"""A list that is longer stands on several lines."""


class RuleFile(msgspec.Struct, frozen=True):
    """A file that holds rules, and whose it is."""

    path: Path
    lock: Path
    """Among the user's own files: a project is not littered with locks."""
    project: Path | None = None
    """Root of the project; None for the user's own file."""

    def read(self) -> str:
        try:
            return (read_file(self.path) or b"").decode()
        except UnicodeDecodeError as error:
            where, hint = str(self.path), "correct it"
            raise DeclarationError(f"is not UTF-8 (byte {error.start})", where=where, hint=hint) from None

    @contextlib.contextmanager
    def hold(self) -> Iterator[None]:
        """Let one process at a time edit rules."""
        make_folders(self.lock.parent, 0o700)
        with hold_lock(self.lock):
            yield


class WrittenRule(msgspec.Struct, frozen=True):
    """A rule to be written: its keys in their order, and where it is from."""

    keys: Mapping[str, Any]
    origin: str = ""


def list_rule_tables(text: str, where: str = "") -> list[dict[str, Any]]:
    """Every `[[rule]]` in order, as it stands there. Raises DeclarationError for a text that is no TOML."""
    try:
        found = parse_toml(text).get(RULE_TABLE, [])
    except ValueError as error:
        raise DeclarationError(f"is no valid TOML and stays as it is: {error}", where=where) from None
    if not isinstance(found, list) or not all(isinstance(table, dict) for table in found):
        raise DeclarationError("`rule` must be written `[[rule]]`, once for each rule", where=where)
    return found


def add_rules(file: RuleFile, rules: Iterable[WrittenRule]) -> None:
    """Append rules at the end of the file."""
    with file.hold():
        text = append_rules(file.read(), list(rules), str(file.path))
        # The engine reads no more of a project, and nothing at all of a file that is larger.
        if file.project and (len(text.encode()) > PROJECT_RULES_BYTES or text.count("[[rule]]") > PROJECT_RULES):
            limit = f"{PROJECT_RULES_BYTES >> 10} KiB and {PROJECT_RULES} rules"
            raise DeclarationError(f"would be larger than {limit}", where=str(file.path), hint="take some out first")
        _place(file, text)


def remove_rule(file: RuleFile, name: str) -> None:
    """Take the rule of this id out, with the comment directly above it."""
    with file.hold():
        _place(file, cut_rule(file.read(), name, str(file.path)))


def append_rules(text: str, rules: list[WrittenRule], where: str = "") -> str:
    """The text with these rules behind it."""
    expected = [*list_rule_tables(text, where), *(dict(rule.keys) for rule in rules)]
    gap = "" if not text or text.endswith("\n\n") else "\n" if text.endswith("\n") else "\n\n"
    return _prove_text(text + gap + "\n".join(map(write_rule, rules)), expected, where)


def cut_rule(text: str, name: str, where: str = "") -> str:
    """The text without the rule of this id."""
    tables = list_rule_tables(text, where)
    ids = [str(table.get("id", "")) for table in tables]
    if name not in ids:
        hint = make_hint(name, filter(None, ids)) if any(ids) else "synaptic rule list"
        raise DeclarationError(f"there is no rule `{name}`", where=where, hint=hint)
    parts = split_at_tables(RULE_TABLE, text, len(tables), where)
    number = ids.index(name)
    parts.drop(number, ORIGIN_MARK)
    return _prove_text(parts.join(), [*tables[:number], *tables[number + 1 :]], where)


def write_rule(rule: WrittenRule) -> str:
    """The table as a person would write it."""
    comment = f"{ORIGIN_MARK}{' '.join(rule.origin.split())}\n" if rule.origin else ""
    lines = (f"{key} = {_write_value(value).as_string()}\n" for key, value in rule.keys.items())
    return f"{comment}[[{RULE_TABLE}]]\n{''.join(lines)}"


def _write_value(value: Any) -> Item:
    if isinstance(value, str):
        return _write_text(value)
    if isinstance(value, Mapping):
        table = tomlkit.inline_table()
        for key, one in value.items():
            table[key] = _write_value(one)
        return table
    if isinstance(value, list | tuple):
        array = tomlkit.array()
        for one in value:
            array.append(_write_value(one))
        array.multiline(len(array.as_string()) > MAX_LINE_CHARS)
        return array
    item: Item = tomlkit.item(value)
    return item


def _write_text(text: str) -> Item:
    """Several lines as such, and a pattern without doubled backslashes, where TOML has a form for it."""
    if "\n" in text and "\r" not in text and "'''" not in text and '"""' not in text and "\\" not in text:
        return tomlkit.string(text, multiline=True)
    if ("\\" in text or '"' in text) and "'" not in text and text.isprintable():
        return tomlkit.string(text, literal=True)
    return tomlkit.string(text)


def _prove_text(text: str, expected: list[dict[str, Any]], where: str) -> str:
    """The new text, if it says what was meant and nothing else; the file stays as it is when it does not."""
    try:
        said = parse_toml(text).get(RULE_TABLE, [])
    except ValueError as error:
        hint = "write each rule as a table that begins with `[[rule]]`"
        raise DeclarationError(f"cannot be edited safely: {error}", where=where, hint=hint) from None
    if said != msgspec.to_builtins(expected):
        raise DeclarationError("cannot be edited safely and stays as it is", where=where, hint="write it plainly")
    return text


def _place(file: RuleFile, text: str) -> None:
    place_file(file.project, file.path, text.encode())
