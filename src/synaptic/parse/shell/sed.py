"""What `sed` makes of text that is known, and the commands it runs."""

import re

from synaptic.parse.shell.evaluate import Evaluation
from synaptic.parse.shell.limits import MAX_LITERAL, MAX_PATTERN
from synaptic.parse.shell.state import Call

SUBSTITUTES = re.compile(r"s([^\w\\\n])((?:(?!\1)[^\n\\]|\\[^\n])*+)\1((?:(?!\1)[^\n\\]|\\[^\n])*+)\1(g?)")
SED_PLAIN = re.compile(r"(\^?)([\w\s/@#%:;,-]*|\.\*)(\$?)")
SED_GROUP = re.compile(r"\\[\dnLUE]")
SED_MATCHED = re.compile(r"\\.|&")
SED_RUNS = re.compile(r"(?:\d+|\$|/[^/]*/)?\s*e\s+(.+)", re.DOTALL)
MAX_SED = 10_000
"""Characters in which text is exchanged."""


def sed(shell: Evaluation, call: Call) -> str | None:
    """One `s` command on known text; `e` runs a command."""
    for text in call.texts():
        found = SED_RUNS.match(text)
        if found:
            shell.code(found[1], "sed e")
    texts = [text for text in call.texts() if text not in ("-E", "-r", "-e")]
    if len(texts) != 1 or len(texts[0]) > MAX_PATTERN or call.stdin is None or len(call.stdin) > MAX_SED:
        return None
    found = SUBSTITUTES.fullmatch(texts[0])
    shell.budget.text(len(call.stdin))
    return _exchanged(call.stdin, found) if found else None


def _exchanged(text: str, found: re.Match[str]) -> str | None:
    """Plain text exchanged for other text; `^` and `$` are the ends of a line, `.*` alone is all of it."""
    mark, old, new, flags = found.groups()
    old, new = old.replace(f"\\{mark}", mark), new.replace(f"\\{mark}", mark)
    inside = SED_PLAIN.fullmatch(old)
    if inside is None or SED_GROUP.search(new):
        return None
    form = re.escape(inside[2]) if inside[2] != ".*" else ".*"
    pattern = re.compile(f"{inside[1]}{form}{inside[3]}")
    put = SED_MATCHED.sub(_matched, new)
    lines = (pattern.sub(put, line, 0 if flags else 1) for line in text.splitlines())
    return "".join(f"{line}\n" for line in lines)[:MAX_LITERAL]


def _matched(found: re.Match[str]) -> str:
    """`&` is what was matched, and a backslash takes the meaning from what follows."""
    if found[0] == "&":
        return r"\g<0>"
    return found[0][1:] if found[0][1:] != "\\" else r"\\"
