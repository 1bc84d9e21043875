"""Shells and other programs that are given shell code: with `-c`, on their input, or in a file."""

import re

from synaptic.shell.programs.feed import FEEDS
from synaptic.shell.programs.options import operands, rest, value_of
from synaptic.shell.programs.pagers import EDITORS, start_named
from synaptic.shell.read.evaluate import Evaluation, Handler
from synaptic.shell.read.lexer import Source
from synaptic.shell.read.script import Command, Word
from synaptic.shell.read.state import Call
from synaptic.shell.read.value import Value

NAMES = ("sh", "bash", "zsh", "dash", "ksh", "ash", "mksh", "fish", "rbash", "csh", "tcsh", "rzsh", "yash", "pdksh")
VALUED = frozenset(["-O", "+O", "-o", "+o", "--rcfile", "--init-file"])
CODE = re.compile(r"[-+][a-zA-Z]*c[a-zA-Z]*")
NO_RUN = re.compile(r"-[a-bd-zA-Z]*n[a-zA-Z]*|--version|--help|--dump-strings")
INPUT = re.compile(r"-[a-zA-Z]*s[a-zA-Z]*")
UNSET = re.compile(r"\+[a-zA-Z]+")
STARTUP = frozenset({"--rcfile", "--init-file"})
PRINTS = frozenset({"echo", "printf", "cat"})


def shell_program(shell: Evaluation, call: Call) -> str | None:
    place = _operands(call.words)
    options = [word.text for word in call.words[1:place]]
    if any(NO_RUN.fullmatch(option) or option == "noexec" for option in options):
        return None
    _startup(shell, call, place)
    operand = call.words[place:]
    if any(CODE.fullmatch(option) or option == "--command" for option in options):
        return _given(shell, call, operand)
    if operand and not any(INPUT.fullmatch(option) for option in options):
        return _file(shell, call, operand)
    return _input(shell, call, operand)


def _operands(words: list[Word]) -> int:
    """The place of the first operand; `+x` is an option as `-x` is."""
    place = operands(words, VALUED)
    while place < len(words) and UNSET.fullmatch(words[place].text) and words[place - 1].text != "--":
        place = operands(words, VALUED, place + (2 if words[place].text in VALUED else 1))
    return place


def _startup(shell: Evaluation, call: Call, place: int) -> None:
    """The files that a shell runs before all else."""
    named = value_of(call.words[1:place], STARTUP)
    if named is not None:
        _run_known(shell, named.text, f"{call.name} --rcfile")
    for name, word in call.assignments:
        if name in ("BASH_ENV", "ENV"):
            _run_known(shell, word.text, name)
        elif name == "PROMPT_COMMAND":
            shell.code(word.text, name)
    held = shell.variables.get("BASH_ENV")
    if held is not None:
        _run_known(shell, held.text, "BASH_ENV")


def _run_known(shell: Evaluation, path: str, label: str) -> None:
    text = shell.files.get(shell.path(path))
    if text is not None:
        shell.code(text, label)


def _given(shell: Evaluation, call: Call, operand: list[Word]) -> str | None:
    if not operand:
        return None
    with shell.reading(call.stdin), shell.apart():
        shell.arguments = operand[2:]
        if len(operand) > 1:
            shell.variables["0"] = Value(operand[1].text, operand[1].known)
        return given(shell, operand[0], f"{call.name} -c")


def given(shell: Evaluation, word: Word, label: str) -> str | None:
    """Run the code in a word; what of it is unknown is noted."""
    if not word.known and (word.text[:1] in "$`" or not word.text):
        shell.gap("code", f"{label} {word.text}")
    return shell.code(word.text, label, shell.place(word))


def _file(shell: Evaluation, call: Call, operand: list[Word]) -> str | None:
    text = shell.files.get(shell.path(operand[0].text))
    if text is None:
        if not operand[0].known and operand[0].text[:2] == "<(":
            shell.gap("code", f"{call.name} {operand[0].text}")
        elif operand[0].text in ("-", "/dev/stdin"):
            return _input(shell, call, operand[1:])
        return None
    with shell.apart():
        shell.arguments = operand[1:]
        shell.variables["0"] = Value(operand[0].text)
        return shell.code(text, f"{call.name} file")


def _input(shell: Evaluation, call: Call, arguments: list[Word]) -> str | None:
    if call.stdin is not None:
        with shell.reading(None), shell.apart():  # what its commands read is the rest of the code
            shell.arguments = arguments
            return shell.code(call.stdin, f"{call.name} <", fed_by(call))
    if (shell.stages and shell.stages[-1][1] > 0) or any(item.operator[0] == "<" for item in call.redirects):
        shell.gap("code", f"{call.name} reads code that is not known")
    return None


def fed_by(call: Call) -> Source:
    """Where a here-document's text stands, when it stands in the text as it is read."""
    for redirect in reversed(call.redirects):
        span = redirect.target.span
        if redirect.operator == "<<" and span is not None and redirect.target.text == call.stdin:
            return Source(span[0], inner=True)
    return Source(None)


def source(shell: Evaluation, call: Call) -> str | None:
    words = rest(call.words, ())
    if not words:
        return None
    text = shell.files.get(shell.path(words[0].text))
    if text is not None:
        return shell.code(text, "source")
    if words[0].text == "/dev/stdin" and call.stdin is not None:
        with shell.reading(None):
            return shell.code(call.stdin, "source")
    if words[0].text[:2] == "<(" or words[0].text == "/dev/stdin":
        shell.gap("code", f"source {words[0].text}")
    return None


def switch_user(shell: Evaluation, call: Call) -> str | None:
    """`su -c`, `runuser -c`, `script -c`, `sg group -c`."""
    word = value_of(call.words[1:], frozenset({"-c", "--command", "--session-command"}))
    if word is not None:
        return given(shell, word, f"{call.name} -c")
    if call.stdin is not None and call.name in ("su", "runuser"):
        with shell.reading(None):
            return shell.code(call.stdin, f"{call.name} <")
    if call.name == "runuser":
        words = rest(call.words, ("-u", "-g", "-G", "-w"))
        return shell.wrapped(call, words, "runuser") if value_of(call.words[1:], frozenset({"-u"})) else None
    return None


def script(shell: Evaluation, call: Call) -> str | None:
    word = value_of(call.words[1:], frozenset({"-c", "--command"}))
    if word is not None:
        return given(shell, word, "script -c")
    words = rest(call.words, ("-t", "-I", "-O", "-B", "-T", "-m", "-o", "-F"), 1)
    return shell.wrapped(call, words, "script")


def queued(shell: Evaluation, call: Call) -> str | None:
    """`at` and `batch`: the commands in a file or on their input run later."""
    named = value_of(call.words[1:], frozenset({"-f"}))
    text = shell.files.get(shell.path(named.text)) if named else call.stdin
    if text is not None:
        shell.code(text, call.name)
    return None


def crontab(shell: Evaluation, call: Call) -> str | None:
    """The lines of a table that are known, also where others are not: `(crontab -l; echo ...) | crontab -`."""
    if "-e" in call.texts():
        start_named(shell, call, EDITORS)
    words = rest(call.words, ("-u",))
    named = bool(words) and words[0].text != "-"
    text = shell.files.get(shell.path(words[0].text)) if named else call.stdin
    if text is None:
        before = [shell.commands[place] for place in words[0].outputs] if named else _piped(shell, call)
        text = "".join(_printed(shell, one) for one in before)
    for line in text.splitlines():
        fields = line.split(None, 1 if line[:1] == "@" else 5)
        if len(fields) in (2, 6) and line[:1] != "#":
            shell.code(fields[-1], "crontab")
    return None


def _piped(shell: Evaluation, call: Call) -> list[Command]:
    """The commands before this one in its pipeline, in order."""
    if not shell.stages:
        return []
    number, place = shell.stages[-1]
    found: list[Command] = []
    for command in reversed(shell.commands[: call.index]):
        stage = dict(command.stages).get(number)
        if stage is None:
            break
        if stage < place:
            found.append(command)
    return found[::-1]


def _printed(shell: Evaluation, command: Command) -> str:
    """What a command prints by itself, when that is known."""
    if command.name not in PRINTS or command.args[:1] == ("-v",) or any(one.writes for one in command.redirects):
        return ""
    call = Call(list(command.argv), command.name, stdin=command.stdin)
    return FEEDS[command.name](shell, call) or ""


def powershell(shell: Evaluation, call: Call) -> str | None:
    word = value_of(call.words[1:], frozenset({"-Command", "-command", "-c", "/c", "/C", "/k"}))
    if word is None:
        return None
    place = call.words.index(word) if word in call.words else len(call.words) - 1
    return shell.code(" ".join(item.text for item in call.words[place:]), call.name)


SHELLS: dict[str, Handler] = {
    **dict.fromkeys(NAMES, shell_program),
    **dict.fromkeys(("source", "."), source),
    **dict.fromkeys(("su", "runuser", "sg"), switch_user),
    "script": script,
    **dict.fromkeys(("at", "batch"), queued),
    "crontab": crontab,
    **dict.fromkeys(("powershell", "pwsh", "cmd"), powershell),
}
