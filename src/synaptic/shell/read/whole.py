"""Fast path: regular expressions that read most words in one match; other words are lexed piece by piece."""

import re
from functools import lru_cache

from synaptic.shell.read.syntax import LiteralText, Parameter, Part, WordToken

# Possessive quantifiers throughout: a word that does not match must fail at once, not be tried again at every split.
WORD_END = r"(?![^ \t\n;|)&]|&>)"
OPERATOR = r":?[-=+?]|##?|%%?|//?|\^\^?|,,?|~~?|:|@"
"""What may stand behind the name in `${...}`."""
INDEX, OPERAND = r"[^\]}'\"\\$`]{0,200}+", r"[^}'\"\\$`]*+"
BRACED = rf"(?:[A-Za-z_]\w*+|\d++)(?:\[{INDEX}\])?(?:(?:{OPERATOR}){OPERAND})?"
VARIABLE = rf"\$(?:[A-Za-z_]\w*+|[\d@*#?$!-]|\{{{BRACED}\}})"
WORD_BREAKERS = r" \t\n;&|()<>'\"\\$`"
"""What ends a word, or makes it more than its characters."""
WORD_PATTERNS = (
    rf"[^{WORD_BREAKERS}{{#~*?\[][^{WORD_BREAKERS}{{*?\[]*+",
    r'"[^"\\$`]*+"',
    r"'[^']*+'",
    rf"[^{WORD_BREAKERS}{{#][^{WORD_BREAKERS}{{]*+",
    rf"""(?!#)(?:[^{WORD_BREAKERS}]++|{VARIABLE}|"(?:[^"\\$`]++|{VARIABLE})*+"|'[^']*+'){{1,64}}+""",
)
PLAIN_WORD, DOUBLE_QUOTED, SINGLE_QUOTED, GLOB_WORD, MIXED_WORD, END_OF_COMMAND = range(1, 7)
"""Kinds of words, numbered as the groups of the patterns: plain text, two kinds of quoted text, a glob or a path from
`~`, a mix of text, quoted text and variables; and the end of the command."""
BLANK = r"[ \t]++(?:\\\n[ \t]*+)*+"
ANY_WORD = f"(?:{'|'.join(kind + WORD_END for kind in WORD_PATTERNS)})"
WORD_KINDS = "|".join(f"({kind}){WORD_END}" for kind in WORD_PATTERNS)
WORD = re.compile(WORD_KINDS)
"""A word that starts here; the group tells its kind."""
NEXT_WORD = re.compile(rf"{BLANK}(?:{WORD_KINDS}|()(?![^;|)\n&]|&>))")
"""The same behind blanks; one more group if the command ends there."""
WORD_ROW = rf"(?:{BLANK}{ANY_WORD}){{0,200}}+"
"""Words that follow one another."""
EXPANDED = r"\$(?:\{([^}]*+)\}|([A-Za-z_]\w*+|[\d@*#?$!-]))"
PIECE = re.compile(rf"{EXPANDED}|(\"[^\"]*+\")|('[^']*+')|([^$\"']++)")
QUOTED_PIECE = re.compile(rf"{EXPANDED}|([^$]++)")
BRACED_PARTS = re.compile(rf"(\w++)(?:\[({INDEX})\])?(?:({OPERATOR})({OPERAND}))?")
NO_PARTS: list[Part] = []
"""Shared by all plain words, never added to."""
EMPTY_QUOTED = LiteralText("", True)
"""A quote makes a word, even around nothing."""
MAX_CACHED_WORD = 100
"""Characters of a word whose parts are remembered."""


def split_mixed_word(said: str) -> list[Part]:
    """The parts of a word made of text, quotes and variables. The list is cached and shared: do not change it."""
    return _split_parts_cached(said) if len(said) <= MAX_CACHED_WORD else _split_parts(said)


def _split_parts(said: str) -> list[Part]:
    parts: list[Part] = []
    for braced, bare, quoted, literal, plain in PIECE.findall(said):
        if plain:
            parts.append(LiteralText(plain))
        elif bare:
            parts.append(Parameter(bare, f"${bare}"))
        elif braced:
            parts.append(_parse_braced(braced, False))
        elif literal:
            parts.append(LiteralText(literal[1:-1], True))
        else:
            parts.append(EMPTY_QUOTED)
            _add_quoted_parts(parts, quoted[1:-1])
    return parts


def _add_quoted_parts(parts: list[Part], said: str) -> None:
    for braced, bare, plain in QUOTED_PIECE.findall(said):
        if plain:
            parts.append(LiteralText(plain, True))
        elif bare:
            parts.append(Parameter(bare, f"${bare}", True))
        else:
            parts.append(_parse_braced(braced, True))


def _parse_braced(said: str, quoted: bool) -> Parameter:
    inside: re.Match[str] = BRACED_PARTS.fullmatch(said)  # type: ignore[assignment]  # the word was found with it
    name, index, operator, operand = inside.groups("")
    source = f"${{{said}}}"
    if not (index or operator):
        return Parameter(name, source, quoted)
    return Parameter(name, source, quoted, operator, WordToken(None, [LiteralText(operand)] if operand else []), index)


_split_parts_cached = lru_cache(maxsize=1024)(_split_parts)
"""The same few variables stand in most words."""
