"""Markdown that every page needs."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

LITERAL = re.compile(r"Literal\[([^\]]*)\]")
OPTIONAL = re.compile(r"Optional\[(.*)\]$")
PREFIX = re.compile(r"\b(?:typing|collections\.abc|synaptic\.[\w.]+)\.(?=\w)")
LIST = re.compile(r"tuple\[(.*), \.\.\.\]")
HEADER = "<!-- Written by `make gen`. Edit the code it is made from. -->\n\n"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(map(cell, line))} |\n" for line in lines)


def cell(text: str) -> str:
    """Text that stays inside one cell."""
    return " ".join(text.replace("|", "\\|").split("\n"))


def code(text: str) -> str:
    """Inline code, also for text that has backticks or line breaks in it."""
    shown = text.replace("\n", "⏎")
    fence = "``" if "`" in shown else "`"
    pad = " " if "`" in shown else ""
    return f"{fence}{pad}{shown}{pad}{fence}" if shown else ""


def type_name(hint: Any) -> str:
    """A type in words that a person who writes TOML, YAML or JSON knows."""
    text = hint.__name__ if isinstance(hint, type) and not hasattr(hint, "__args__") else str(hint)
    text = OPTIONAL.sub(r"\1 | None", PREFIX.sub("", text))
    text = LITERAL.sub(lambda found: found[1].replace(", ", " | ").replace("'", '"'), text)
    return LIST.sub(r"list[\1]", text).replace("Mapping[", "dict[")
