"""PowerShell that evaluates what it fetches. The shell reader cannot parse its syntax, so its text is searched."""

import re
from collections.abc import Iterator

from synaptic.shell.effects.addresses import LOCAL
from synaptic.shell.names import names
from synaptic.shell.read.script import Script

EVALUATORS = names("iex invoke-expression")
PROGRAMS = EVALUATORS | {"pwsh", "powershell"}
EVALUATES = r"\b(?:iex|invoke-expression|scriptblock\]::create)\b"
FETCHES = (
    r"(?:\.download(?:string|data)(?:async|taskasync)?\b"
    r"|(?<![\w-])(?:iwr|irm|curl|wget|invoke-webrequest|invoke-restmethod)(?![\w-]))"
)
FETCHED = re.compile(
    rf"{EVALUATES}[^\n;|]{{0,300}}?{FETCHES}|{FETCHES}[^\n;]{{0,300}}?\|\s*(?:iex|invoke-expression)\b", re.I
)
ADDRESS = re.compile(r"[a-z]+://[^\s'\")`]{1,500}", re.IGNORECASE)
LONGEST = 20_000
"""Characters of one text that are looked at."""


def evaluated(found: Script) -> Iterator[tuple[str, ...]]:
    """The addresses of each place where fetched text is run; none of them where the address is not written there."""
    for text in _texts(found):
        if FETCHED.search(text):
            addresses = tuple(ADDRESS.findall(text))
            if not addresses or not all(map(LOCAL.match, addresses)):
                yield addresses


def _texts(found: Script) -> Iterator[str]:
    """The code that PowerShell is given, and the lines that begin with one of its evaluators."""
    for command in found.commands:
        name = command.name.lower()
        if name in EVALUATORS and command.span is not None:
            # From the source text: brackets and pipes were read as a shell's, so the words are incomplete.
            start = command.span[0]
            yield found.text[start : start + LONGEST].partition("\n")[0]
        elif name in PROGRAMS and name not in EVALUATORS:
            yield " ".join(command.args)[:LONGEST]
