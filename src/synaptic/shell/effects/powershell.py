"""PowerShell that evaluates what it fetches. The shell reader cannot parse its syntax, so its text is searched."""

import re
from collections.abc import Iterator

from synaptic.shell.effects.addresses import LOCAL_ADDRESS
from synaptic.shell.names import split_names
from synaptic.shell.read.script import Script

EVALUATING_COMMANDS = split_names("iex invoke-expression")
POWERSHELL_PROGRAMS = EVALUATING_COMMANDS | {"pwsh", "powershell"}
EVALUATE_FORM = r"\b(?:iex|invoke-expression|scriptblock\]::create)\b"
FETCH_FORM = (
    r"(?:\.download(?:string|data)(?:async|taskasync)?\b"
    r"|(?<![\w-])(?:iwr|irm|curl|wget|invoke-webrequest|invoke-restmethod)(?![\w-]))"
)
RUNS_FETCHED = re.compile(
    rf"{EVALUATE_FORM}[^\n;|]{{0,300}}?{FETCH_FORM}|{FETCH_FORM}[^\n;]{{0,300}}?\|\s*(?:iex|invoke-expression)\b", re.I
)
URL_IN_TEXT = re.compile(r"[a-z]+://[^\s'\")`]{1,500}", re.IGNORECASE)
MAX_POWERSHELL = 20_000
"""Characters of one text that are looked at."""


def find_evaluated_addresses(found: Script) -> Iterator[tuple[str, ...]]:
    """The addresses of each place where fetched text is run; none of them where the address is not written there."""
    for text in _iter_powershell_texts(found):
        if RUNS_FETCHED.search(text):
            addresses = tuple(URL_IN_TEXT.findall(text))
            if not addresses or not all(map(LOCAL_ADDRESS.match, addresses)):
                yield addresses


def _iter_powershell_texts(found: Script) -> Iterator[str]:
    """The code that PowerShell is given, and the lines that begin with one of its evaluators."""
    for command in found.commands:
        name = command.name.lower()
        if name in EVALUATING_COMMANDS and command.span is not None:
            # From the source text: brackets and pipes were read as a shell's, so the words are incomplete.
            start = command.span[0]
            yield found.text[start : start + MAX_POWERSHELL].partition("\n")[0]
        elif name in POWERSHELL_PROGRAMS and name not in EVALUATING_COMMANDS:
            yield " ".join(command.args)[:MAX_POWERSHELL]
