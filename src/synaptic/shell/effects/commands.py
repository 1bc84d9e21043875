"""What one command does to files and other machines, by its book entry; a few programs need code of their own."""

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import chain

import msgspec

from synaptic.shell.book.arguments import Arguments, Flag
from synaptic.shell.book.entries import UNKNOWN_PROGRAM, ProgramEntry, find_program, iter_programs
from synaptic.shell.effects.addresses import is_remote
from synaptic.shell.names import split_names
from synaptic.shell.paths import MAX_PATH
from synaptic.shell.programs.git_line import GitCall, read_git_call
from synaptic.shell.read.script import Command, Word

CommandAct = tuple[str, Word]
"""A kind of effect, and the word that names what it is done to."""
ROLE_EFFECTS: dict[str, tuple[str, ...]] = {
    "write": ("write",),
    "into": ("write",),
    "touch": ("touch",),
    "edit": ("read", "write"),
    "delete": ("delete",),
    "move": ("read", "delete"),
    "read": ("read",),
    "script": ("read",),
    "pattern-file": ("read",),
    "send": ("send",),
    "fetch": ("fetch",),
}
"""What a role of the book means for the file or the address that a word names."""
CHANGE_ROLES = frozenset({"write", "into", "touch", "edit", "delete", "move", "unnamed"})
"""Roles with which a program changes a file."""
CHANGING_KINDS = frozenset({"write", "touch", "delete"})
"""Kinds of effects that change a file."""
OPENING_ROLES = ("read", "edit", "move", "script", "send")
"""Roles with which a program opens files that it is given."""
READING_KINDS = frozenset({"read", "send", "fetch"})
"""Kinds of effects that open a file, if it is one that the word names."""
LEADING_ROLES = frozenset({"pattern", "script"})
"""Roles of a first operand that is not there when an option brings the same."""
REPLACING_ROLES = ("pattern", "pattern-file", "no-pattern", "code", "print", "module", "script", "rest")
UNNAMED_FILE = Word("", known=False)
"""Stands for a file that a program writes without naming it: `git checkout`, `unzip`, `curl -O`."""
STDOUT = "-"
OPENING_CODE = re.compile(
    r"open|read(?!me)|load|slurp|cat\b|exec|system|spawn|popen|copy|rename|link|source|include|input|<|File\.new",
    re.IGNORECASE,
)
"""What code holds that opens a file or runs a program that may."""
PATH_SEPARATORS = re.compile(r"[\s\"'`;,(){}<>]+")
FOLDER_VERBS = {"clone": 1, "init": 0, "worktree": 1}
"""Verbs of git that make a folder, and how many words stand before it."""
CHANGING_VERBS = split_names(
    "apply am checkout restore reset stash clean merge rebase revert cherry-pick switch rm mv pull read-tree"
    " checkout-index submodule bisect"
)
"""Verbs of git that change files of the working tree without naming each."""
SHOWING_WORDS = {"stash": split_names("list show"), "bisect": split_names("log view visualize terms help")}
"""What such a verb does, by its first word, that changes nothing."""
CHANGING_WORDS = {"submodule": split_names("update add deinit")}
"""For verbs that mostly show: what changes something."""
FILE_VERBS = split_names("diff hash-object merge-file interpret-trailers difftool mailinfo blame")
"""Verbs of git that show or take in any file, whether the repository has it or not."""
FILE_OPTIONS = split_names("-F --file --contents --blob -f --exclude-from --pathspec-from-file --template -t")
"""Options of git that name such a file."""
OPTION_VERBS = split_names("commit tag notes config commit-tree fmt-merge-msg grep apply add")
LOOKED_AT_VERBS = FOLDER_VERBS.keys() | CHANGING_VERBS | FILE_VERBS | OPTION_VERBS
CHECK_OPTIONS = ("check", "stat", "numstat", "summary")
"""Options with which `git apply` applies nothing."""


def find_acts(command: Command) -> Iterable[CommandAct]:
    """Everything that a command does to what its words name, in their order: options first, then operands."""
    program = find_program(command.name)
    logic = ACT_FINDERS.get(program.name)
    acts: Iterable[CommandAct] = ()
    if logic is not None:
        acts = logic(command, program)
    elif program.options or program.operands or program.verbs:
        acts = _find_declared(program, command.argv[1:])
    return chain([("write", Word(path)) for path in command.paths], acts) if command.paths else acts


def find_read_words(command: Command) -> Iterator[Word]:
    """The words that may name files which a command reads; every word of a program that the book does not have."""
    # Any program may read what it is given. For a guard of secrets a word too many is better than one too few.
    if find_program(command.name) is UNKNOWN_PROGRAM:
        yield from command.argv[1:]
    else:
        yield from (word for kind, word in find_acts(command) if kind in READING_KINDS)


def changes_files(program: ProgramEntry, roles: frozenset[str] = CHANGE_ROLES) -> bool:
    """Whether a program may change a file at all, by one of these roles or as no role tells."""
    if program.unnamed or program.name in ACT_FINDERS:
        return True
    return any(map(program.has_role, roles)) or any(changes_files(verb, roles) for verb in program.verbs.values())


def _deletes_files(program: ProgramEntry) -> bool:
    own = program.has_role("delete") or program.has_role("move")
    return own or any(map(_deletes_files, program.verbs.values()))


def _find_declared(program: ProgramEntry, words: tuple[Word, ...], edits: bool = False) -> Iterable[CommandAct]:
    given = program.read(words)
    verb = program.find_verb(given.words[0].text) if program.verbs and given.words else None
    if verb is not None:
        program, given = verb, verb.read(given.operands[1:])
    unnamed = _find_unnamed(program, given)
    if not given.flags:  # as most commands are written: nothing below depends on an option then
        return [*unnamed, *_find_in_operands(program, given, edits)]
    acts = [act for flag in given.flags for act in _find_in_flag(flag, program)]
    acts += unnamed
    acts += _find_in_operands(program, given, edits or given.has_role("edit"))
    # A dry run changes nothing but still reads what it is given.
    return [act for act in acts if act[0] not in CHANGING_KINDS] if given.has_role("dry") else acts


def _find_unnamed(program: ProgramEntry, given: Arguments) -> tuple[CommandAct, ...]:
    """A file that is written and that no word names."""
    if (given.flags and given.has_role("unnamed")) or (program.unnamed and not given.get_by_role("write")):
        return (("write", UNNAMED_FILE),)
    return ()


def _find_in_flag(flag: Flag, program: ProgramEntry) -> Iterable[CommandAct]:
    """What an option does to its value. One that the book does not have may name a file to read."""
    value = flag.value
    if not flag.known:
        # Only for programs that open files at all; otherwise every unknown option with a slash would be a read.
        opens = (value is not None or "/" in flag.word.text) and any(map(program.has_role, OPENING_ROLES))
        return (("read", value or flag.word),) if opens else ()
    if value is None:
        return ()
    if flag.role in ("code", "print", "pattern"):
        return _find_opened(value.text, flag.role, program)
    if value.text == STDOUT or flag.role == "edit":
        return ()
    return [(kind, value) for kind in ROLE_EFFECTS.get(flag.role, ())]


def _find_in_operands(program: ProgramEntry, given: Arguments, edits: bool) -> list[CommandAct]:
    words, roles = given.operands, program.roles
    if edits:
        words = tuple(word for word in words if word.text)  # `sed -i ''` of BSD
    # `grep -e X file`: the pattern came with an option, so the first operand is a file already.
    if roles.first and roles.first[0] in LEADING_ROLES and given.has_role(*REPLACING_ROLES):
        roles = msgspec.structs.replace(roles, first=roles.first[1:])
    if given.flags and given.get_by_role("into"):
        roles = msgspec.structs.replace(roles, last=())
    acts: list[CommandAct] = []
    for role, word in roles.assign_roles(words):
        if role in ("code", "pattern"):
            acts += _find_opened(word.text, role, program)
        elif word.text != STDOUT and not (role == "write" and program.copies_remote and is_remote(word.text)):
            for kind in ROLE_EFFECTS.get("edit" if edits and role == "read" else role, ()):
                acts.append((kind, word))
    return acts


def _find_opened(text: str, role: str, program: ProgramEntry) -> Iterator[CommandAct]:
    """The paths in a text that opens files: code, or a pattern of a program that can."""
    form = program.opening_form if role == "pattern" else OPENING_CODE
    if form is not None and len(text) <= MAX_PATH and form.search(text):
        yield from (("read", Word(part)) for part in PATH_SEPARATORS.split(text) if "/" in part)


def _find_in_tar(command: Command, program: ProgramEntry) -> Iterator[CommandAct]:
    """The folder that is unpacked into, or the archive that is made."""
    given = program.read(command.argv[1:])
    folders, files = given.get_values("directory"), given.get_values("file")
    yield from (("read", word) for word in given.get_by_role("read"))
    if given.has("extract"):
        yield from (("read", word) for word in files)
        # Unpacking at the root may replace any file of the system, and must not pass as an unnamed write of a project.
        into = folders or ((Word("/"),) if command.cwd == "/" else (UNNAMED_FILE,))
        yield from (("write", word) for word in into)
    elif given.has("create", "append", "update"):
        yield from (("write", word) for word in files if word.text != STDOUT and not is_remote(word.text))
        yield from (("read", word) for word in (*folders, *given.operands))
    else:
        yield from (("read", word) for word in (*files, *given.operands))


def _find_in_awk(command: Command, program: ProgramEntry) -> Iterable[CommandAct]:
    """It edits its files when it is told to include the library for that."""
    given = program.read(command.argv[1:])
    return _find_declared(program, command.argv[1:], given.get_value("include") == "inplace")


def _find_in_zip(command: Command, program: ProgramEntry) -> Iterator[CommandAct]:
    """What stands behind `-x`, up to the next option, is left out."""
    words = command.argv[1:]
    start = next((place for place, word in enumerate(words) if word.text in ("-x", "--exclude")), len(words))
    rest = range(start + 1, len(words))
    end = next((place for place in rest if words[place].text[:1] == "-"), len(words))
    yield from _find_declared(program, (*words[:start], *words[end:]))


def _find_in_git(command: Command, _: ProgramEntry) -> Iterator[CommandAct]:
    """The folder that a clone or a new repository gets; what a checkout changes has no names here."""
    first = command.args[:1]
    if first and first[0][:1] != "-" and first[0] not in LOOKED_AT_VERBS:
        return  # the verb stands there as it is: no option, and no alias of an option, comes before it
    call = read_git_call(command)
    if call.verb in FOLDER_VERBS:
        for word in call.given.words[FOLDER_VERBS[call.verb] :][:1] if _makes_folder(call) else ():
            below = call.cwd != command.cwd and word.text[:1] not in ("/", "~")
            yield "write", Word(f"{call.cwd}/{word.text}", word.known) if below else word
    yield from (("read", word) for word in _find_shown_by_git(call))
    if _changes_tree(call):
        yield "write", UNNAMED_FILE


def _find_shown_by_git(call: GitCall) -> Iterator[Word]:
    """Files that git takes in or shows although no repository has to hold them."""
    if call.verb in FILE_VERBS:
        yield from (word for word in call.args if word.text[:1] != "-")
    for before, word in zip((Word(""), *call.args), call.args, strict=False):
        name, equals, value = word.text.partition("=")
        if before.text in FILE_OPTIONS:
            yield word
        elif equals and name in FILE_OPTIONS:
            yield Word(value, word.known)
    if call.verb == "grep" and call.cwd != call.command.cwd and call.given.has("no-index"):
        yield Word(call.cwd)


def _makes_folder(call: GitCall) -> bool:
    return call.verb != "worktree" or (bool(call.given.words) and call.given.words[0].text == "add")


def _changes_tree(call: GitCall) -> bool:
    """Whether a call of git changes files of the working tree."""
    given = call.given
    if call.verb not in CHANGING_VERBS or call.is_help or given.has("dry-run"):
        return False
    if call.verb == "apply":
        return not given.has(*CHECK_OPTIONS)
    if call.verb == "read-tree":
        return given.has("u")
    first = given.words[0].text if given.words else ""
    return first in CHANGING_WORDS.get(call.verb, (first,)) and first not in SHOWING_WORDS.get(call.verb, ())


ACT_FINDERS: dict[str, Callable[[Command, ProgramEntry], Iterable[CommandAct]]] = {
    "awk": _find_in_awk,
    "tar": _find_in_tar,
    "zip": _find_in_zip,
    "git": _find_in_git,
}
"""Programs that the book alone does not tell."""
CHANGING_PROGRAMS = frozenset(name for program in iter_programs() if changes_files(program) for name in program.names)
"""Names of programs that may change a file; every other one need not be looked at."""
DELETING_PROGRAMS = frozenset(name for program in iter_programs() if _deletes_files(program) for name in program.names)
"""Names of programs that may take a file away."""
