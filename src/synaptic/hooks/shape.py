"""Convert a declaration's table to a typed value, with error messages that name the key."""

import re
from typing import Any, TypeVar

import msgspec

from synaptic.hooks.nearest import hint, nearest
from synaptic.model.errors import DeclarationError

T = TypeVar("T", bound=msgspec.Struct)
STRANGERS = 20
"""Upper bound of unknown keys reported for one table; beyond it the table is refused."""
PLACE = re.compile(r" - at `(?:key in )?\$\.?([^`]*)`$")


def shaped(table: object, shape: type[T], where: str) -> T:
    """Convert a table to `shape`; unknown keys are left out."""
    if not isinstance(table, dict):
        raise DeclarationError("expected a table of keys and values", where=where)
    known = {key: value for key, value in table.items() if key in shape.__struct_fields__}
    value: T = converted(known, shape, where)
    return value


def converted(value: object, kind: Any, where: str) -> Any:
    """Convert a value to `kind`; the error says which key has which wrong type."""
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        text = str(error)
        place = PLACE.search(text)
        key = f"`{place[1]}`: " if place and place[1] else ""
        message = PLACE.sub("", text)
        raise DeclarationError(f"{key}{message[:1].lower()}{message[1:]}", where=where) from None


def strangers(table: dict[Any, Any], shape: type[msgspec.Struct]) -> list[str]:
    """List the keys that `shape` does not know, in their order."""
    return [str(key) for key in table if key not in shape.__struct_fields__]


def refuse_typos(table: dict[Any, Any], shape: type[msgspec.Struct], where: str) -> list[str]:
    """Refuse a key that resembles a known one (a typo would change what the hook does); other keys give a warning."""
    told = []
    unknown = strangers(table, shape)
    if len(unknown) > STRANGERS:
        raise DeclarationError(f"has {len(unknown)} unknown keys, `{unknown[0]}` first", where=where)
    for key in unknown:
        if nearest(key, shape.__struct_fields__):
            raise DeclarationError(f"unknown key `{key}`", where=where, hint=hint(key, shape.__struct_fields__))
        told.append(f"{where}: unknown key `{key}` is ignored")
    return told
