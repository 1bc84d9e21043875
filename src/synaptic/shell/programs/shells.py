"""Shells and other programs that are given shell code: with `-c`, on their input, or in a file."""

import re
from fnmatch import fnmatchcase

import msgspec

from synaptic.shell.book.arguments import Arguments, read_arguments
from synaptic.shell.book.entries import find_program
from synaptic.shell.programs.derived import run_derived_input, run_derived_words
from synaptic.shell.programs.feed import FEEDS
from synaptic.shell.programs.fish import translate_fish
from synaptic.shell.programs.pagers import EDITOR_VARIABLES, start_named
from synaptic.shell.programs.powershell import run_powershell
from synaptic.shell.programs.starters import read_call, run_joined, run_line
from synaptic.shell.read.evaluate import Evaluation, ProgramHandler
from synaptic.shell.read.lexer import SourcePosition
from synaptic.shell.read.script import Command, Word
from synaptic.shell.read.state import INPUT_KEY, CommandCall
from synaptic.shell.read.value import VariableValue

MAX_WRITTEN = 20
"""Files of the script that are looked at where it is not known which one runs."""
PLUS_OPTION = re.compile(r"\+[a-zA-Z]+")
WINDOWS_CODE = frozenset({"/c", "/k"})
"""Words behind which `cmd` is given code."""
STARTUP_VARIABLES = ("BASH_ENV", "ENV")
"""Variables that name a file which a shell runs when it starts."""
ZSH_FOLDER = "ZDOTDIR"
ZSH_FILES = (".zshenv", ".zprofile", ".zshrc", ".zlogin", ".zlogout")
"""What zsh runs from that folder when it starts or ends."""
PRINTING_PROGRAMS = frozenset({"echo", "printf", "cat"})


def run_shell(shell: Evaluation, call: CommandCall) -> str | None:
    options, operands = _read_shell(call)
    if options.has_role("ends") or options.get_value("o") == "noexec":
        return None
    _run_startup(shell, call, options)
    if options.has("command"):
        return _run_given_code(shell, call, operands)
    # With `-s` the words are arguments of the code on the input, not a file.
    if operands and not options.has("s"):
        return _run_file(shell, call, operands)
    return _run_input(shell, call, operands)


def _read_shell(call: CommandCall) -> tuple[Arguments, list[Word]]:
    """The options and the operands; `+x` is an option as `-x` is, and `-c` may stand behind it."""
    grammar = find_program("sh").grammar
    given = read_arguments(call.words[1:], grammar)
    flags, words = given.flags, given.operands
    while words and not given.dashes and PLUS_OPTION.fullmatch(words[0].text):
        turned = Word(f"-{words[0].text[1:]}", words[0].known)
        given = read_arguments([turned, *words[1:]], grammar)
        # What `+n` and `+o noexec` name is switched off, also where it was switched on before; only `+c` brings code.
        off = {flag.name for flag in given.flags if flag.word is turned and flag.name != "command"}
        on = (flag for flag in given.flags if flag.word is not turned or flag.name == "command")
        flags, words = (*(flag for flag in flags if flag.name not in off), *on), given.operands
    return Arguments(flags), list(words)


def _run_startup(shell: Evaluation, call: CommandCall, options: Arguments) -> None:
    """The files that a shell runs before all else; variables are set when it starts."""
    for word in options.get_values("rcfile", "init-file"):
        _run_known(shell, word.text, f"{call.name} --rcfile")
    for name in STARTUP_VARIABLES:
        held = shell.variables.get(name)
        if held is not None:
            _run_known(shell, held.text, name)
    held = shell.variables.get(ZSH_FOLDER)
    if held is not None and shell.files:
        for name in ZSH_FILES:
            _run_known(shell, f"{held.text}/{name}", ZSH_FOLDER)


def _run_known(shell: Evaluation, path: str, label: str) -> None:
    text = shell.files.get(shell.make_file_key(path))
    if text is not None:
        with shell.guard_recursion(f"{label} {text}") as first, shell.isolate():
            if first:
                shell.run_code(text, label)


def _run_given_code(shell: Evaluation, call: CommandCall, operand: list[Word]) -> str | None:
    if not operand:
        return None
    with shell.feed_input(call.stdin), shell.isolate():
        shell.arguments = operand[2:]
        if len(operand) > 1:
            shell.variables["0"] = VariableValue(operand[1].text, operand[1].known)
        if call.name == "fish":
            return shell.run_code(translate_fish(operand[0].text), "fish -c")
        return run_line(shell, operand[0], f"{call.name} -c")


def _run_file(shell: Evaluation, call: CommandCall, operand: list[Word]) -> str | None:
    text = shell.files.get(shell.make_file_key(operand[0].text))
    if text is None:
        if not operand[0].known and operand[0].text[:2] in ("<(", "=("):
            shell.add_gap("code", f"{call.name} {operand[0].text}")
            run_derived_words(shell, operand[:1])
        elif operand[0].text == "-" or shell.make_file_key(operand[0].text) == INPUT_KEY:
            return _run_input(shell, call, operand[1:])
        elif shell.make_file_key(operand[0].text).startswith("/dev/fd/"):
            run_derived_input(shell, call)
        elif shell.files and (operand[0].glob or not operand[0].known):
            _run_written(shell, operand[0], call.name)
        return None
    with shell.isolate():
        shell.arguments = operand[1:]
        shell.variables["0"] = VariableValue(operand[0].text)
        return shell.run_code(text, f"{call.name} file")


def _run_input(shell: Evaluation, call: CommandCall, arguments: list[Word]) -> str | None:
    if call.stdin is not None:
        with shell.feed_input(None), shell.isolate():  # what its commands read is the rest of the code
            shell.arguments = arguments
            return shell.run_code(call.stdin, f"{call.name} <", locate_here_document(shell, call))
    if (shell.stages and shell.stages[-1][1] > 0) or any(item.operator[0] == "<" for item in call.redirects):
        shell.add_gap("code", f"{call.name} reads code that is not known")
        run_derived_input(shell, call)
    return None


def locate_here_document(shell: Evaluation, call: CommandCall) -> SourcePosition:
    """Where a here-document's text stands, when it stands in the text as it is read."""
    # The last redirection of the input counts.
    for redirect in reversed(call.redirects):
        span = redirect.target.span
        if redirect.operator == "<<" and span is not None and redirect.target.text == call.stdin:
            is_plain = shell.text[span[0] : span[1]] == call.stdin  # nothing in it was expanded
            return SourcePosition(span[0] if is_plain else None, inner=is_plain)
    return SourcePosition(None)


def run_source(shell: Evaluation, call: CommandCall) -> str | None:
    words = read_call(call).operands
    if not words:
        return None
    text = shell.files.get(shell.make_file_key(words[0].text))
    if text is not None:
        with shell.feed_input(None):
            return shell.run_code(text, "source")
    key = shell.make_file_key(words[0].text)
    if key[:2] in ("<(", "=(") or key.startswith("/dev/fd/"):
        shell.add_gap("code", f"source {words[0].text}")
        run_derived_words(shell, words[:1])
    elif path := shell.find_written_program(words[0].text) if shell.files else "":
        return shell.run_code(shell.files[shell.make_file_key(path)], "source")
    elif shell.files and (words[0].glob or not words[0].known):
        _run_written(shell, words[0], "source")
    return None


def _run_written(shell: Evaluation, word: Word, label: str) -> None:
    """Run the files that the script has written and that a pattern, or a name that is not known, may mean."""
    pattern = shell.make_file_key(word.text) if word.glob and word.known else "*"
    for path, text in list(shell.files.items())[:MAX_WRITTEN]:
        if path[:1] == "/" and fnmatchcase(path, pattern):
            with shell.guard_recursion(text) as first, shell.isolate():
                if first:
                    shell.run_code(text, f"{label} file")


def run_eval(shell: Evaluation, call: CommandCall) -> str | None:
    """All its words in one line; none of them is an option, whatever it begins with."""
    words = call.words[1:]
    return run_joined(shell, words[1:] if words and words[0].text == "--" else words, "eval")


def switch_user(shell: Evaluation, call: CommandCall) -> str | None:
    """`su -c`, `runuser -c`, `script -c`, `sg group -c`."""
    program = find_program(call.name)
    # The line may stand behind the name of the user or the group.
    given = read_arguments(call.words[1:], msgspec.structs.replace(program.grammar, stops=False))
    if lines := given.get_by_role("run"):
        return run_line(shell, lines[0], f"{call.name} -c")
    if call.stdin is not None and call.name in ("su", "runuser"):
        with shell.feed_input(None):
            return shell.run_code(call.stdin, f"{call.name} <")
    if call.name == "script":
        return shell.run_wrapped(call, list(program.read(call.words[1:]).operands[1:]), "script")
    given = program.read(call.words[1:])
    return shell.run_wrapped(call, list(given.operands), "runuser") if given.has("user") else None


def run_at(shell: Evaluation, call: CommandCall) -> str | None:
    """`at` and `batch`: the commands in a file or on their input run later."""
    named = read_call(call).get_value("f")
    text = shell.files.get(shell.make_file_key(named)) if named else call.stdin
    if text is not None:
        shell.run_code(text, call.name)
    return None


def run_crontab(shell: Evaluation, call: CommandCall) -> str | None:
    """The lines of a table that are known, also where others are not: `(crontab -l; echo ...) | crontab -`."""
    given = read_call(call)
    if given.has("e"):
        start_named(shell, call, EDITOR_VARIABLES)
    words = given.operands
    named = bool(words) and words[0].text != "-"
    text = shell.files.get(shell.make_file_key(words[0].text)) if named else call.stdin
    if text is None:
        # `crontab -l` is not known, and makes all of the input unknown. The lines that are added to it still are.
        before = [shell.commands[place] for place in words[0].outputs] if named else _list_piped_before(shell, call)
        text = "".join(_print_known(shell, one) for one in before)
    for line in text.splitlines():
        fields = line.split(None, 1 if line[:1] == "@" else 5)
        if len(fields) in (2, 6) and line[:1] != "#":
            shell.run_code(fields[-1], "crontab")
    return None


def _list_piped_before(shell: Evaluation, call: CommandCall) -> list[Command]:
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


def _print_known(shell: Evaluation, command: Command) -> str:
    """What a command prints by itself, when that is known."""
    if (
        command.name not in PRINTING_PROGRAMS
        or command.args[:1] == ("-v",)
        or any(one.is_write for one in command.redirects)
    ):
        return ""
    call = CommandCall(list(command.argv), command.name, stdin=command.stdin)
    return FEEDS[command.name](shell, call) or ""


def run_windows_line(shell: Evaluation, call: CommandCall) -> str | None:
    """`cmd /c` and everything behind it."""
    places = (at for at, word in enumerate(call.words) if word.text.lower() in WINDOWS_CODE)
    words = call.words[next(places, len(call.words)) + 1 :]
    return shell.run_code(" ".join(word.text for word in words), call.name) if words else None


SHELL_HANDLERS: dict[str, ProgramHandler] = {
    "sh": run_shell,
    "source": run_source,
    "eval": run_eval,
    **dict.fromkeys(("su", "runuser", "sg", "script"), switch_user),
    "at": run_at,
    "crontab": run_crontab,
    "pwsh": run_powershell,
    "cmd": run_windows_line,
}
