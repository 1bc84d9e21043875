"""The types of events and decisions for TypeScript, from the structs that the engine itself reads and writes."""

import inspect
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from msgspec import inspect as shapes

from synaptic.hooks.schema import read_field_docs
from synaptic.model.decision import Decision
from synaptic.model.event import EVENTS

PATH = "src/synaptic/agents/typescript/types.d.ts"
HEADER = "// Made by `make gen` from the engine's own structs: change docs/pages/typescript.py instead.\n"
NAMES: Mapping[type, str] = {
    shapes.StrType: "string",
    shapes.IntType: "number",
    shapes.FloatType: "number",
    shapes.BoolType: "boolean",
    shapes.NoneType: "null",
}
LEFT_OUT = {"Decision": ("effects",)}
"""Fields that leave the engine for nobody."""


def pages() -> Iterator[tuple[str, str]]:
    """The one file: events in, decisions out."""
    found: dict[type, str] = {}
    for kind in (*EVENTS.values(), Decision):
        _add_interface(kind, found)
    yield PATH, "\n".join((HEADER, *found.values(), _event_table()))


def _event_table() -> str:
    lines = "".join(f"  {name}: {name}\n" for name in EVENTS)
    return (
        "/** Every event by its name. Fields may be left out; a field that nobody knows reaches every hook. */\n"
        f"export interface Events {{\n{lines}}}\n\nexport type EventName = keyof Events\n"
    )


def _add_interface(kind: type, found: dict[type, str]) -> None:
    """One interface, after those that it needs."""
    if kind in found:
        return
    docs = read_field_docs(kind)
    shape = shapes.type_info(kind)
    assert isinstance(shape, shapes.StructType)
    fields = [one for one in shape.fields if one.name not in LEFT_OUT.get(kind.__name__, ())]
    lines = [f"{_comment(docs.get(one.name, ''), '  ')}  {_field(one)}: {_name(one.type, found)}\n" for one in fields]
    about = _comment(inspect.getdoc(kind) or "", "")
    found[kind] = f"{about}export interface {kind.__name__} {{\n{''.join(lines)}}}\n"


def _field(field: shapes.Field) -> str:
    return f"{field.encode_name}{'' if field.required else '?'}"


def _comment(text: str, indent: str) -> str:
    return f"{indent}/** {' '.join(text.split())} */\n" if text else ""


def _name(kind: shapes.Type, found: dict[type, str]) -> str:
    """A type of a field, in TypeScript."""
    if isinstance(kind, shapes.StructType):
        _add_interface(kind.cls, found)
        return kind.cls.__name__
    if isinstance(kind, shapes.EnumType):
        return _join_values(member.value for member in kind.cls)
    if isinstance(kind, shapes.LiteralType):
        return _join_values(kind.values)
    if isinstance(kind, shapes.UnionType):
        return " | ".join(_name(one, found) for one in kind.types)
    if isinstance(kind, shapes.DictType):
        return f"Record<{_name(kind.key_type, found)}, {_name(kind.value_type, found)}>"
    if isinstance(kind, shapes.ListType | shapes.VarTupleType | shapes.SetType | shapes.FrozenSetType):
        item = _name(kind.item_type, found)
        return f"({item})[]" if "|" in item else f"{item}[]"
    return NAMES.get(type(kind), "unknown")


def _join_values(values: Any) -> str:
    return " | ".join(msgspec.json.encode(value).decode() for value in values)
