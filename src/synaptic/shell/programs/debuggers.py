"""Debuggers: the command they start, and the commands that their own lines run."""

import re
from collections.abc import Iterator

from synaptic.shell.read.evaluate import Evaluation, Handler
from synaptic.shell.read.limits import MAX_ESCAPES
from synaptic.shell.read.state import Call
from synaptic.shell.read.writing import as_word

LINES = {
    "gdb": frozenset({"-ex", "-iex", "-eval-command", "-init-eval-command"}),
    "lldb": frozenset({"-o", "-O", "-k", "-one-line", "-one-line-before-file", "-one-line-on-crash"}),
}
FILES = frozenset({"-x", "-ix", "-command", "-init-command", "-s", "-S", "-source", "-source-before-file"})
RUNS = re.compile(r"[ \t]*+(?:(?:platform[ \t]++)?shell(?:[ \t]++(?:-h|--host|--))*+[ \t]++|!)(.+)")
PYTHON = re.compile(r"[ \t]*+(?:python|py|pi|python-interactive|script)[ \t]++(?:--[ \t]++)?(.+)")


def debugger(shell: Evaluation, call: Call) -> str | None:
    """`gdb -ex 'shell make'`, `lldb -o 'platform shell make'`, `gdb --args program`."""
    texts = [word.text for word in call.words]
    mark = "--args" if "--args" in texts else "--"
    end = texts.index(mark) if mark in texts else len(texts)
    for text in _lines(shell, call, texts[1:end]):
        for line in text[:MAX_ESCAPES].splitlines():
            _run(shell, call.name, line)
    return shell.wrapped(call, call.words[end + 1 :], call.name)


def _lines(shell: Evaluation, call: Call, texts: list[str]) -> Iterator[str]:
    for place, text in enumerate(texts):
        name, equals, value = text.partition("=")
        name = name[1:] if name[:2] == "--" else name
        if not equals:
            value = texts[place + 1] if place + 1 < len(texts) else ""
        if name in LINES[call.name]:
            yield value
        elif name in FILES:
            yield shell.files.get(shell.path(value), "")
    yield call.stdin or ""


def _run(shell: Evaluation, name: str, line: str) -> None:
    if found := RUNS.match(line):
        shell.code(found[1], name)
    elif found := PYTHON.match(line):
        shell.code(f"python3 -c {as_word(found[1])}", name)


DEBUGGERS: dict[str, Handler] = dict.fromkeys(LINES, debugger)
