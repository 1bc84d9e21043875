"""Every key of every file a person writes: config.toml, registry.toml, YAML hooks; and the JSON Schema of the first."""

import json
from collections.abc import Iterator
from typing import get_type_hints

import msgspec

from docs.pages.table import HEADER, code, table, type_name
from synaptic.hooks.config import Config, HttpConfig
from synaptic.hooks.handler import HandlerTable
from synaptic.hooks.rules.entry import RuleEntry
from synaptic.hooks.schema import build_rules_schema, build_schema, read_field_docs
from synaptic.hooks.toml import RegistryEntry
from synaptic.hooks.yaml import HookDefinition, MatchTable

PATH = "docs/reference/config.md"
SCHEMA = "docs/reference/config.schema.json"
RULES_SCHEMA = "docs/reference/rules.schema.json"
PARTS: tuple[tuple[str, str, type[msgspec.Struct]], ...] = (
    (
        "config.toml",
        "`~/.synaptic/config.toml` is the user's. `<project>/.synaptic/config.toml` may set `presets` and `policies`,\n"
        "and only tighten.\nAn editor completes it with [config.schema.json](config.schema.json).",
        Config,
    ),
    ("[http] in config.toml", "", HttpConfig),
    (
        "[[rule]] in rules.toml and config.toml",
        "A project's rules stand in `<folder>/.synaptic/rules.toml`, yours in `~/.synaptic/config.toml`; see\n"
        "[the guide](../guide/rules.md). An editor completes them with [rules.schema.json](rules.schema.json).",
        RuleEntry,
    ),
    (
        "registry.toml",
        "One `[[hook]]` each, in `<project>/.synaptic/hooks/registry.toml` and `~/.synaptic/hooks/registry.toml`.\n"
        "Exactly one of `script`, `command`, `url`, `python` says what runs.",
        RegistryEntry,
    ),
    (
        "YAML hooks",
        "One file a hook, in `.system/hooks` and `.synaptic/hooks` of a project, and in `~/.synaptic/hooks`.",
        HookDefinition,
    ),
    ("handler in a YAML hook", "", HandlerTable),
    ("match in a YAML hook", "All that are present must hold.", MatchTable),
)


def pages() -> Iterator[tuple[str, str]]:
    """The page and the schema."""
    parts = ("\n\n".join(part for part in (f"## {title}", words, _keys(kind)) if part) for title, words, kind in PARTS)
    yield PATH, f"{HEADER}# Configuration\n\n" + "\n".join(parts)
    yield SCHEMA, json.dumps(build_schema(), indent=2, ensure_ascii=False) + "\n"
    yield RULES_SCHEMA, json.dumps(build_rules_schema(), indent=2, ensure_ascii=False) + "\n"


def _keys(kind: type[msgspec.Struct]) -> str:
    words, hints = read_field_docs(kind), get_type_hints(kind)
    rows = [
        (code(field.name), code(type_name(hints[field.name])), _default(field), words[field.name])
        for field in msgspec.structs.fields(kind)
    ]
    return table(("key", "type", "default", "meaning"), rows)


def _default(field: msgspec.structs.FieldInfo) -> str:
    if field.required:
        return "required"
    value = field.default_factory() if field.default is msgspec.NODEFAULT else field.default
    return "" if isinstance(value, msgspec.Struct) else code(msgspec.json.encode(value).decode())
