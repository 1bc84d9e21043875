"""A bundle: what an organisation wants to hold on all of its machines, as its text says it."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from synaptic.files.toml import parse_toml
from synaptic.hooks.bundle_locks import read_locks
from synaptic.hooks.config import RULE_KEY, Config, ConfigFile, list_fields, read_config_table
from synaptic.hooks.nearest import make_hint
from synaptic.hooks.shape import convert_table, convert_value, list_unknown_keys
from synaptic.model.errors import DeclarationError

BUNDLE_LIMIT = 1 << 20
"""Bytes of a bundle's text."""
BUNDLE_NAME = re.compile(r"[a-z0-9][a-z0-9.-]{0,63}")
PERSON_NAME = re.compile(r"[\w][\w .@+-]{0,79}")
MINIMUM = re.compile(r"\d+(?:\.\d+){0,3}[\w.+-]{0,20}")
MOST_VERSION = (1 << 53) - 1
MOST_PEOPLE = 1000
OWN_KEYS = ("name", "version", "minimum", "locked", "people", RULE_KEY)
SETTINGS = ("presets", "modes", "policies", "trust", "fail", "journal", "grants")
"""Keys of the config of which it can be said what is stricter."""
KNOWN_KEYS = (*OWN_KEYS, *SETTINGS)


class Person(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody who may answer questions of other machines."""

    key: str
    """Their public key: one line that begins with RW."""
    grants: tuple[str, ...] = ()
    """Ids of policies, or globs, to which they may make exceptions."""


class Bundle(msgspec.Struct, frozen=True, kw_only=True):
    """A bundle as it was understood. None is taken in that has a problem; one that is there holds as far as it can."""

    name: str = ""
    version: int = 0
    minimum: str = ""
    """The least version of Synaptic."""
    settings: ConfigFile = ConfigFile()
    locked: frozenset[str] = frozenset()
    people: Mapping[str, Person] = {}
    text: bytes = b""
    problems: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        return f"bundle {self.name} {self.version}"


def parse_bundle(text: bytes, where: str = "") -> Bundle:
    """Understand a bundle's text. Never raises: what is wrong is a problem."""
    try:
        table = parse_toml(text)
    except ValueError as error:
        return Bundle(problems=(f"{where or 'the bundle'}: is no valid TOML: {error}",))
    name, version = _read_text(table, "name"), table.get("version")
    version = version if type(version) is int and 0 < version <= MOST_VERSION else 0
    place = where or (f"bundle {name} {version}" if BUNDLE_NAME.fullmatch(name) else "the bundle")
    problems = [*_iter_unknown(table, place), *_iter_head_problems(table, place)]
    settings = read_config_table({key: table[key] for key in SETTINGS if key in table}, place)
    people = _read_people(table.get("people", {}), place, problems)
    locked = read_locks(table.get("locked", []), place, problems)
    unknown = (f'{place}: policies."{name}": is not built in, and only its user sets it' for name in settings.outside)
    return Bundle(
        name=name if BUNDLE_NAME.fullmatch(name) else "",
        version=version,
        minimum=_read_text(table, "minimum"),
        settings=msgspec.structs.replace(settings, is_bundle=True),
        locked=locked,
        people=people,
        text=text,
        problems=(*problems, *settings.problems, *unknown),
    )


def _iter_unknown(table: Mapping[str, Any], place: str) -> Iterator[str]:
    for count, key in enumerate(key for key in table if key not in KNOWN_KEYS):
        if key in list_fields(Config):
            yield f"{place}: `{key}`: nobody can say which value is stricter, so only the user sets it"
        else:
            yield f"{place}: unknown key `{key[:80]}` ({make_hint(key, KNOWN_KEYS, count)})"


def _iter_head_problems(table: Mapping[str, Any], place: str) -> Iterator[str]:
    if not BUNDLE_NAME.fullmatch(_read_text(table, "name")):
        yield f"{place}: `name` must be a short name of small letters, such as `acme`"
    version = table.get("version")
    if type(version) is not int or not 0 < version <= MOST_VERSION:
        yield f"{place}: `version` must be a whole number from 1, larger with every bundle"
    minimum = table.get("minimum", "")
    if minimum != "" and not (isinstance(minimum, str) and MINIMUM.fullmatch(minimum)):
        yield f'{place}: `minimum` must be a version of Synaptic, such as "1.2"'


def _read_text(table: Mapping[str, Any], key: str) -> str:
    value = table.get(key, "")
    return value if isinstance(value, str) else ""


def _read_people(value: object, place: str, problems: list[str]) -> dict[str, Person]:
    try:
        tables = convert_value(value, dict[str, Any], f"{place}: people")
    except DeclarationError as error:
        problems.append(str(error))
        return {}
    if len(tables) > MOST_PEOPLE:
        problems.append(f"{place}: people: {len(tables)} are more than {MOST_PEOPLE}")
        return {}
    found = {}
    for name, table in tables.items():
        where = f'{place}: people."{name[:80]}"'
        try:
            found[name] = _read_person(name, table, where, problems)
        except DeclarationError as error:
            problems.append(str(error))
    return found


def _read_person(name: str, table: Any, where: str, problems: list[str]) -> Person:
    if not PERSON_NAME.fullmatch(name):
        raise DeclarationError("a name is letters, digits and . _ @ + -", where=where)
    person = convert_table(table, Person, where)
    for key in list_unknown_keys(table, Person):
        problems.append(f"{where}: unknown key `{key[:80]}` ({make_hint(key, Person.__struct_fields__)})")
    if not person.key.startswith("RW") or len(person.key) > 200:
        raise DeclarationError("`key` is a public key: one line that begins with RW", where=where)
    return person
