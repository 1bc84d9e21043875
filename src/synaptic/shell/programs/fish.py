"""Fish as other shells write it: variables that are set, `(cmd)`, `; and`, blocks that end with `end`."""

import re

TOKEN = re.compile(
    r"(?P<quoted>'(?:[^'\\]|\\.)*+'|\"(?:[^\"\\]|\\.)*+\"|\\.)|(?P<comment>(?<!\S)\#[^\n]*)"
    r"|(?P<opens>\$?\()|(?P<ends>[;\n|&]+)|(?P<word>[^\s;\n|&()'\"\\]+)|(?P<other>.)",
    re.DOTALL,
)
JOINS = {"and": "&& ", "or": "|| ", "not": "! "}
BLOCKS = {"begin": "{ ", "while": "while ", "if": "if ", "for": "for ", "function": "function ", "switch": "switch "}
SET_OPTIONS = re.compile(r"-[A-Za-z]+|--[\w-]+")
SETS = re.compile(r"(?:^|(?<=[;\n|&{(]))([ \t]*)set[ \t]+((?:-[\w-]+[ \t]+)*)(\w+)[ \t]+([^;\n|&]+)")
NO_VALUE = re.compile(r"-\w*[eqSn]|--(?:erase|query|show|names)")
"""Forms of `set` that give no value."""


def translate_fish(text: str) -> str:
    """The same commands for the shell's reader; what stands only in fish is left as it is."""
    if "set" in text:
        text = SETS.sub(_write_assignment, text)
    parts: list[str] = []
    begins = True
    for token in TOKEN.finditer(text):
        kind, piece = token.lastgroup, token[0]
        if kind == "opens":
            piece = "$("
        elif kind == "word" and begins and piece in JOINS:
            _drop_separator(parts)
            piece = JOINS[piece].strip() if piece != "not" else "!"
        elif kind == "word" and begins and piece in ("begin", "end"):
            piece = "true"
        parts.append(piece)
        if not piece.isspace() or "\n" in piece:
            begins = kind in ("ends", "opens") or piece in ("&&", "||", "!") or piece == "true"
    return "".join(parts)


def _drop_separator(parts: list[str]) -> None:
    """`a; and b` is one list: what stands between is the word itself."""
    while parts and (parts[-1].isspace() or set(parts[-1]) <= set(";\n ")):
        parts.pop()
    parts.append(" ")


def _write_assignment(found: re.Match[str]) -> str:
    if any(NO_VALUE.fullmatch(option) for option in found[2].split()):
        return found[0]
    value = found[4].strip()
    return f"{found[1]}{found[3]}={value}" if len(value.split()) == 1 else f"{found[1]}{found[3]}=({value})"
