"""The entries of the book: every program that is known, by each of its names."""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec

from synaptic.model.once import computed_once
from synaptic.shell.book.arguments import Arguments, read_arguments
from synaptic.shell.book.notation import STOPPING_ROLES, OperandRoles, OptionGrammar, parse_operands, parse_options
from synaptic.shell.read.script import Word

ROLE_MARK = re.compile(r":([\w-]+)")


class ProgramEntry(msgspec.Struct, frozen=True, dict=True, forbid_unknown_fields=True):
    """One program, or one verb of a program."""

    name: str = ""
    also: tuple[str, ...] = ()
    """Other names of it, and programs that are read alike."""
    options: str = ""
    operands: str = ""
    single_dash: bool = False
    """Long options have one dash: `-out file`."""
    assigned: bool = False
    """Options are written `of=file`."""
    bundled: bool = False
    """Its first word may be letters of options without a dash: `tar xzf`."""
    verbs: dict[str, "ProgramEntry"] = {}
    default: str = ""
    """What it starts when it is given no command."""
    starts: str = ""
    """Variables that name a program which it starts: a pager, an editor."""

    shell: bool = False
    language: str = ""
    """It runs code of this language, given with an option, in a file or on its input."""
    console: bool = False
    """It waits for lines when it is given no work."""
    evaluates: bool = False
    """It runs text as code of the shell that it is in."""
    versioned: bool = False
    """Its name may have a version behind it."""
    family: bool = False
    """Its name may have a kind behind it."""
    database: str = ""
    """What it is told in: `sql`, `mongo`, `redis` or `cypher`; `orm` where a framework's code has the database."""
    drops: str = ""
    """The form of the word that makes it drop a database."""
    opens: str = ""
    """The form of a pattern that makes it open further files."""

    copies: bool = False
    copies_remote: bool = False
    """It copies from and to other machines, named `host:path`."""
    passes: bool = False
    """It hands on what it is given, whole or in parts."""
    chooses: bool = False
    """It lets some lines pass."""
    picks: bool = False
    """It lets the lines pass that hold its pattern."""
    lists: bool = False
    """It prints the names of what is in a folder."""
    archives: bool = False
    wipes: bool = False
    """What it deletes cannot be brought back."""
    unnamed: bool = False
    """It writes files that no word names."""
    decodes: bool = False
    environment: bool = False
    """Without operands it prints the environment."""

    fetches: bool = False
    sends: bool = False
    connects: bool = False
    """It ties its input and output to a connection."""
    serves: str | None = None
    """The form of the words with which it prints what a service of the user's holds."""
    uploads: str = ""
    """The form of the verb with which it sends to such a service."""
    remote: bool = False
    """What it runs, it runs on another machine."""
    container: bool = False
    """What it runs, it runs in a container."""
    installs: bool = False
    """It installs packages."""
    destroys: dict[str, str] = {}
    """The form of the words that lose something, by what is lost."""
    tokens: str = ""
    """The form of the words with which it prints a secret that it keeps."""
    formats: bool = False
    partitions: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name, *self.also)

    @computed_once
    def grammar(self) -> OptionGrammar:
        """Its options. They end at the first operand where a verb or another command follows."""
        stops = bool(self.verbs) or not STOPPING_ROLES.isdisjoint((*self.roles.first, self.roles.many))
        return parse_options(self.options, self.single_dash, self.assigned, stops)

    @computed_once
    def roles(self) -> OperandRoles:
        return parse_operands(self.operands)

    def read(self, words: Sequence[Word]) -> Arguments:
        """The words behind its name, sorted."""
        if self.bundled and words and words[0].text[:1] != "-":
            words = (msgspec.structs.replace(words[0], text=f"-{words[0].text}"), *words[1:])
        return read_arguments(words, self.grammar)

    def has_role(self, role: str) -> bool:
        """Whether one of its options or operands has a role."""
        return role in self._all_roles

    @computed_once
    def _all_roles(self) -> frozenset[str]:
        return self.roles.roles.union(ROLE_MARK.findall(self.options))

    @computed_once
    def opening_form(self) -> re.Pattern[str] | None:
        """The form of a pattern that makes it open further files, ready to be used."""
        return re.compile(self.opens) if self.opens else None

    @property
    def starts_command(self) -> bool:
        """Whether one of its words or values is a command."""
        return any(map(self.has_role, ("run", "line", "lines")))

    def find_verb(self, name: str) -> "ProgramEntry | None":
        """One of its verbs, by any of the verb's names."""
        return self._verbs.get(name)

    @computed_once
    def _verbs(self) -> Mapping[str, "ProgramEntry"]:
        return {name: verb for first, verb in self.verbs.items() for name in (first, *verb.also)}


def load_book(folder: Path) -> dict[str, ProgramEntry]:
    """Every program by each of its names; the same name twice is a mistake."""
    book: dict[str, ProgramEntry] = {}
    for path in sorted(folder.glob("*.toml")):
        with path.open("rb") as file:
            entries: dict[str, Any] = tomllib.load(file)
        for name, entry in entries.items():
            program = msgspec.convert({"name": name, **entry}, ProgramEntry)
            for one in program.names:
                # A second entry would silently replace the first, and a guard would lose what it knew.
                if one in book:
                    raise ValueError(f"{path.name}: {one} stands in the book already")
                book[one] = program
    return book


BOOK = load_book(Path(__file__).parent)
UNKNOWN_PROGRAM = ProgramEntry()
"""Stands for a program that the book does not have; nothing is known about its arguments."""
VERSIONED_STARTS = tuple(name for name, one in BOOK.items() if one.versioned)
VERSIONED_NAME = re.compile(rf"({'|'.join(VERSIONED_STARTS)})[\d.]+(?:-\w+)?")
FAMILY_NAME = re.compile(rf"({'|'.join(name for name, one in BOOK.items() if one.family)})[._]\w+")
"""Names of programs that come in versions (`python3.12`) or kinds (`mkfs.ext4`)."""


MAX_CACHED_NAME = 100
"""Characters of a name that is remembered."""


def normalize_name(name: str) -> str:
    """A program's name in lower case and without a version or a kind."""
    if name.isalpha():
        return name.lower()  # most are: a version has digits, a kind a dot or a line
    return _strip_version_cached(name) if len(name) <= MAX_CACHED_NAME else _strip_version(name)


def _strip_version(name: str) -> str:
    low = name.lower()
    versioned = VERSIONED_NAME.fullmatch(low) if low.startswith(VERSIONED_STARTS) else None
    found = versioned or (FAMILY_NAME.fullmatch(low) if "." in low or "_" in low else None)
    return found[1] if found else low


_strip_version_cached = lru_cache(maxsize=1024)(_strip_version)
"""Several guards ask about the same names."""


@lru_cache(maxsize=1024)
def find_program(name: str) -> ProgramEntry:
    """The entry of a program; some file systems ignore case, so it is ignored where the name itself is not found."""
    return BOOK.get(name) or BOOK.get(normalize_name(name)) or UNKNOWN_PROGRAM


def list_names_with(fact: str) -> frozenset[str]:
    """The names of all programs with a fact."""
    return _collect_names(program for program in iter_programs() if getattr(program, fact) not in (False, "", {}, None))


def list_names_with_role(*roles: str) -> frozenset[str]:
    """The names of all programs of which an option or an operand has one of these roles."""
    return _collect_names(program for program in iter_programs() if any(map(program.has_role, roles)))


def _collect_names(found: Iterable[ProgramEntry]) -> frozenset[str]:
    return frozenset(name for program in found for name in program.names)


def iter_programs() -> Iterator[ProgramEntry]:
    """Every program once."""
    return (program for name, program in BOOK.items() if name == program.name)


SHELL_PROGRAMS = list_names_with("shell")
LANGUAGE_PROGRAMS = list_names_with("language")
