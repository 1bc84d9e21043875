"""Tools that can run commands besides their main task: editors, tar, database shells, patches."""

import re

import msgspec

from synaptic.shell.book.arguments import Arguments, read_arguments
from synaptic.shell.book.entries import find_program
from synaptic.shell.globs import GLOB_SIGN
from synaptic.shell.languages.startable import CodeSurroundings, find_startable
from synaptic.shell.programs.elsewhere import find_text
from synaptic.shell.programs.makefile import Makefile
from synaptic.shell.programs.pagers import DATABASE_VARIABLES, start_named
from synaptic.shell.programs.patches import note_diff
from synaptic.shell.programs.starters import read_call, run_line
from synaptic.shell.read.evaluate import Evaluation, ProgramHandler
from synaptic.shell.read.limits import MAX_ESCAPES, MAX_ITEMS
from synaptic.shell.read.script import Word
from synaptic.shell.read.state import CommandCall
from synaptic.shell.read.writing import quote_word

PATCHED_FILE = re.compile(r"^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$", re.MULTILINE)
EDITOR_ESCAPE = re.compile(
    r"(?:^|[\s:|\"'\d%])!\s*([^\s=~!].*)|system(?:list)?\(\s*['\"](.+)['\"]\s*\)|\b(?:py3?|python3?)\s+(.+)", re.DOTALL
)
CLIENT_ESCAPE = re.compile(
    r"(?:^|;)[^\S\n]*(?:(?:\\!|\.sh\w*|\.sys\w*|\\system)\s+|(?:\.o\w*|\.read|\\o|\\g|\.ex\w*)\s+['\"]?\|)(.+)",
    re.MULTILINE,
)
SOCAT_ADDRESS = re.compile(r"(exec|system|shell):(.+)", re.IGNORECASE | re.DOTALL)
SOCAT_OPTIONS = re.compile(r"(?:,[\w-]+(?:=[\w./-]+)?)+$")
MACRO_COMMAND = re.compile(r"\be?syscmd\(\s*`?([^)']*)")

TRANSPORT_VARIABLES = ("RSYNC_RSH", "RSYNC_CONNECT_PROG")
MAKEFILE_INCLUDES = re.compile(r"^[ \t]*-?s?include[ \t]+(\S+)", re.MULTILINE)
MAX_INCLUDES = 8
OPTION_WORD = re.compile(r"""(?:[^\s'"]|'[^']*'|"[^"]*")+""")
PLAIN_SSH = re.compile(r"ssh\b(?!.*Command)", re.IGNORECASE | re.DOTALL)
NODE_STARTERS = ("npx", "bunx", "pnpx", "npm", "pnpm", "yarn")
NOT_DELETED_STARTS = ("-", "!")
"""What a word begins with that is an option, or names what is left alone."""


def run_editor(shell: Evaluation, call: CommandCall) -> str | None:
    """`vim -c '!cmd'`, `+!cmd`, `-S file`; `ex` and `ed` with commands on their input."""
    given = read_call(call)
    lines = [word.text for word in given.get_by_role("vim")]
    lines += [word.text.lstrip("+") for word in given.operands if word.text[:1] in "+!"]
    for file in given.get_values("S", "u"):
        lines += (find_text(shell, call, file) or "").splitlines()
    if call.name in ("ex", "ed", "red") and call.stdin:
        lines += call.stdin.splitlines()
    for line in lines[:MAX_ITEMS]:
        found = EDITOR_ESCAPE.search(line)
        if found and found[3]:
            shell.run_code(f"python3 -c {quote_word(found[3])}", call.name)
        elif found:
            shell.run_code((found[1] or found[2]).rstrip("'\""), call.name)
    return None


def run_socat(shell: Evaluation, call: CommandCall) -> str | None:
    """`socat - EXEC:cmd`: addresses that are programs, with what the other address brings as their input."""
    for word in read_call(call).operands:
        found = SOCAT_ADDRESS.fullmatch(word.text)
        if found:
            with shell.feed_input(call.stdin):
                shell.run_code(SOCAT_OPTIONS.sub("", found[2]), "EXEC of socat")
    return None


def run_macros(shell: Evaluation, call: CommandCall) -> str | None:
    """`m4`: macros that run a command."""
    files = [find_text(shell, call, word) for word in read_call(call).operands]
    for text in (call.stdin, *files):
        for found in MACRO_COMMAND.finditer((text or "")[:MAX_ESCAPES]):
            shell.run_code(found[1], "m4")
    return None


def run_calculator(shell: Evaluation, call: CommandCall) -> str | None:
    """`dc -e '!cmd'`: a line that begins with an exclamation mark is for a shell."""
    for line in "\n".join((*call.list_texts(), call.stdin or "")).splitlines()[:MAX_ITEMS]:
        if line[:1] == "!":
            shell.run_code(line[1:], call.name)
    return None


def run_compiler(shell: Evaluation, call: CommandCall) -> str | None:
    """`gcc -wrapper sh,-c,cmd`; code that starts programs counts as run, because it is compiled to be."""
    given = read_call(call)
    for word in given.get_by_role("commas"):
        shell.run_wrapped(call, [Word(text) for text in word.text.split(",")], "gcc -wrapper")
    for word in (Word("-"), *given.operands):
        text = find_text(shell, call, word)
        for found in find_startable(CodeSurroundings(text, "c")) if text else ():
            shell.run_code(found, "compiled code")
    return None


def run_group_shell(shell: Evaluation, call: CommandCall) -> str | None:
    """`sg group cmd`, `sg group -c cmd`, `capsh -- -c cmd`: what is not a line goes to a shell."""
    given = read_arguments(call.words[1:], msgspec.structs.replace(find_program(call.name).grammar, stops=False))
    if lines := given.get_by_role("run"):
        return run_line(shell, lines[0], call.name)
    if call.name == "capsh":
        marks = (place for place, word in enumerate(call.words) if word.text in ("--", "=="))
        place = next(marks, None)
        return shell.run_wrapped(call, [Word("sh"), *call.words[place + 1 :]], "capsh") if place is not None else None
    words = given.operands[1:]
    return run_line(shell, words[0], call.name) if words else shell.run_wrapped(call, [Word("sh")], call.name)


def run_folder(shell: Evaluation, call: CommandCall) -> str | None:
    """`run-parts folder`: every program in it that the same text has written."""
    for word in read_call(call).operands[-1:]:
        folder = shell.make_file_key(word.text).rstrip("/")
        for path in [one for one in shell.files if one.rpartition("/")[0] == folder]:
            shell.run_wrapped(call, [Word(path)], "run-parts")
    return None


def run_tar(shell: Evaluation, call: CommandCall) -> str | None:
    """`--to-command`, `-I`, and a checkpoint that executes something."""
    more = dict(call.assignments).get("TAR_OPTIONS") or shell.variables.get("TAR_OPTIONS")
    split = [Word(text) for text in read_options(more.text)] if more is not None else []
    given = find_program(call.name).read([*call.words[1:2], *split, *call.words[2:]])
    for word in given.get_by_role("run"):
        run_line(shell, word, "tar")
    for action in given.get_values("checkpoint-action"):
        if action.text.startswith("exec="):
            shell.run_code(action.text.removeprefix("exec="), "tar")
    return None


def run_rsync(shell: Evaluation, call: CommandCall) -> str | None:
    """The remote shell it starts; plain `ssh` runs nothing else, unless its settings name a command."""
    start_named(shell, call, TRANSPORT_VARIABLES)
    for word in read_call(call).get_by_role("run"):
        if not PLAIN_SSH.match(word.text):
            shell.run_code(word.text, "rsync -e")
    return None


def run_database_client(shell: Evaluation, call: CommandCall) -> str | None:
    """Database shells that can start a program: `psql -c '\\! cmd'`, `sqlite3 db '.shell cmd'`."""
    start_named(shell, call, DATABASE_VARIABLES)
    files = [find_text(shell, call, word) or "" for word in call.words[1:]] if shell.files else []
    for text in [*call.list_texts(), call.stdin or "", *files]:
        for found in CLIENT_ESCAPE.finditer(text[:20_000]):
            shell.run_code(found[1].rstrip("'\""), call.name)
    return None


def note_patched_files(shell: Evaluation, call: CommandCall) -> str | None:
    """`apply_patch`: the files it names."""
    text = call.stdin or "\n".join(call.list_texts())
    paths = tuple(dict.fromkeys(path.rstrip() or path[0] for path in PATCHED_FILE.findall(text)))
    held = shell.commands[call.index]
    shell.commands[call.index] = msgspec.structs.replace(held, paths=paths)
    return None


def run_make(shell: Evaluation, call: CommandCall) -> str | None:
    """`make -C`: the command runs in another folder. Recipes that the same text has written run, too."""
    given = read_call(call)
    folder = next(iter(given.get_values("directory")), None)
    cwd = shell.cwd
    if folder is not None:
        known = folder.known and (cwd or folder.text[:1] == "/")
        cwd = shell.make_file_key(folder.text) if known else ""
        held = shell.commands[call.index]
        shell.commands[call.index] = msgspec.structs.replace(held, cwd=cwd)
    if not (shell.files or call.stdin or given.has("eval") or call.assignments):
        return None
    with shell.isolate():
        shell.cwd = cwd
        _run_recipes(shell, call, given)
    return None


def _run_recipes(shell: Evaluation, call: CommandCall, given: Arguments) -> None:
    said = dict(call.assignments)
    flags = [Word(text) for text in read_options(said["MAKEFLAGS"].text)] if "MAKEFLAGS" in said else []
    given = find_program("make").read([*flags, *call.words[1:]]) if flags else given
    text = "\n".join(
        filter(None, (*(word.text for word in given.get_values("eval")), _find_makefile(shell, call, given)))
    )
    for name in MAKEFILE_INCLUDES.findall(text)[:MAX_INCLUDES]:
        text += "\n" + (shell.files.get(shell.make_file_key(name)) or "")
    if not text:
        return
    shell.budget.count_text(len(text))
    words = [word.text for word in given.operands]
    goals = [word for word in words if "=" not in word and not word.isdigit()]
    values = {name: word.text for name, word in call.assignments}
    made = Makefile(text)
    # A recipe may call make with the same goal again.
    with shell.guard_recursion(f"{goals} {text}") as first:
        for line in made.iter_immediate() if first else ():
            with shell.isolate():
                shell.run_code(line, "make")
        for line in (
            made.iter_recipes(goals, values | dict(word.split("=", 1) for word in words if "=" in word))
            if first
            else ()
        ):
            with shell.isolate():
                shell.run_code(line, "make")


def _find_makefile(shell: Evaluation, call: CommandCall, given: Arguments) -> str | None:
    held = dict(call.assignments).get("MAKEFILES") or shell.variables.get("MAKEFILES")
    named = given.get_values("file") or ([Word(held.text)] if held is not None else [])
    paths = named or [Word(name) for name in ("GNUmakefile", "makefile", "Makefile")]
    return next((text for path in paths if (text := find_text(shell, call, path)) is not None), None)


def read_options(text: str) -> tuple[str, ...]:
    """The options in a variable; those that begin without a dash are letters."""
    return tuple(word.replace("'", "").replace('"', "") for word in OPTION_WORD.findall(text.replace("\\ ", " ")))


def copy_known_file(shell: Evaluation, call: CommandCall) -> str | None:
    """`cp` and `mv` of a file whose text is known: it is known under its new name, too."""
    words = read_call(call).operands if shell.files else ()
    if len(words) != 2:
        return None
    text = shell.files.get(shell.make_file_key(words[0].text))
    if text is not None and words[1].known:
        name, target = words[0].text.rpartition("/")[2], words[1].text.rstrip("/")
        # The target may be a folder or a file; only the file system knows, so both names count.
        shell.remember_file(target, text)
        shell.remember_file(f"{target}/{name}", text)
    return None


def run_which(_: Evaluation, call: CommandCall) -> str | None:
    """`which rm`: the program's name stands for its path."""
    texts = [text for text in call.list_texts() if text[:1] != "-"]
    return f"{texts[0]}\n" if len(texts) == 1 else None


def run_deleter(shell: Evaluation, call: CommandCall) -> str | None:
    """`rimraf`, `del-cli`: patterns in their words are theirs, quoted or not. `del` alone is a command of Windows."""
    started = shell.via[-1].partition(" ")[0] if shell.via else ""
    # Wrapping it as `rm -rf` would refuse `del file.txt`, which a Windows user types.
    if call.name == "del" and started not in NODE_STARTERS:
        return None
    words = [_mark_pattern(word) for word in call.words[1:] if word.text[:1] not in NOT_DELETED_STARTS]
    return shell.run_wrapped(call, [Word("rm"), Word("-rf"), *words], call.name) if words else None


def _mark_pattern(word: Word) -> Word:
    return msgspec.structs.replace(word, glob=True) if GLOB_SIGN.search(word.text) else word


ESCAPES: dict[str, ProgramHandler] = {
    **dict.fromkeys(("vim", "view", "ed"), run_editor),
    "socat": run_socat,
    "m4": run_macros,
    "dc": run_calculator,
    "gcc": run_compiler,
    "run-parts": run_folder,
    **dict.fromkeys(("sg", "capsh"), run_group_shell),
    "tar": run_tar,
    "rsync": run_rsync,
    **dict.fromkeys(("psql", "mysql", "sqlite3"), run_database_client),
    "apply_patch": note_patched_files,
    "patch": note_diff,
    "make": run_make,
    **dict.fromkeys(("cp", "mv", "ln"), copy_known_file),
    **dict.fromkeys(("which", "type"), run_which),
    **dict.fromkeys(("rimraf", "del"), run_deleter),
}
