"""What is not known about the programs that a hook starts: those that run code of the folder they are in."""

import os
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Protocol

from synaptic.hooks.code_programs import (
    FOLDER_PROGRAMS,
    LOADING_OPTIONS,
    LOOKUP_VARIABLES,
    PLAIN_PROGRAMS,
    SCRIPT_OPTION,
    SCRIPTED_PROGRAMS,
)
from synaptic.hooks.named_files import SOURCING_COMMANDS
from synaptic.model.environment import SYSTEM_FOLDERS
from synaptic.shell.book.entries import find_program, normalize_name
from synaptic.shell.read.script import Command, Script
from synaptic.shell.read.writing import quote_word

ASSIGNMENT = re.compile(rf"(?<![\w$])({'|'.join(sorted(LOOKUP_VARIABLES))})\+?=(\S*)")
UNSET_PATH = re.compile(r"\bunset\b[^\n;&|]*\bPATH\b")
MAKE_PROGRAMS = frozenset({"make", "gmake"})
MAKE_FILES = ("GNUmakefile", "makefile", "Makefile")
MAKE_LOADER = re.compile(r"^[ \t]*-?s?include\b|^[ \t]*load\b|\$[({](?:eval|shell|guile|file)\b", re.MULTILINE)
"""By these a Makefile takes in or makes what does not stand in it plainly."""
GIT_PLACE = re.compile(r"-[cC]$|--(?:git-dir|work-tree|exec-path|config-env|super-prefix)\b")
STARTING_SETTING = re.compile(
    r"^\s*\[\s*(?:filter|alias|include\w*|credential|difftool|mergetool|gpg)\b"
    r"|^\s*(?:fsmonitor|hookspath|sshcommand|pager|editor|external|textconv|driver|command|askpass|worktree|program)\s*=",
    re.IGNORECASE | re.MULTILINE,
)
"""Settings of a repository by which git starts a program."""


class CoverageSearch(Protocol):
    """What the search for code offers to those that look at single programs."""

    root: str
    start: str

    def add_file(self, text: str, cwd: str) -> None: ...
    def add_tree(self, folder: str) -> None: ...
    def add_gap(self, text: str) -> None: ...
    def is_of_project(self, path: str) -> bool: ...
    def read_file(self, path: str) -> str | None: ...
    def read_text(self, text: str, cwd: str) -> None: ...
    def list_folder(self, path: str) -> list[str]: ...


def is_plain(command: Command) -> bool:
    """Whether a program runs no code but what its own words say."""
    path = command.argv[0].text
    return command.name in PLAIN_PROGRAMS and ("/" not in path or path.startswith(SYSTEM_FOLDERS))


def find_program_gaps(command: Command, search: CoverageSearch) -> Iterator[str]:
    """Cover what a program reads by itself, and tell what cannot be listed."""
    name = normalize_name(command.name)
    path = command.argv[0].text
    if name in MAKE_PROGRAMS:
        yield from _cover_make(command, search)
    elif name == "git":
        yield from _cover_git(command, search)
    elif not _is_followed(command, name) and not (
        path.startswith("/") and search.is_of_project(os.path.normpath(path))
    ):
        if "/" in path and not path.startswith(SYSTEM_FOLDERS):
            return  # a file that is covered itself
        yield f"which files of the project `{command.name}` runs"


def find_script_files(command: Command) -> Iterator[str]:
    """The files of code that a plain program is told with an option: `awk -f x.awk`, `sed -nfx.sed`."""
    if command.name not in SCRIPTED_PROGRAMS:
        return
    for text, behind in pairwise((*command.args, "")):
        if (found := SCRIPT_OPTION.fullmatch(text)) and (found[1] or behind):
            yield found[1] or behind


def find_option_gaps(command: Command) -> Iterator[str]:
    """Options by which a plain program loads or starts more than its words say."""
    pattern = LOADING_OPTIONS.get(command.name)
    for text in command.args if pattern is not None else ():
        if pattern is not None and pattern.match(text):
            yield f"what `{command.name} {text}` loads or starts"


def find_variable_gaps(script: Script, scripts: list[str]) -> Iterator[str]:
    """Variables that change where programs are looked for, in a command and the scripts that it runs."""
    texts = [
        script.text,
        *scripts,
        *(f"{name}={word.text}" for command in script.commands for name, word in command.assignments),
    ]
    texts += [word.text for command in script.commands if command.name == "export" for word in command.argv[1:]]
    if any(UNSET_PATH.search(text) for text in texts):
        yield "`unset PATH` changes what is found or started"
    for text in texts:
        for name, value in ASSIGNMENT.findall(text):
            if name == "ENV" and "/" not in value and "$" not in value:
                continue  # the name of many a variable that is no file
            if name != "PATH" or not _is_system_path(value):
                yield f"`{name}=` changes what is found or started"


def _is_system_path(value: str) -> bool:
    entries = value.strip("\"';").split(":")
    return all(entry in ("$PATH", "${PATH}") or f"{entry}/".startswith(SYSTEM_FOLDERS) for entry in entries)


def _is_followed(command: Command, name: str) -> bool:
    program = find_program(name)
    known = name in PLAIN_PROGRAMS or command.name in PLAIN_PROGRAMS or name in SOURCING_COMMANDS
    return known or program.shell or bool(program.language) or name in FOLDER_PROGRAMS or not command.name


def _cover_make(command: Command, search: CoverageSearch) -> Iterator[str]:
    """The rules of a folder; the reader has followed their recipes."""
    folder = command.cwd
    if not folder:
        yield "in which folder make runs"
        return
    named = find_program("make").read(command.argv[1:]).get_value("file")
    for name in (named,) if named else MAKE_FILES:
        path = os.path.normpath(f"{folder}/{name}")
        search.add_file(path, folder)
        if (text := search.read_file(path)) and (found := MAKE_LOADER.search(text)):
            yield f"what {path} takes in ({found[0].strip()})"


def _cover_git(command: Command, search: CoverageSearch) -> Iterator[str]:
    """What the repository's own configuration may start: hooks, filters, aliases."""
    if not search.is_of_project(command.cwd) or any(map(GIT_PLACE.match, command.args)):
        yield "in which repository git works, and with which settings"
    top = command.cwd if search.is_of_project(command.cwd) else search.root
    while top != search.root and not os.path.lexists(f"{top}/.git"):
        search.list_folder(top)
        top = os.path.dirname(top)  # noqa: PTH120 - text paths throughout
    folder = f"{top.rstrip('/')}/.git"
    search.add_file(f"{folder}/config" if os.path.isdir(folder) else folder, "")  # noqa: PTH112 - text paths throughout
    settings = search.read_file(f"{folder}/config") or ""
    if found := STARTING_SETTING.search(settings):
        yield f"what {folder}/config starts ({found[0].strip()})"
    for name in search.list_folder(f"{folder}/hooks"):
        if name and not name.endswith(".sample"):
            search.read_text(quote_word(f"{folder}/hooks/{name}"), search.root)
