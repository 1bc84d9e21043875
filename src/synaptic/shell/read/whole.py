"""Fast path: regular expressions that read most words in one match; other words are lexed piece by piece."""

import re
from functools import lru_cache

from synaptic.shell.read.syntax import Parameter, Part, Text, Token

# Possessive quantifiers throughout: a word that does not match must fail at once, not be tried again at every split.
END = r"(?![^ \t\n;|)&]|&>)"
OPERATOR = r":?[-=+?]|##?|%%?|//?|\^\^?|,,?|:|@"
"""What may stand behind the name in `${...}`."""
INDEX, OPERAND = r"[^\]}'\"\\$`]{0,200}+", r"[^}'\"\\$`]*+"
BRACED = rf"(?:[A-Za-z_]\w*+|\d++)(?:\[{INDEX}\])?(?:(?:{OPERATOR}){OPERAND})?"
VARIABLE = rf"\$(?:[A-Za-z_]\w*+|[\d@*#?$!-]|\{{{BRACED}\}})"
OTHER = r" \t\n;&|()<>'\"\\$`"
"""What ends a word, or makes it more than its characters."""
KINDS = (
    rf"[^{OTHER}{{#~*?\[][^{OTHER}{{*?\[]*+",
    r'"[^"\\$`]*+"',
    r"'[^']*+'",
    rf"[^{OTHER}{{#][^{OTHER}{{]*+",
    rf"""(?!#)(?:[^{OTHER}]++|{VARIABLE}|"(?:[^"\\$`]++|{VARIABLE})*+"|'[^']*+'){{1,64}}+""",
)
PLAIN, DOUBLE, SINGLE, GLOB, WOVEN, END_OF_COMMAND = range(1, 7)
"""Kinds of words, numbered as the groups of the patterns: plain text, two kinds of quoted text, a glob or a path from
`~`, a mix of text, quoted text and variables; and the end of the command."""
BLANK = r"[ \t]++(?:\\\n[ \t]*+)*+"
ANY = f"(?:{'|'.join(kind + END for kind in KINDS)})"
CHOICE = "|".join(f"({kind}){END}" for kind in KINDS)
WORD = re.compile(CHOICE)
"""A word that starts here; the group tells its kind."""
NEXT = re.compile(rf"{BLANK}(?:{CHOICE}|()(?![^;|)\n&]|&>))")
"""The same behind blanks; one more group if the command ends there."""
ROW = rf"(?:{BLANK}{ANY}){{0,200}}+"
"""Words that follow one another."""
EXPANDED = r"\$(?:\{([^}]*+)\}|([A-Za-z_]\w*+|[\d@*#?$!-]))"
PIECE = re.compile(rf"{EXPANDED}|(\"[^\"]*+\")|('[^']*+')|([^$\"']++)")
IN_QUOTES = re.compile(rf"{EXPANDED}|([^$]++)")
IN_BRACES = re.compile(rf"(\w++)(?:\[({INDEX})\])?(?:({OPERATOR})({OPERAND}))?")
NO_PARTS: list[Part] = []
"""Shared by all plain words, never added to."""
OPENED = Text("", True)
"""A quote makes a word, even around nothing."""
SHORT = 100
"""Characters of a word whose parts are remembered."""


def woven(said: str) -> list[Part]:
    """The parts of a word made of text, quotes and variables. The list is cached and shared: do not change it."""
    return _remembered(said) if len(said) <= SHORT else _woven(said)


def _woven(said: str) -> list[Part]:
    parts: list[Part] = []
    for braced, bare, quoted, literal, plain in PIECE.findall(said):
        if plain:
            parts.append(Text(plain))
        elif bare:
            parts.append(Parameter(bare, f"${bare}"))
        elif braced:
            parts.append(_braced(braced, False))
        elif literal:
            parts.append(Text(literal[1:-1], True))
        else:
            parts.append(OPENED)
            _add_quoted(parts, quoted[1:-1])
    return parts


def _add_quoted(parts: list[Part], said: str) -> None:
    for braced, bare, plain in IN_QUOTES.findall(said):
        if plain:
            parts.append(Text(plain, True))
        elif bare:
            parts.append(Parameter(bare, f"${bare}", True))
        else:
            parts.append(_braced(braced, True))


def _braced(said: str, quoted: bool) -> Parameter:
    inside: re.Match[str] = IN_BRACES.fullmatch(said)  # type: ignore[assignment]  # the word was found with it
    name, index, operator, operand = inside.groups("")
    source = f"${{{said}}}"
    if not (index or operator):
        return Parameter(name, source, quoted)
    return Parameter(name, source, quoted, operator, Token(None, [Text(operand)] if operand else []), index)


_remembered = lru_cache(maxsize=1024)(_woven)
"""The same few variables stand in most words."""
