"""Tools that can run commands besides their main task: editors, tar, database shells, patches."""

import re

import msgspec

from synaptic.shell.book.arguments import Arguments
from synaptic.shell.globs import GLOB_SIGN
from synaptic.shell.programs.makefile import Makefile
from synaptic.shell.programs.pagers import DATABASE_VARIABLES, start_named
from synaptic.shell.programs.starters import read_call, run_line
from synaptic.shell.read.evaluate import Evaluation, ProgramHandler
from synaptic.shell.read.script import Word
from synaptic.shell.read.state import CommandCall

PATCHED_FILE = re.compile(r"^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$", re.MULTILINE)
EDITOR_ESCAPE = re.compile(r"^:?\s*!\s*(.+)|^:?(?:call\s+)?system\(\s*['\"](.+)['\"]\s*\)", re.DOTALL)
CLIENT_ESCAPE = re.compile(r"(?:^|;)[^\S\n]*(?:\\!|\.shell|\.system|\\system)\s+(.+)", re.MULTILINE)

PLAIN_SSH = re.compile(r"ssh\b(?!.*Command)", re.IGNORECASE | re.DOTALL)
NODE_STARTERS = ("npx", "bunx", "pnpx", "npm", "pnpm", "yarn")
NOT_DELETED_STARTS = ("-", "!")
"""What a word begins with that is an option, or names what is left alone."""


def run_editor(shell: Evaluation, call: CommandCall) -> str | None:
    """`vim -c '!cmd'`, `+!cmd`; `ex` and `ed` with commands on their input."""
    given = read_call(call)
    lines = [word.text for word in given.get_by_role("vim")]
    lines += [word.text[1:] for word in given.operands if word.text[:1] == "+"]
    if call.name in ("ex", "ed", "red") and call.stdin:
        lines += call.stdin.splitlines()
    for line in lines:
        found = EDITOR_ESCAPE.match(line)
        if found:
            shell.run_code(found[1] or found[2], call.name)
    return None


def run_tar(shell: Evaluation, call: CommandCall) -> str | None:
    """`--to-command`, `-I`, and a checkpoint that executes something."""
    given = read_call(call)
    for word in given.get_by_role("run"):
        run_line(shell, word, "tar")
    for action in given.get_values("checkpoint-action"):
        if action.text.startswith("exec="):
            shell.run_code(action.text.removeprefix("exec="), "tar")
    return None


def run_rsync(shell: Evaluation, call: CommandCall) -> str | None:
    """The remote shell it starts; plain `ssh` runs nothing else, unless its settings name a command."""
    for word in read_call(call).get_by_role("run"):
        if not PLAIN_SSH.match(word.text):
            shell.run_code(word.text, "rsync -e")
    return None


def run_database_client(shell: Evaluation, call: CommandCall) -> str | None:
    """Database shells that can start a program: `psql -c '\\! cmd'`, `sqlite3 db '.shell cmd'`."""
    start_named(shell, call, DATABASE_VARIABLES)
    for text in [*call.list_texts(), call.stdin or ""]:
        for found in CLIENT_ESCAPE.finditer(text[:20_000]):
            shell.run_code(found[1], call.name)
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
    if not (shell.files or call.stdin):
        return None
    with shell.isolate():
        shell.cwd = cwd
        _run_recipes(shell, call, given)
    return None


def _run_recipes(shell: Evaluation, call: CommandCall, given: Arguments) -> None:
    text = _find_makefile(shell, call, given)
    if text is None:
        return
    shell.budget.count_text(len(text))
    words = [word.text for word in given.operands]
    goals = [word for word in words if "=" not in word and not word.isdigit()]
    lines = Makefile(text).iter_recipes(goals, dict(word.split("=", 1) for word in words if "=" in word))
    # A recipe may call make with the same goal again.
    with shell.guard_recursion(f"{goals} {text}") as first:
        for line in lines if first else ():
            with shell.isolate():
                shell.run_code(line, "make")


def _find_makefile(shell: Evaluation, call: CommandCall, given: Arguments) -> str | None:
    named = given.get_value("file")
    if named == "-":
        return call.stdin
    paths = [named] if named else ["GNUmakefile", "makefile", "Makefile"]
    return next((text for path in paths if (text := shell.files.get(shell.make_file_key(path))) is not None), None)


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
    **dict.fromkeys(("vim", "ed", "view"), run_editor),
    "tar": run_tar,
    "rsync": run_rsync,
    **dict.fromkeys(("psql", "mysql", "sqlite3"), run_database_client),
    "apply_patch": note_patched_files,
    "make": run_make,
    **dict.fromkeys(("cp", "mv", "ln"), copy_known_file),
    **dict.fromkeys(("which", "type"), run_which),
    **dict.fromkeys(("rimraf", "del"), run_deleter),
}
