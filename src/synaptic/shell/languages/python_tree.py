"""A walk over the syntax tree of Python code. `ast.walk` looks at every field of every node; most hold none."""

import ast
from collections.abc import Iterator

PLAIN_FIELDS = frozenset({"ctx", "op", "ops", "id", "attr", "kind", "type_comment", "module", "level", "simple"})
"""Fields that hold a text, a number, or a sign without anything below it."""


def _find_kinds(kind: type[ast.AST]) -> Iterator[type[ast.AST]]:
    yield kind
    for one in kind.__subclasses__():
        yield from _find_kinds(one)


CHILD_FIELDS = {
    kind: tuple(field for field in kind._fields if field not in PLAIN_FIELDS)
    for kind in _find_kinds(ast.AST)
    if not issubclass(kind, ast.Constant)
}
"""Fields that may hold nodes, by the kind of the node they belong to."""


def add_children(node: ast.AST, found: list[ast.AST]) -> None:
    """Add the nodes right below one, in the order in which they are declared."""
    for field in CHILD_FIELDS.get(type(node), ()):
        held = getattr(node, field, None)
        if type(held) is list:
            found.extend([one for one in held if isinstance(one, ast.AST)])
        elif isinstance(held, ast.AST):
            found.append(held)


def walk_tree(tree: ast.AST) -> Iterator[ast.AST]:
    """Every node but signs and contexts, level by level, as `ast.walk` has them."""
    found = [tree]
    for node in found:
        yield node
        add_children(node, found)
