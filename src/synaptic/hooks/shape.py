"""Convert a declaration's table to a typed value, with error messages that name the key."""

import re
from typing import Any, TypeVar

import msgspec

from synaptic.hooks.nearest import find_nearest, make_hint
from synaptic.model.errors import DeclarationError

T = TypeVar("T", bound=msgspec.Struct)
MAX_UNKNOWN_KEYS = 20
"""Upper bound of unknown keys reported for one table; beyond it the table is refused."""
ERROR_PLACE = re.compile(r" - at `(?:key in )?\$\.?([^`]*)`$")


def convert_table(table: object, shape: type[T], where: str) -> T:
    """Convert a table to `shape`; unknown keys are left out."""
    if not isinstance(table, dict):
        raise DeclarationError("expected a table of keys and values", where=where)
    known = {key: value for key, value in table.items() if key in shape.__struct_fields__}
    value: T = convert_value(known, shape, where)
    return value


def convert_value(value: object, kind: Any, where: str) -> Any:
    """Convert a value to `kind`; the error says which key has which wrong type."""
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        text = str(error)
        place = ERROR_PLACE.search(text)
        key = f"`{place[1]}`: " if place and place[1] else ""
        message = ERROR_PLACE.sub("", text)
        raise DeclarationError(f"{key}{message[:1].lower()}{message[1:]}", where=where) from None


def list_unknown_keys(table: dict[Any, Any], shape: type[msgspec.Struct]) -> list[str]:
    """List the keys that `shape` does not know, in their order."""
    return [str(key) for key in table if key not in shape.__struct_fields__]


def refuse_typos(table: dict[Any, Any], shape: type[msgspec.Struct], where: str) -> list[str]:
    """Refuse a key that resembles a known one (a typo would change what the hook does); other keys give a warning."""
    told = []
    unknown = list_unknown_keys(table, shape)
    if len(unknown) > MAX_UNKNOWN_KEYS:
        raise DeclarationError(f"has {len(unknown)} unknown keys, `{unknown[0]}` first", where=where)
    for key in unknown:
        if find_nearest(key, shape.__struct_fields__):
            raise DeclarationError(f"unknown key `{key}`", where=where, hint=make_hint(key, shape.__struct_fields__))
        told.append(f"{where}: unknown key `{key}` is ignored")
    return told
