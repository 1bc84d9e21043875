"""Programs that start a command: those that the book describes, and `sudo`, `env`, `time` and others with a logic."""

import re
from collections.abc import Sequence

import msgspec

from synaptic.shell.book.arguments import Arguments, read_arguments
from synaptic.shell.book.entries import ProgramEntry, find_program
from synaptic.shell.languages.startable import CodeSurroundings, find_startable
from synaptic.shell.programs.derived import run_derived_words
from synaptic.shell.programs.pagers import SUDO_VARIABLES, start_named
from synaptic.shell.read.evaluate import Evaluation, ProgramHandler
from synaptic.shell.read.limits import MAX_ESCAPES
from synaptic.shell.read.script import Word
from synaptic.shell.read.state import CommandCall
from synaptic.shell.read.writing import quote_word

ASSIGNMENT_WORD = re.compile(r"[A-Za-z_]\w*(?:%%|\(\))?=")
SUDO_QUERIES = frozenset({"-l", "-v", "-k", "-K", "--list"})
"""First words with which `sudo` runs nothing."""
ARCHITECTURE = re.compile(
    r"x86_64|i[3-6]86|linux\d\d|uname26|(?:arm|aarch|ppc|s390|mips|sparc|riscv|parisc)\w*|alpha|ia64"
)
ENTER_KEYS = frozenset({"Enter", "C-m", "KPEnter"})
"""Keys that end a line which tmux types."""
EXPECT_SPAWN = re.compile(r"(?:^|[;{\n\[])[ \t]*+(?:spawn|exec|system|overlay)[ \t]++(?:-noecho[ \t]++)?([^;\n\]}]++)")
EXPECT_SEND = re.compile(r'\bsend(?:_user)?[ \t]++(?:--[ \t]++)?"((?:[^"\\]|\\.)*+)"', re.DOTALL)
TCL_DELETE = re.compile(r"\bfile[ \t]++delete[ \t]++(?:-force[ \t]++|--[ \t]++)*+([^;\n\]]++)")
TCL_OPEN = re.compile(r"\bopen[ \t]++\{?([~/$.][^\s\]\};]*+)")
TCL_HOME = re.compile(r"\$(?:::)?env\(HOME\)")
DEBUGGER_RUNS = re.compile(
    r"[ \t]*+(?:pipe[ \t][^|]*+\||(?:platform[ \t]++)?shell(?:[ \t]++(?:-h|--host|--))*+[ \t]++|!)(.+)"
)
DEBUGGER_PYTHON = re.compile(r"[ \t]*+(?:python|py|pi|python-interactive|script)[ \t]++(?:--[ \t]++)?(.+)")


def read_call(call: CommandCall) -> Arguments:
    """The words of a call, sorted as the book says."""
    return find_program(call.name).read(call.words[1:])


def run_line(shell: Evaluation, word: Word, label: str) -> str | None:
    """Run the shell text in a word; what of it is unknown is noted."""
    if not word.known and (word.text[:1] in "$`" or not word.text):
        shell.add_gap("code", f"{label} {word.text}")
    if not word.known:
        run_derived_words(shell, [word])
    return shell.run_code(word.text, label, shell.locate_code(word))


def start_declared(shell: Evaluation, call: CommandCall) -> str | None:
    """Run what the book says that a program runs: the value of an option, or its words, perhaps behind a verb."""
    program, label = find_program(call.name), call.name
    given = program.read(call.words[1:])
    if program.verbs:
        verb = program.find_verb(given.words[0].text) if given.words else None
        if verb is None:
            return None
        label = f"{call.name} {given.words[0].text}"
        program, given = verb, verb.read(given.operands[1:])
    lines = given.get_by_role("run")
    if lines:
        return [run_line(shell, line, f"{label} {_find_spelling(given)}") for line in lines][-1]
    return start_words(shell, call, program, given, label)


def _find_spelling(given: Arguments) -> str:
    """The option that brings a line, as it is written."""
    return next(flag.word.text.partition("=")[0] for flag in given.flags if flag.role == "run")


def start_words(
    shell: Evaluation, call: CommandCall, program: ProgramEntry, given: Arguments, label: str
) -> str | None:
    """Run the words that are a command: all behind those that are skipped, or all behind `--`."""
    roles = program.roles
    if roles.behind:
        attached = given.get_by_role("rest")
        return _run_words(shell, call, attached or given.behind, label)
    words = given.operands[len(roles.first) :]
    if roles.many == "lines":
        for word in words:
            run_line(shell, word, label)
        return None
    if roles.many == "line":
        words = tuple(word for word in words if word.text != "--")
        return run_joined(shell, words, label)
    if roles.many != "run":
        return None
    while words and ASSIGNMENT_WORD.match(words[0].text):
        words = words[1:]
    if not words and program.default:
        words = (Word(program.default),)
    return shell.run_wrapped(call, list(words), label)


def _run_words(shell: Evaluation, call: CommandCall, words: Sequence[Word], label: str) -> str | None:
    """A command with its arguments, or one line for a shell."""
    return run_line(shell, words[0], label) if len(words) == 1 else shell.run_wrapped(call, list(words), label)


def run_joined(shell: Evaluation, words: Sequence[Word], label: str) -> str | None:
    """Run the shell text that several words make."""
    if len(words) == 1:
        return run_line(shell, words[0], label)
    if unknown := [word for word in words if not word.known]:
        run_derived_words(shell, unknown)
    return shell.run_code(" ".join(word.text for word in words), label) if words else None


def run_time(shell: Evaluation, call: CommandCall) -> str | None:
    """With an option that the keyword does not take, `time` is a program, and a program runs no function."""
    words = list(read_call(call).operands)
    if not words or len(words) == len(call.words) - 1:
        return shell.run_wrapped(call, words, "time")
    # `time -p f` runs a program `f` even where a function of that name exists.
    hidden = shell.bodies.pop(words[0].text, None)
    try:
        return shell.run_wrapped(call, words, "time")
    finally:
        if hidden is not None:
            shell.bodies[hidden.name] = hidden


def run_sudo(shell: Evaluation, call: CommandCall) -> str | None:
    first = call.words[1].text if len(call.words) > 1 else ""
    if first in ("-e", "--edit"):
        start_named(shell, call, SUDO_VARIABLES)
        return None
    if first in SUDO_QUERIES:
        return None
    given = read_call(call)
    words = list(given.operands)
    while words and ASSIGNMENT_WORD.match(words[0].text):
        words.pop(0)
    folder = next(iter(given.get_values("chdir")), None)
    inner = words or ([Word("sh")] if given.has("login", "shell") else [])
    return shell.run_wrapped(call, inner, "sudo", _resolve_known_folder(shell, folder))


def run_command(shell: Evaluation, call: CommandCall) -> str | None:
    """With `-v` it prints where a program is, and runs none."""
    given = read_call(call)
    if given.has("v", "V"):
        return f"{given.operands[0].text}\n" if len(given.operands) == 1 else None
    return shell.run_wrapped(call, list(given.operands), "command")


def run_env(shell: Evaluation, call: CommandCall) -> str | None:
    """Options and assignments in any order, and `-S` with a command line of its own."""
    words, folder = call.words[1:], ""
    added: list[tuple[str, Word]] = []
    while True:
        given = read_arguments(words, find_program("env").grammar)
        split = next(iter(given.get_values("split-string")), None)
        words = list(given.operands)
        if split is not None:
            # Only the value of `-S` is split; the words behind it stay whole.
            return shell.run_code(" ".join([split.text, *(quote_word(word.text) for word in words)]), "env -S")
        folder = next((_resolve_known_folder(shell, word) for word in given.get_values("chdir")), folder)
        if words and words[0].text == "-":  # the same as `-i`
            words = words[1:]
            continue
        if given.dashes or not words or not ASSIGNMENT_WORD.match(words[0].text):
            break
        name, _, value = words[0].text.partition("=")
        added.append((name, Word(value, words[0].known)))
        words = words[1:]
    call = msgspec.structs.replace(call, assignments=(*call.assignments, *added))
    return shell.run_wrapped(call, words, "env", folder)


def _resolve_known_folder(shell: Evaluation, word: Word | None) -> str:
    return shell.make_file_key(word.text) if word and word.known and (shell.cwd or word.text[:1] == "/") else ""


def run_perf(shell: Evaluation, call: CommandCall) -> str | None:
    """`perf stat cmd`, `perf record -g -- cmd`: the options stand behind the verb."""
    program = find_program("perf")
    given = program.read(call.words[1:])
    if not given.words or program.find_verb(given.words[0].text) is None:
        return None
    return shell.run_wrapped(call, list(program.read(given.words[1:]).operands), "perf")


def run_setarch(shell: Evaluation, call: CommandCall) -> str | None:
    """The name of the architecture may be left out when an option says what is meant."""
    words = list(read_call(call).operands)
    if words and ARCHITECTURE.fullmatch(words[0].text):
        words = words[1:]
    return shell.run_wrapped(call, words or [Word("sh")], "setarch")


def run_flock(shell: Evaluation, call: CommandCall) -> str | None:
    words = read_call(call).operands[1:]
    if words and words[0].text in ("-c", "--command"):
        return shell.run_code(words[1].text, "flock -c", shell.locate_code(words[1])) if len(words) > 1 else None
    return shell.run_wrapped(call, list(words), "flock")


def run_entr(shell: Evaluation, call: CommandCall) -> str | None:
    given = read_call(call)
    if given.has("s") and given.operands:
        return shell.run_code(given.operands[0].text, "entr -s", shell.locate_code(given.operands[0]))
    return shell.run_wrapped(call, list(given.operands), "entr")


def run_tmux(shell: Evaluation, call: CommandCall) -> str | None:
    """A new session or window runs its last words in a shell; `send-keys` types them."""
    program = find_program("tmux")
    place = next((at for at, word in enumerate(call.words) if at and program.find_verb(word.text)), None)
    if place is None:
        return None
    keys = [word for word in program.read(call.words[place + 1 :]).operands if word.text not in ENTER_KEYS]
    if keys:
        shell.run_code(
            " ".join(word.text for word in keys), "tmux", shell.locate_code(keys[0]) if len(keys) == 1 else None
        )
    return None


def run_debugger(shell: Evaluation, call: CommandCall) -> str | None:
    """`gdb -ex 'shell make'`, `lldb -o 'platform shell make'`, `gdb --args program`."""
    given = read_call(call)
    texts = [word.text for word in given.get_by_role("line")]
    texts += [shell.files.get(shell.make_file_key(word.text), "") for word in given.get_by_role("lines")]
    for text in (*texts, call.stdin or ""):
        for line in text[:MAX_ESCAPES].splitlines():
            if found := DEBUGGER_RUNS.match(line):
                shell.run_code(found[1], call.name)
            elif found := DEBUGGER_PYTHON.match(line):
                shell.run_code(f"python3 -c {quote_word(found[1])}", call.name)
    return shell.run_wrapped(call, list(given.behind), call.name)


def run_expect(shell: Evaluation, call: CommandCall) -> str | None:
    """What it spawns, and what it types into that; the files that Tcl removes."""
    given = read_call(call)
    word = next(iter(given.get_values("c")), None)
    texts = [_find_script(shell, call, item) for item in (*given.get_values("f"), *given.operands[:1])]
    code = (word.text if word is not None else next((text for text in texts if text), call.stdin) or "")[:MAX_ESCAPES]
    for found in EXPECT_SPAWN.finditer(code):
        shell.run_code(found[1], call.name)
    for found in EXPECT_SEND.finditer(code):
        shell.run_code(re.sub(r"\\[rn]", "\n", found[1]).replace('\\"', '"'), call.name)
    for found in TCL_DELETE.finditer(code):
        shell.run_code(f"rm -rf {TCL_HOME.sub('~', found[1])}", call.name)
    for found in TCL_OPEN.finditer(code):
        shell.run_code(f": < {TCL_HOME.sub('~', found[1])}", call.name)
    for text in find_startable(
        CodeSurroundings(code, "tcl", tuple(item.text for item in given.operands[1:]), call.stdin)
    ):
        shell.run_code(text, call.name)
    return None


def _find_script(shell: Evaluation, call: CommandCall, file: Word) -> str | None:
    return call.stdin if file.text in ("-", "/dev/stdin") else shell.files.get(shell.make_file_key(file.text))


STARTERS: dict[str, ProgramHandler] = {
    "sudo": run_sudo,
    "command": run_command,
    "env": run_env,
    "time": run_time,
    "perf": run_perf,
    "flock": run_flock,
    "setarch": run_setarch,
    "entr": run_entr,
    "tmux": run_tmux,
    "gdb": run_debugger,
    "lldb": run_debugger,
    "expect": run_expect,
    "tclsh": run_expect,
}
