"""Words that one pattern takes whole, where others are taken apart piece by piece: most words of most scripts."""

import re

from synaptic.parse.shell.syntax import Parameter, Part, Text

END = r"(?=[ \t\n;|)]|&(?!>)|\Z)"
PLAIN = re.compile(
    rf"""[ \t]*+(?:([^ \t\n;&|()<>'"\\$`{{#][^ \t\n;&|()<>'"\\$`{{]*+)|"([^"\\$`]*+)"|'([^']*+)'){END}"""
)
"""A word without quotes, expansions and braces, or one that is nothing but quoted text."""
COSTS = (0, 1, 3, 2)
"""What such a word counts, by its group: quotes are pieces, as they are in any other word."""
VARIABLE = r"\$(?:[A-Za-z_]\w*+|[\d@*#?$!-]|\{[A-Za-z_]\w*+\})"
WOVEN = re.compile(
    rf"""(?:"((?:[^"\\$`]++|{VARIABLE}){{1,64}}+)"|((?!\#)(?:[^ \t\n;&|()<>'"\\$`]++|{VARIABLE}){{1,64}}+)){END}"""
)
"""A word of some text and some variables, in double quotes or without."""
PIECE = re.compile(r"\$\{(\w+)\}|\$([A-Za-z_]\w*|[\d@*#?$!-])|([^$]+)")
NO_PARTS: list[Part] = []
"""Shared by all plain words, never added to."""
OPENED = Text("", True)
"""A quote makes a word, even around nothing."""


def woven(found: re.Match[str]) -> tuple[list[Part], int]:
    """The parts of a word of text and variables, and what it counts."""
    quoted = found[2] is None
    parts: list[Part] = [OPENED] if quoted else []
    cost = 3 if quoted else 1
    for braced, bare, plain in PIECE.findall(found[1] if quoted else found[2]):
        if plain:
            parts.append(Text(plain, quoted))
            continue
        cost += 1
        parts.append(Parameter(bare or braced, f"${bare}" if bare else f"${{{braced}}}", quoted))
    return parts, cost
