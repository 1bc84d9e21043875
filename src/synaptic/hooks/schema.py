"""Build the JSON Schema of `config.toml` with every policy's options; descriptions are the field docstrings."""

import ast
import inspect
import textwrap
from itertools import pairwise
from typing import Any

import msgspec

from synaptic.hooks.config import RULE_KEY, Config, HttpConfig, is_always_enforced, list_fields
from synaptic.hooks.rules.entry import RuleEntry
from synaptic.model.hook import MODES
from synaptic.model.outside import POLICY_ID
from synaptic.model.presets import PRESETS
from synaptic.policies.base import Policy, load_policies

SCHEMA_DIALECT = "https://json-schema.org/draft/2020-12/schema"
PACKAGE = __name__.partition(".")[0]


def build_schema() -> dict[str, Any]:
    """Build the schema by which an editor completes and checks a config file."""
    properties = _list_properties(Config)
    properties["presets"]["items"] = {"enum": list(PRESETS)}
    properties["http"] = {
        **_make_object_schema(_list_properties(HttpConfig)),
        "description": properties["http"]["description"],
    }
    properties["modes"] |= {"propertyNames": {"enum": [f"@{preset}" for preset in PRESETS]}}
    tables = {name: _make_policy_schema(policy) for name, policy in load_policies().items()}
    # Others are policies of one's own, whose options only they know.
    others = {"additionalProperties": {"type": "object"}, "propertyNames": {"pattern": f"^{POLICY_ID.pattern}$"}}
    about = properties["policies"]["description"]
    properties["policies"] = {**_make_object_schema(tables), **others, "description": about}
    properties |= _make_rules_schema()
    return {"$schema": SCHEMA_DIALECT, "title": "Synaptic config.toml", **_make_object_schema(properties)}


def build_rules_schema() -> dict[str, Any]:
    """Build the schema of a project's `rules.toml`."""
    return {"$schema": SCHEMA_DIALECT, "title": "Synaptic rules.toml", **_make_object_schema(_make_rules_schema())}


def _make_rules_schema() -> dict[str, Any]:
    words, hints = read_field_docs(RuleEntry), list_fields(RuleEntry)
    keys = {
        field.name: {**_write_schema(hints[field.name]), "description": words[field.name]}
        for field in msgspec.structs.fields(RuleEntry)
    }
    item = {**_make_object_schema(keys), "required": ["id", "then"]}
    return {RULE_KEY: {"type": "array", "items": item, "description": "Rules that hold, in their order."}}


def read_field_docs(kind: type) -> dict[str, str]:
    """Read the docstring below each field of a class, and of those it inherits from, from their sources."""
    known = (PACKAGE, kind.__module__.partition(".")[0])  # a policy from outside is in a module of its own
    ours = (one for one in reversed(kind.__mro__) if one.__module__.partition(".")[0] in known)
    return {name: text for one in ours for name, text in _read_own_field_docs(one).items()}


def _read_own_field_docs(kind: type) -> dict[str, str]:
    # Python does not keep them at run time.
    body = ast.parse(textwrap.dedent(inspect.getsource(kind))).body[0]
    lines = body.body if isinstance(body, ast.ClassDef) else []
    found = {}
    for line, after in pairwise(lines):
        if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name) and _is_text(after):
            found[line.target.id] = " ".join(ast.literal_eval(after.value).split())  # type: ignore[attr-defined]
    return found


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _make_object_schema(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _list_properties(kind: type[msgspec.Struct]) -> dict[str, Any]:
    words = read_field_docs(kind)
    defaults = kind()
    return {
        name: _make_property(hint, getattr(defaults, name), words.get(name, ""))
        for name, hint in list_fields(kind).items()
    }


def _make_property(kind: Any, default: Any, description: str) -> dict[str, Any]:
    written = _write_schema(kind)
    plain = msgspec.to_builtins(default)
    return written | {"description": description, "default": list(plain) if isinstance(plain, tuple) else plain}


def _write_schema(kind: Any) -> dict[str, Any]:
    schema = msgspec.json.schema(kind)
    written: dict[str, Any] = _inline_references(
        {key: schema[key] for key in schema if key not in ("$ref", "$defs")}, schema
    )
    return written


def _inline_references(part: Any, schema: dict[str, Any]) -> Any:
    """Put definitions where they are referred to: a property stands in a larger document, which has no `$defs`."""
    if isinstance(part, list):
        return [_inline_references(one, schema) for one in part]
    if not isinstance(part, dict):
        return part
    if isinstance(name := part.get("$ref"), str):
        return _inline_references(schema["$defs"][name.rpartition("/")[2]], schema)
    return {key: _inline_references(value, schema) for key, value in part.items()}


def _make_mode_schema(policy: type[Policy]) -> dict[str, Any]:
    modes = ["enforce"] if is_always_enforced(policy.id) else list(reversed(MODES))
    about = "Whether its verdicts count (`enforce`), are told as advice (`advise`), or are only kept (`shadow`)."
    return {"enum": modes, "description": about, "default": "enforce"}


def _make_policy_schema(policy: type[Policy]) -> dict[str, Any]:
    switch: dict[str, Any] = {
        "enabled": {"type": "boolean", "description": "Switches the policy on or off, whatever the presets say."},
        "mode": _make_mode_schema(policy),
    }
    title = inspect.getdoc(policy) or policy.id
    return {**_make_object_schema(switch | _list_properties(policy)), "description": title.partition("\n")[0]}
