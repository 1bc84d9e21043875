"""Tools that can run commands besides their main task: editors, tar, database shells, patches."""

import re

import msgspec

from synaptic.shell.book.arguments import Arguments
from synaptic.shell.globs import SIGN
from synaptic.shell.programs.makefile import Makefile
from synaptic.shell.programs.pagers import OF_DATABASES, start_named
from synaptic.shell.programs.starters import read_call, run_line
from synaptic.shell.read.evaluate import Evaluation, Handler
from synaptic.shell.read.script import Word
from synaptic.shell.read.state import Call

PATCHED = re.compile(r"^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$", re.MULTILINE)
EDITOR_ESCAPE = re.compile(r"^:?\s*!\s*(.+)|^:?(?:call\s+)?system\(\s*['\"](.+)['\"]\s*\)", re.DOTALL)
CLIENT_ESCAPE = re.compile(r"(?:^|;)[^\S\n]*(?:\\!|\.shell|\.system|\\system)\s+(.+)", re.MULTILINE)

PLAIN_SSH = re.compile(r"ssh\b(?!.*Command)", re.IGNORECASE | re.DOTALL)
OF_NODE = ("npx", "bunx", "pnpx", "npm", "pnpm", "yarn")
OPTION_OR_KEPT = ("-", "!")
"""What a word begins with that is an option, or names what is left alone."""


def editor(shell: Evaluation, call: Call) -> str | None:
    """`vim -c '!cmd'`, `+!cmd`; `ex` and `ed` with commands on their input."""
    given = read_call(call)
    lines = [word.text for word in given.of_role("vim")]
    lines += [word.text[1:] for word in given.operands if word.text[:1] == "+"]
    if call.name in ("ex", "ed", "red") and call.stdin:
        lines += call.stdin.splitlines()
    for line in lines:
        found = EDITOR_ESCAPE.match(line)
        if found:
            shell.code(found[1] or found[2], call.name)
    return None


def tar(shell: Evaluation, call: Call) -> str | None:
    """`--to-command`, `-I`, and a checkpoint that executes something."""
    given = read_call(call)
    for word in given.of_role("run"):
        run_line(shell, word, "tar")
    for action in given.values("checkpoint-action"):
        if action.text.startswith("exec="):
            shell.code(action.text.removeprefix("exec="), "tar")
    return None


def rsync(shell: Evaluation, call: Call) -> str | None:
    """The remote shell it starts; plain `ssh` runs nothing else, unless its settings name a command."""
    for word in read_call(call).of_role("run"):
        if not PLAIN_SSH.match(word.text):
            shell.code(word.text, "rsync -e")
    return None


def client(shell: Evaluation, call: Call) -> str | None:
    """Database shells that can start a program: `psql -c '\\! cmd'`, `sqlite3 db '.shell cmd'`."""
    start_named(shell, call, OF_DATABASES)
    for text in [*call.texts(), call.stdin or ""]:
        for found in CLIENT_ESCAPE.finditer(text[:20_000]):
            shell.code(found[1], call.name)
    return None


def patch(shell: Evaluation, call: Call) -> str | None:
    """`apply_patch`: the files it names."""
    text = call.stdin or "\n".join(call.texts())
    paths = tuple(dict.fromkeys(path.rstrip() or path[0] for path in PATCHED.findall(text)))
    held = shell.commands[call.index]
    shell.commands[call.index] = msgspec.structs.replace(held, paths=paths)
    return None


def make(shell: Evaluation, call: Call) -> str | None:
    """`make -C`: the command runs in another folder. Recipes that the same text has written run, too."""
    given = read_call(call)
    folder = next(iter(given.values("directory")), None)
    cwd = shell.cwd
    if folder is not None:
        known = folder.known and (cwd or folder.text[:1] == "/")
        cwd = shell.path(folder.text) if known else ""
        held = shell.commands[call.index]
        shell.commands[call.index] = msgspec.structs.replace(held, cwd=cwd)
    if not (shell.files or call.stdin):
        return None
    with shell.apart():
        shell.cwd = cwd
        _recipes(shell, call, given)
    return None


def _recipes(shell: Evaluation, call: Call, given: Arguments) -> None:
    text = _makefile(shell, call, given)
    if text is None:
        return
    shell.budget.text(len(text))
    words = [word.text for word in given.operands]
    goals = [word for word in words if "=" not in word and not word.isdigit()]
    lines = Makefile(text).recipes(goals, dict(word.split("=", 1) for word in words if "=" in word))
    # A recipe may call make with the same goal again.
    with shell.within(f"{goals} {text}") as first:
        for line in lines if first else ():
            with shell.apart():
                shell.code(line, "make")


def _makefile(shell: Evaluation, call: Call, given: Arguments) -> str | None:
    named = given.value("file")
    if named == "-":
        return call.stdin
    paths = [named] if named else ["GNUmakefile", "makefile", "Makefile"]
    return next((text for path in paths if (text := shell.files.get(shell.path(path))) is not None), None)


def copied(shell: Evaluation, call: Call) -> str | None:
    """`cp` and `mv` of a file whose text is known: it is known under its new name, too."""
    words = read_call(call).operands if shell.files else ()
    if len(words) != 2:
        return None
    text = shell.files.get(shell.path(words[0].text))
    if text is not None and words[1].known:
        name, target = words[0].text.rpartition("/")[2], words[1].text.rstrip("/")
        # The target may be a folder or a file; only the file system knows, so both names count.
        shell.keep(target, text)
        shell.keep(f"{target}/{name}", text)
    return None


def where(_: Evaluation, call: Call) -> str | None:
    """`which rm`: the program's name stands for its path."""
    texts = [text for text in call.texts() if text[:1] != "-"]
    return f"{texts[0]}\n" if len(texts) == 1 else None


def deleter(shell: Evaluation, call: Call) -> str | None:
    """`rimraf`, `del-cli`: patterns in their words are theirs, quoted or not. `del` alone is a command of Windows."""
    started = shell.via[-1].partition(" ")[0] if shell.via else ""
    # Wrapping it as `rm -rf` would refuse `del file.txt`, which a Windows user types.
    if call.name == "del" and started not in OF_NODE:
        return None
    words = [_pattern(word) for word in call.words[1:] if word.text[:1] not in OPTION_OR_KEPT]
    return shell.wrapped(call, [Word("rm"), Word("-rf"), *words], call.name) if words else None


def _pattern(word: Word) -> Word:
    return msgspec.structs.replace(word, glob=True) if SIGN.search(word.text) else word


ESCAPES: dict[str, Handler] = {
    **dict.fromkeys(("vim", "ed", "view"), editor),
    "tar": tar,
    "rsync": rsync,
    **dict.fromkeys(("psql", "mysql", "sqlite3"), client),
    "apply_patch": patch,
    "make": make,
    **dict.fromkeys(("cp", "mv", "ln"), copied),
    **dict.fromkeys(("which", "type"), where),
    **dict.fromkeys(("rimraf", "del"), deleter),
}
