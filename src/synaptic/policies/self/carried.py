"""Paths in the texts that programs are given: scripts of editors, statements of databases, code that opens a door."""

import re
from collections.abc import Iterator

from synaptic.policies.reading import select_commands
from synaptic.shell.book.entries import find_program
from synaptic.shell.names import split_names
from synaptic.shell.paths import MAX_PATH, Standpoint, resolve_path
from synaptic.shell.read.script import Command, Script

EDITOR_PROGRAMS = split_names("vim vi nvim ex gvim view ed red emacs emacsclient nano micro kak hx joe jed mg")
"""Editors: a text that they are given may say where they write to."""
AWK_PROGRAMS = split_names("awk gawk mawk nawk original-awk")
SED_PROGRAMS = frozenset({"sed", "gsed"})
TEXT_PROGRAMS = EDITOR_PROGRAMS | AWK_PROGRAMS | SED_PROGRAMS
AWK_WRITES = re.compile(r"print[^\n]*>|[|]|system\s*\(")
"""What an awk program holds that writes to a file or starts something."""
AWK_FILE_OPTIONS = frozenset({"-f", "--file", "-E", "--exec"})
"""With these nobody sees the program."""
SED_WRITES = re.compile(r"(?:^|[^A-Za-z\\])[wW]\s*([~/$.\w][^\n;}]*)|[/|,#!][gpiIMe\d]*w\s*([^\n;}]+)")
"""`w FILE`, and `s/a/b/w FILE`."""
DOOR_CODE = re.compile(
    r"socket|af_unix|unix|connect|sqlite|\bdbi\b|\bpdo\b|\bnet\b|database|duckdb|dbm|shelve|symlink|os\.link",
    re.IGNORECASE,
)
"""What code holds that talks to a daemon or opens a database, in whatever language."""
PATH_IN_TEXT = re.compile(r"(?:~|\$HOME|\$\{HOME\}|/|\.{1,2}/)[^\s\"'`;,(){}<>|&?]*")
TEXT_JOINS = re.compile(r"[\s\"'`+.,()\[\]]++(?=([\w/])?)")
QUOTES = re.compile(r"[\"'`]+")
"""What stands between the parts of a text that code puts together: `'.syn' + 'aptic'`."""
MAX_TEXT = 20_000
"""Characters of one text that are looked at."""
MAX_FOUND = 64


def iter_carried(found: Script, at: Standpoint, hints: re.Pattern[str], engine_folder: str) -> Iterator[str]:
    """The paths that a text may make a program change. Code that opens a door to the engine means its folder."""
    for command in select_commands(found, [name for name in found.by_name if _takes_text(name)]):
        here = Standpoint(command.cwd or at.cwd, at.home)
        for text in _list_texts(command):
            yield from _iter_paths(command, text, here, hints, engine_folder)


def _takes_text(name: str) -> bool:
    entry = find_program(name)
    return name in TEXT_PROGRAMS or bool(entry.language) or bool(entry.database)


def _list_texts(command: Command) -> list[str]:
    texts = [*command.args, *([command.stdin] if command.stdin else [])]
    if command.name in AWK_PROGRAMS:
        texts += [value.text for _, value in command.assignments]
    # awk gets a path in one word and writes to it in another.
    together = " ".join(texts) if command.name in AWK_PROGRAMS else ""
    return [text[:MAX_TEXT] for text in ([together] if together else texts)]


def _iter_paths(
    command: Command, text: str, at: Standpoint, hints: re.Pattern[str], engine_folder: str
) -> Iterator[str]:
    name = command.name
    if name in SED_PROGRAMS:
        yield from _resolve_all((one[0] or one[1] for one in SED_WRITES.findall(text)), at)
    elif not hints.search(text) and not hints.search(_put_together(text)):
        return
    elif name in AWK_PROGRAMS:
        if AWK_WRITES.search(text) or AWK_FILE_OPTIONS.intersection(command.args):
            yield from _resolve_all(PATH_IN_TEXT.findall(text.replace("=", " ")), at)
            yield from _find_engine(text, engine_folder)
    elif name in EDITOR_PROGRAMS or find_program(name).database:
        yield from _resolve_all(PATH_IN_TEXT.findall(text.replace("=", " ").replace(":", " ")), at)
    elif DOOR_CODE.search(text):
        yield from _find_engine(f"{text}\n{_put_together(text)}", engine_folder)


def _put_together(text: str) -> str:
    """A text without what stands between its parts: before a name all of it, else quotes, and what is before a dot."""
    return TEXT_JOINS.sub(_drop_join, text)


def _drop_join(join: re.Match[str]) -> str:
    return "" if join[1] else QUOTES.sub("", join[0][max(join[0].rfind("."), 0) :])


def _find_engine(text: str, engine_folder: str) -> Iterator[str]:
    """The engine's folder, when a text names it or what is only there, however it says where that is."""
    low = text.lower()
    if engine_folder and any(sign in low for sign in (".synaptic", "daemon.sock", "synaptic.db")):
        yield engine_folder


def _resolve_all(texts: Iterator[str] | list[str], at: Standpoint) -> Iterator[str]:
    for number, text in enumerate(texts):
        if number < MAX_FOUND and len(text) <= MAX_PATH and (path := resolve_path(text.strip(), at)):
            yield path
