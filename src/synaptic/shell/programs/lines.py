"""Programs that are given whole command lines: watchers of files, starters of several, and `expect`."""

import re

from synaptic.shell.programs.options import operands, rest, value_of
from synaptic.shell.programs.shells import given
from synaptic.shell.read.evaluate import Evaluation, Handler
from synaptic.shell.read.limits import MAX_ESCAPES
from synaptic.shell.read.script import Word
from synaptic.shell.read.state import Call

JOINED: dict[str, str] = {
    "watchexec": "-w --watch -W --watch-non-recursive -e --exts -f --filter -i --ignore -s --signal -d --debounce"
    " --delay-run --shell -o --on-busy-update --stop-signal --stop-timeout -E --env --workdir --project-origin",
    "reflex": "-r --regex -R --inverse-regex -g --glob -G --inverse-glob -d --decoration",
    "cross-env-shell": "",
}
"""Their words are one line for a shell; the options that take a value of their own."""
EACH: dict[str, str] = {
    "concurrently": "-n --names -c --prefix-colors -p --prefix -l --prefix-length -t --timestamp-format -m"
    " --max-processes --restart-tries --restart-after --name-separator -s --success --default-input-target -i --cwd"
    " --hide --kill-signal --teardown",
    "start-server-and-test": "",
}
"""Each of their words is a line of its own."""
OPTION: dict[str, str] = {
    "nodemon": "-x --exec",
    "chokidar": "-c --command",
    "sbatch": "--wrap",
    "watchman-make": "--run",
}
"""The line is the value of an option."""
BEHIND = ("onchange", "wait-on", "wait-for-it", "dockerize", "lerna", "gnome-terminal", "zellij", "py-spy")
TERMINALS = ("xterm", "alacritty", "konsole", "urxvt", "rxvt", "foot", "kitty", "xfce4-terminal", "lxterminal")
SPAWNS = re.compile(r"(?:^|[;{\n\[])[ \t]*+(?:spawn|exec|system|overlay)[ \t]++(?:-noecho[ \t]++)?([^;\n\]}]++)")
SENDS = re.compile(r'\bsend(?:_user)?[ \t]++(?:--[ \t]++)?"((?:[^"\\]|\\.)*+)"', re.DOTALL)


def joined(shell: Evaluation, call: Call) -> str | None:
    """`watchexec -e py 'make test'`."""
    words = [word for word in rest(call.words, JOINED[call.name].split()) if word.text != "--"]
    _line(shell, words, call.name)
    return None


def _line(shell: Evaluation, words: list[Word], label: str) -> None:
    if len(words) == 1:
        given(shell, words[0], label)
    elif words:
        shell.code(" ".join(word.text for word in words), label)


def each(shell: Evaluation, call: Call) -> str | None:
    valued = frozenset(EACH[call.name].split())
    place = operands(call.words, valued)
    while place < len(call.words):
        _line(shell, [call.words[place]], call.name)
        place = operands(call.words, valued, place + 1)
    return None


def option(shell: Evaluation, call: Call) -> str | None:
    word = value_of(call.words[1:], frozenset(OPTION[call.name].split()))
    return given(shell, word, call.name) if word is not None else None


def behind(shell: Evaluation, call: Call) -> str | None:
    """`onchange 'src/**' -- make`, `xterm -e make`: a command with its arguments, or one line."""
    marks = ("--", "-e", "-x") if call.name in TERMINALS else ("--",)
    place = next((at for at, word in enumerate(call.words) if word.text in marks), len(call.words))
    words = call.words[place + 1 :]
    if len(words) == 1:
        return given(shell, words[0], call.name)
    return shell.wrapped(call, words, call.name)


def cargo(shell: Evaluation, call: Call) -> str | None:
    """`cargo watch -s 'make test'`."""
    if call.texts()[:1] != ["watch"]:
        return None
    word = value_of(call.words[2:], frozenset({"-s", "--shell"}))
    return given(shell, word, "cargo watch") if word is not None else behind(shell, call)


def expect(shell: Evaluation, call: Call) -> str | None:
    """What it spawns, and what it types into that."""
    word = value_of(call.words[1:], frozenset({"-c"}))
    files = [shell.files.get(shell.path(item.text)) for item in rest(call.words, ("-c", "-f"))[:1]]
    code = word.text if word is not None else next((text for text in files if text), call.stdin) or ""
    for found in SPAWNS.finditer(code[:MAX_ESCAPES]):
        shell.code(found[1], call.name)
    for found in SENDS.finditer(code[:MAX_ESCAPES]):
        shell.code(re.sub(r"\\[rn]", "\n", found[1]).replace('\\"', '"'), call.name)
    return None


LINES: dict[str, Handler] = {
    **dict.fromkeys(JOINED, joined),
    **dict.fromkeys(EACH, each),
    **dict.fromkeys(OPTION, option),
    **dict.fromkeys((*BEHIND, *TERMINALS), behind),
    "cargo": cargo,
    **dict.fromkeys(("expect", "tclsh"), expect),
}
