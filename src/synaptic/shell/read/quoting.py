"""`$'...'`, `echo -e` and `printf`: backslash escapes turned into characters."""

import re

from synaptic.shell.read.limits import MAX_ESCAPES

SIMPLE_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "v": "\v"}
HEXADECIMAL = frozenset({"hex", "braced", "short", "long"})
ESCAPE = re.compile(
    r"\\(?:x(?P<hex>[0-9a-fA-F]{1,2})|x\{(?P<braced>[0-9a-fA-F]{1,8})\}|u(?P<short>[0-9a-fA-F]{1,4})"
    r"|U(?P<long>[0-9a-fA-F]{1,8})|(?P<octal>[0-7]{1,3})|c(?P<control>.)|(?P<other>.))",
    re.DOTALL,
)
ECHO_ESCAPE = re.compile(
    r"\\(?:x(?P<hex>[0-9a-fA-F]{1,2})|u(?P<short>[0-9a-fA-F]{1,4})|U(?P<long>[0-9a-fA-F]{1,8})"
    r"|0?(?P<octal>[0-7]{1,3})|(?P<other>.))",
    re.DOTALL,
)
ANSI_BODY = re.compile(r"[^'\\]*+(?:\\.[^'\\]*+)*+", re.DOTALL)


def decode_ansi_quoted(text: str, start: int) -> tuple[str, int, bool]:
    """The text of `$'...'` from behind its opening quote, where it ends, and whether it is closed."""
    found = ANSI_BODY.match(text, start)
    end = found.end() if found else start
    closed = text.startswith("'", end)
    cut = min(end, start + MAX_ESCAPES)
    # As in bash, a NUL ends the value.
    value = (ESCAPE.sub(_decode_escape, text[start:cut]) + text[cut:end]).split("\0")[0]
    return value, end + 1 if closed else len(text), closed


def decode_escapes(text: str) -> str:
    """Text with the escapes that `echo -e` and `printf` understand."""
    return ECHO_ESCAPE.sub(_decode_escape, text[:MAX_ESCAPES]) + text[MAX_ESCAPES:]


def _decode_escape(found: re.Match[str]) -> str:
    kind: str = found.lastgroup  # type: ignore[assignment]  # one of them has matched
    value = found[kind]
    if kind in HEXADECIMAL:
        return _safe_chr(int(value, 16))
    if kind == "octal":
        return _safe_chr(int(value, 8) & 0xFF)
    if kind == "control":
        return _safe_chr(ord(value) & 0x1F)
    if value in SIMPLE_ESCAPES:
        return SIMPLE_ESCAPES[value]
    return value if value in "\\'\"?" else "\\" + value


def _safe_chr(number: int) -> str:
    return chr(number) if number < 0x110000 else ""
