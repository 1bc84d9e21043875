"""Tools that run commands as a side line: editors, tar, database shells, patches."""

import re

import msgspec

from synaptic.shell.effects.arguments import operands as operands_of
from synaptic.shell.programs.makefile import Makefile
from synaptic.shell.programs.options import letter_values, value_of
from synaptic.shell.programs.pagers import OF_DATABASES, PAGED, start_named
from synaptic.shell.read.evaluate import Evaluation, Handler
from synaptic.shell.read.script import Word
from synaptic.shell.read.state import Call

PATCHED = re.compile(r"^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$", re.MULTILINE)
EDITOR_ESCAPE = re.compile(r"^:?\s*!\s*(.+)|^:?(?:call\s+)?system\(\s*['\"](.+)['\"]\s*\)", re.DOTALL)
CLIENT_ESCAPE = re.compile(r"(?:^|;)[^\S\n]*(?:\\!|\.shell|\.system|\\system)\s+(.+)", re.MULTILINE)

MAKEFILE = frozenset({"-f", "--file", "--makefile"})
MAKE = MAKEFILE | {"-C", "--directory", "-I", "-o", "-W", "-l"}
RSYNC = frozenset({"-e", "-B", "-f", "-M", "-T"})
PLAIN_SSH = re.compile(r"ssh\b(?!.*Command)", re.IGNORECASE | re.DOTALL)


def _given(shell: Evaluation, text: str | None, label: str) -> None:
    if text:
        shell.code(text, label)


def editor(shell: Evaluation, call: Call) -> str | None:
    """`vim -c '!cmd'`, `+!cmd`; `ex` and `ed` with commands on their input."""
    texts = call.texts()
    lines = [texts[place + 1] for place, text in enumerate(texts[:-1]) if text in ("-c", "--cmd")]
    lines += [text[1:] for text in texts if text[:1] == "+"]
    if call.name in ("ex", "ed", "red") and call.stdin:
        lines += call.stdin.splitlines()
    for line in lines:
        found = EDITOR_ESCAPE.match(line)
        if found:
            shell.code(found[1] or found[2], call.name)
    return None


def tar(shell: Evaluation, call: Call) -> str | None:
    for text in call.texts():
        found = re.match(
            r"--checkpoint-action=exec=(.+)|--(?:to-command|use-compress-program|rsh-command)=(.+)", text, re.S
        )
        if found:
            shell.code(found[1] or found[2], "tar")
    _given(shell, _text(value_of(call.words[1:], frozenset({"-I"}))), "tar -I")
    return None


def rsync(shell: Evaluation, call: Call) -> str | None:
    """The remote shell it starts; plain `ssh` runs nothing else, unless its settings name a command."""
    long = value_of(call.words[1:], frozenset({"--rsh"}))
    for given in (*letter_values(call.words[1:], RSYNC, "e"), *([long] if long else [])):
        if not PLAIN_SSH.match(given.text):
            shell.code(given.text, "rsync -e")
    return None


def _text(word: Word | None) -> str | None:
    return word.text if word else None


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
    folder = value_of(call.words[1:], frozenset({"-C", "--directory"}))
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
        _recipes(shell, call)
    return None


def _recipes(shell: Evaluation, call: Call) -> None:
    text = _makefile(shell, call)
    if text is None:
        return
    shell.budget.text(len(text))
    words = [word.text for word in operands_of(call.words[1:], MAKE)]
    goals = [word for word in words if "=" not in word and not word.isdigit()]
    lines = Makefile(text).recipes(goals, dict(word.split("=", 1) for word in words if "=" in word))
    with shell.within(f"{goals} {text}") as first:
        for line in lines if first else ():
            with shell.apart():
                shell.code(line, "make")


def _makefile(shell: Evaluation, call: Call) -> str | None:
    named = value_of(call.words[1:], MAKEFILE)
    if named is not None and named.text == "-":
        return call.stdin
    paths = [named.text] if named else ["GNUmakefile", "makefile", "Makefile"]
    return next((text for path in paths if (text := shell.files.get(shell.path(path))) is not None), None)


def copied(shell: Evaluation, call: Call) -> str | None:
    """`cp` and `mv` of a file whose text is known: it is known under its new name, too."""
    words = operands_of(call.words[1:]) if shell.files else []
    if len(words) != 2:
        return None
    text = shell.files.get(shell.path(words[0].text))
    if text is not None and words[1].known:
        name, target = words[0].text.rpartition("/")[2], words[1].text.rstrip("/")
        shell.keep(target, text)
        shell.keep(f"{target}/{name}", text)
    return None


def where(_: Evaluation, call: Call) -> str | None:
    """`which rm`: the program's name stands for its path."""
    texts = [text for text in call.texts() if text[:1] != "-"]
    return f"{texts[0]}\n" if len(texts) == 1 else None


ESCAPES: dict[str, Handler] = {
    **dict.fromkeys(("vim", "vi", "nvim", "ex", "ed", "red", "view", "gvim"), editor),
    **dict.fromkeys(("tar", "gtar", "bsdtar"), tar),
    "rsync": rsync,
    **dict.fromkeys(("psql", "mysql", "mariadb", "sqlite3"), client),
    **dict.fromkeys(("apply_patch", "applypatch"), patch),
    **dict.fromkeys(("make", "gmake"), make),
    **dict.fromkeys(("cp", "mv", "gcp", "gmv", "ln"), copied),
    **dict.fromkeys(("which", "type", "whence"), where),
    **PAGED,
}
