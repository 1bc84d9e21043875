"""Load one YAML document as plain data: safe types only, no aliases, no repeated keys, bounded depth."""

from typing import Any

import yaml

from synaptic.model.errors import DeclarationError

YAML_LIMIT = 64 << 10
"""Bytes of one YAML file."""
MAX_YAML_DEPTH = 16
"""Levels. The C loader recurses without a check of its own: a deep file would end the process."""

Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def load_yaml(text: bytes, where: str) -> Any:
    """Load the document's data; raises DeclarationError for everything unusable."""
    try:
        _check_events(text, where)
        return _construct_document(text, where)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise DeclarationError(f"is no valid YAML: {_shorten_error(error)}", where=where) from None


def _check_events(text: bytes, where: str) -> None:
    depth = 0
    for event in yaml.parse(text, Loader=Loader):
        # Aliases of aliases grow exponentially (the "billion laughs"), and this is read before a project is trusted.
        if isinstance(event, yaml.AliasEvent):
            raise DeclarationError(f"uses the alias `*{event.anchor}`; write the value out", where=where)
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_YAML_DEPTH:
            raise DeclarationError(f"is nested more than {MAX_YAML_DEPTH} levels deep", where=where)


def _construct_document(text: bytes, where: str) -> Any:
    loader = Loader(text)
    try:
        node = loader.get_single_node()
        if node is None:
            return None
        _refuse_repeated_keys(node, where)
        return loader.construct_document(node)
    finally:
        loader.dispose()


def _refuse_repeated_keys(node: yaml.Node, where: str) -> None:
    if isinstance(node, yaml.SequenceNode):
        for item in node.value:
            _refuse_repeated_keys(item, where)
    if not isinstance(node, yaml.MappingNode):
        return
    seen = set()
    for key, value in node.value:
        # PyYAML lets the last one win: two `handler`s would show one to a reader and run the other.
        if isinstance(key, yaml.ScalarNode) and key.value in seen:
            raise DeclarationError(f"`{key.value}` is there twice", where=where)
        seen.add(key.value if isinstance(key, yaml.ScalarNode) else id(key))
        _refuse_repeated_keys(value, where)


def _shorten_error(error: Exception) -> str:
    return " ".join(str(error).split())[:300]
