"""The notation of the book: `long|short=:role` for an option, a row of roles for operands."""

from collections.abc import Iterator, Sequence

import msgspec

from synaptic.shell.read.script import Word

MANY_MARK = "..."
ENDS_MARK = "!"
DASHES_MARK = "--"
STOPPING_ROLES = frozenset({"run", "line", "script", "verb"})
"""Roles behind which every word belongs to somebody else: options end at the first operand."""


ROLES = {
    "read": "a file that is read",
    "write": "a file that is written",
    "edit": "a file that is read and written; on an option without a value: what is read is written as well",
    "touch": "a file or folder that is made or marked, whatever it holds",
    "delete": "a file that is deleted",
    "move": "a file that is read and gone afterwards",
    "into": "a folder that is written into, so that the last operand is none",
    "send": "text or `@file` that is sent",
    "offer": "a folder that is offered to whoever connects",
    "fetch": "an address that is fetched",
    "run": "a command: with its arguments as operands, as one line in an option",
    "line": "words that make one line for a shell",
    "lines": "lines for a shell, one a word, or a file that holds them",
    "commas": "a command, with commas between its words",
    "rest": "everything behind it is a command",
    "verb": "another verb stands here",
    "code": "code of a language, or of a shell",
    "print": "code whose value is printed",
    "preload": "a module that is loaded before the code, or code in its place",
    "module": "a module that is run",
    "script": "a file with code that is run",
    "pattern": "what is looked for; the first operand is none when an option brings it",
    "pattern-file": "a file with what is looked for",
    "no-pattern": "nothing is looked for",
    "lists": "names of files are printed, not their lines",
    "narrow": "a search finds less",
    "aside": "files that are left out",
    "key": "a file that is used for what it is made for: a key, a certificate, a configuration",
    "folder": "the folder it works in",
    "setting": "a setting and its value",
    "text": "text that names no file",
    "skip": "a word before the command",
    "array": "a variable",
    "variable": "a variable and its value, for code",
    "vim": "a line for an editor",
    "each": "the code runs for each line of the input",
    "decode": "what is read is decoded",
    "unnamed": "a file is written that no word names",
    "dry": "nothing is changed",
    "keep": "what is there already stays as it is, or is kept under another name",
    "purge": "more is deleted than the operands name",
    "ends": "it does one thing and ends",
    "waits": "it waits for lines, whatever it was given",
}
"""Every role that an option or an operand of the book may have."""


class ProgramOption(msgspec.Struct, frozen=True, gc=False):
    """One option: its first spelling, whether it takes a value, and what the option or its value is for."""

    name: str
    value: str = ""
    """`=`: the next word unless one is attached; `==`: the next two, the second counts; `?`: what is attached."""
    role: str = ""
    ends: bool = False
    """Whether all that follows belongs to somebody else, as behind `--`."""


class OptionGrammar(msgspec.Struct, frozen=True, gc=False):
    """The options of a program or of one of its verbs."""

    names: dict[str, ProgramOption] = {}
    """By what stands behind two dashes."""
    letters: dict[str, ProgramOption] = {}
    words: dict[str, ProgramOption] = {}
    """By what stands behind a single dash, of options that are no letters: `-out`, `-exec`."""
    assigned: bool = False
    """Whether options are written `of=file`, without a dash."""
    stops: bool = False
    """Whether options end at the first operand."""

    def find_option(self, text: str) -> ProgramOption | None:
        """The option that an abbreviation means: the only one, or the one that all the others begin with."""
        found = self.names.get(text)
        if found is not None or not text:
            return found
        fitting = [name for name in self.names if name.startswith(text)]
        if not fitting:
            return None
        fitting.sort(key=len)
        # GNU and git accept unique abbreviations, and `--forc` must be read as `--force`. With `force` and
        # `force-with-lease` the shorter one is exact, so it wins.
        if all(name.startswith(fitting[0]) for name in fitting):
            return self.names[fitting[0]]
        return None


class OperandRoles(msgspec.Struct, frozen=True, gc=False):
    """The roles of what is no option: of the first words, of all in between, of the last ones."""

    first: tuple[str, ...] = ()
    many: str = ""
    last: tuple[str, ...] = ()
    behind: str = ""
    """The role of what stands behind `--`, where that differs."""

    def assign_roles(self, words: Sequence[Word]) -> Iterator[tuple[str, Word]]:
        """Each word with its role. The last ones have theirs only where something stands before them."""
        lead, size = len(self.first), len(words)
        # `cp a` writes nothing: with too few words, the last one is not a target.
        tail = size - len(self.last) if self.last and size > lead + len(self.last) else size
        if not self.many:
            tail = min(lead, size)
        for place, word in enumerate(words):
            if place < lead:
                yield self.first[place], word
            elif place < tail:
                yield self.many, word
            elif place - tail < len(self.last):
                yield self.last[place - tail], word

    @property
    def roles(self) -> frozenset[str]:
        return frozenset((*self.first, self.many, *self.last, self.behind)) - {""}


def parse_options(text: str, single_dash: bool = False, assigned: bool = False, stops: bool = False) -> OptionGrammar:
    """The grammar that a row of options describes; a name with a dash in front is written with a single one."""
    names: dict[str, ProgramOption] = {}
    letters: dict[str, ProgramOption] = {}
    words: dict[str, ProgramOption] = {}
    for entry in text.split():
        spelled, _, role = entry.partition(":")
        ends = spelled[-1] == ENDS_MARK
        bare = spelled.rstrip("=?!")
        spellings = bare.split("|")
        option = ProgramOption(
            next(filter(None, spellings)).lstrip("-"), spelled[len(bare) :].rstrip(ENDS_MARK), role, ends
        )
        for place, name in enumerate(spellings):
            if name[:1] == "-" or (single_dash and len(name) > 1) or (single_dash and place == 0 and name):
                words[name.lstrip("-")] = option
            elif len(name) == 1 and place:
                letters[name] = option
            elif name:
                names[name] = option
    return OptionGrammar(names, letters, words, assigned, stops)


def parse_operands(text: str) -> OperandRoles:
    """`read... write`, `skip run...`, `pattern read...`, `skip... -- run...`."""
    before, dashes, behind = text.partition(DASHES_MARK)
    roles = before.split()
    many = next((place for place, role in enumerate(roles) if role.endswith(MANY_MARK)), None)
    after = behind.strip().removesuffix(MANY_MARK) if dashes else ""
    if many is None:
        return OperandRoles(tuple(roles), behind=after)
    return OperandRoles(tuple(roles[:many]), roles[many].removesuffix(MANY_MARK), tuple(roles[many + 1 :]), after)
