"""What a script would destroy or overwrite, and what it makes: the files its words name, and those a search finds."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import islice

import msgspec

from synaptic.model.once import computed_once
from synaptic.shell.book.arguments import Arguments, holds_option
from synaptic.shell.book.entries import find_program, iter_programs, normalize_name
from synaptic.shell.effects.commands import (
    ACT_FINDERS,
    CHANGE_ROLES,
    CHANGING_KINDS,
    DELETING_PROGRAMS,
    CommandAct,
    changes_files,
    find_acts,
)
from synaptic.shell.effects.created import find_set_up
from synaptic.shell.effects.edited import leaves_nothing
from synaptic.shell.effects.effects import Effects, WordTest, choose_commands, choose_redirects
from synaptic.shell.effects.filled import RSYNC_PROGRAMS, TAR_PROGRAMS, find_copies, iter_copies, iter_option_values
from synaptic.shell.effects.numbered import settle_number
from synaptic.shell.effects.searched import LISTING_PROGRAMS, FileSearch, ScriptSearches
from synaptic.shell.names import split_names
from synaptic.shell.programs.git_line import read_git_call
from synaptic.shell.read.script import Command, Redirect, Script, Word

DELETE, MOVE, EDIT, WRITE, REPLACE, FILL, CUT = "delete", "move", "edit", "write", "replace", "fill", "cut"
"""Taken away; taken to another place; changed in place; opened anew; another file in its place, so that a link there is
not followed; a folder filled with files that no word names; lines taken out of it."""
APPENDING = frozenset({">>", "&>>", "<>"})
KEEPING_PROGRAMS = split_names("git gpg trash rmdir rd zip ar nano view code patch sftp 7z find chezmoi")
"""Programs, by their entries, that lose nothing, ask first, or are looked at elsewhere."""
LOSING_ROLES = CHANGE_ROLES - {"touch"}
"""Roles with which a program may take away what is there."""
NO_ARGUMENTS = Arguments()
EMPTY_TEST = "-empty"
LEAVES_NOTHING = re.compile(r"(?:1,\$)?\s*d|s([/|#,])\^?\.\*\$?\1\1g?")
"""A line for `sed` that leaves nothing of a file: `d`, `1,$d`, `s/.*//`."""
EMPTYING_LINE = "d"
"""The one of them that looks like a name."""
TAKES_LINES = re.compile(
    r"(?:^|;|\n)[ \t]*+(?:\d+,(?:\d+|\$|\+\d+)[ \t]*+!?"
    r"|/[\^\\s*.+]{0,9}(?:export|alias|source|eval|set|unset|setopt|if|path|function|bind"
    r"|host|\[\w{0,20}|#|.)?[\\s*.+$ =(]{0,9}/I?[ \t]*+!?|/(?:\\.|[^/\\])+/I?[ \t]*+!)[ \t]*+d[ \t]*+(?:$|;|\n)",
    re.IGNORECASE,
)
"""A line for `sed` that takes many lines away: those that hold a word of the language, or all but those that hold
something. A name (`/NVM_DIR/d`), one line, and a block between two marks are mostly one's own."""
MAX_EDIT = 5000
"""Characters of a line for `sed` that are looked at."""
COPY_KEPT = re.compile(r"-[nErsz]*i.+|--in-place=.+")
MIRRORS = re.compile(r"backup|mirror|bak\b|snapshot|cache|sync|deploy|public_html|www", re.IGNORECASE)
"""Names of folders that are there to be made like another one."""
MAX_LOSSES = 5000
"""Words of one script that are looked at: as many as the reader reads."""
MAX_MADE = 500


class PathLoss(msgspec.Struct, frozen=True, gc=False):
    """One file that would be destroyed or overwritten."""

    kind: str
    word: Word
    cwd: str = ""
    via: tuple[str, ...] = ()
    index: int = -1
    """The place of its command; -1 for a redirection."""
    below: tuple[Word, ...] = ()
    """What would be written instead where the word names a folder."""
    into: Word | None = None
    """Where it is moved to."""
    search: FileSearch | None = None
    """The search whose results the word stands for."""


def find_losses(effects: Effects, matter: WordTest) -> tuple[PathLoss, ...]:
    """Everything that a script takes away, and what it writes over by words that matter, as far as words say it."""
    return tuple(islice(_iter_losses(effects, matter), MAX_LOSSES))


def _iter_losses(effects: Effects, matter: WordTest) -> Iterator[PathLoss]:
    searches = _LostSearches(effects.script)
    for redirect in choose_redirects([one for one in effects.script.redirects if _opens_anew(one)], matter):
        loss = PathLoss(WRITE, settle_number(redirect.target), redirect.cwd, redirect.via)
        if found := loss if _is_certain(loss.word) else searches.tie(loss, searches.find_writer(redirect)):
            yield found
    for command in effects.select_changing(lambda commands: _choose_losing(commands, matter)):
        if not any(kind in CHANGING_KINDS for kind, _ in effects.list_acts(command)):
            continue
        for loss in _find_in_command(command, effects):
            if found := loss if _is_certain(loss.word) else searches.tie(loss, command):
                yield found


def _choose_losing(commands: Sequence[Command], matter: WordTest) -> Sequence[Command]:
    """Those of the commands of one program that may lose something."""
    name = commands[0].name
    entry = find_program(name).name
    # The name first: most that change files only make them, as `mkdir` and `touch` do.
    if entry not in LOSING_PROGRAMS:
        return ()
    # What is emptied counts as deleted, which is a question also in the folder that is worked in.
    if name in DELETING_PROGRAMS or normalize_name(name) in DELETING_PROGRAMS or entry in EMPTYING_PROGRAMS:
        return commands

    def may_lose(words: Sequence[Word], folders: Collection[str]) -> bool:
        return matter(words, folders) or EMPTYING_LINE in [word.text for word in words]

    return choose_commands(commands, may_lose)


def _is_certain(word: Word) -> bool:
    """Whether a word says which file is meant; `{}` is filled in by `xargs`, also inside of code."""
    return word.known and word.text[:2] != "{}"


def _opens_anew(redirect: Redirect) -> bool:
    text = redirect.target.text
    return redirect.is_write and redirect.operator not in APPENDING and text[:2] != ">(" and text[:5] != "/dev/"


class _LostSearches:
    """The searches of a script, for the losses whose words stand for what one finds."""

    def __init__(self, script: Script) -> None:
        self._script = script

    @computed_once
    def _searches(self) -> ScriptSearches:
        return ScriptSearches(self._script, LISTING_PROGRAMS)

    @computed_once
    def _finds_empty(self) -> bool:
        """What is empty is no loss, whatever it is called."""
        return any(EMPTY_TEST in command.args for command in self._script.by_name.get("find", ()))

    @computed_once
    def _writers(self) -> dict[int, Command]:
        """The command of each redirection."""
        return {id(one): command for command in self._script.commands for one in command.redirects}

    def find_writer(self, redirect: Redirect) -> Command:
        """The command that a redirection belongs to; for that of a group one that stands behind all others."""
        behind = len(self._script.commands)
        return self._writers.get(id(redirect)) or Command((), "", redirect.via, redirect.cwd, index=behind)

    def tie(self, loss: PathLoss, command: Command) -> PathLoss | None:
        """A loss with the search that its word is a result of; None for one that was told already, or that is empty."""
        search = self._searches.find_search(loss.word, command)
        if search is None:
            return loss
        if self._finds_empty or not self._searches.ask_once(search, loss.kind):
            return None
        return msgspec.structs.replace(loss, search=search)


def _find_in_command(command: Command, effects: Effects) -> Iterable[PathLoss]:
    program = find_program(command.name)
    if program.name in KEEPING_PROGRAMS:
        return ()
    special = SPECIAL.get(program.name)
    # Of most programs no option keeps what is there, and most commands have no options.
    may_keep = program.has_role("keep") or program.has_role("dry")
    has_options = may_keep and (holds_option(command.argv) or program.bundled or program.assigned)
    given = program.read(command.argv[1:]) if special is not None or has_options else NO_ARGUMENTS
    if given.has_role("keep", "dry"):
        return ()
    return special(command, given) if special is not None else _find_acted(command, effects.list_acts(command))


def _find_acted(command: Command, acts: Iterable[CommandAct]) -> Iterator[PathLoss]:
    """By the roles of its words: what is read and written is edited, or emptied by an edit that leaves nothing."""
    read: set[int] = set()
    for kind, word in acts:
        if kind == "read":
            read.add(id(word))
        elif kind == "delete":
            yield _make_loss(DELETE, word, command)
        elif kind == "write" and word.text[:5] != "/dev/" and word.text:
            yield _make_loss(_name_edit(command) if id(word) in read else WRITE, word, command)


def _name_edit(command: Command) -> str:
    """What a command that changes files in place does to them."""
    if any(map(LEAVES_NOTHING.fullmatch, command.args)):
        return DELETE
    return CUT if command.name in ("sed", "gsed") and _takes_lines(command) else EDIT


def _takes_lines(command: Command) -> bool:
    """Whether `sed` takes lines away in place, and keeps no copy."""
    kept = any(COPY_KEPT.fullmatch(text) for text in command.args)
    return not kept and any(TAKES_LINES.search(text[:MAX_EDIT]) for text in command.args)


def _find_moved(command: Command, given: Arguments) -> Iterator[PathLoss]:
    into = given.get_by_role("into")[:1] or given.operands[-1:]
    sources = given.operands if given.get_by_role("into") else given.operands[:-1]
    if not into or into[0].text[:5] == "/dev/":
        return
    yield from (msgspec.structs.replace(_make_loss(MOVE, word, command), into=into[0]) for word in sources)
    yield msgspec.structs.replace(_make_copied(into[0], command, given), kind=REPLACE)


def _find_copied(command: Command, given: Arguments) -> Iterator[PathLoss]:
    into = given.get_by_role("into")[:1] or given.operands[1:][-1:]
    whole = [word for word in given.operands[:-1] if word.text.rstrip("/")[-2:] in ("/.", ".", "/*", "*")]
    if into and whole:
        yield _make_loss(FILL, into[0], command)
    elif into:
        yield _make_copied(into[0], command, given)


def _find_linked(command: Command, given: Arguments) -> Iterator[PathLoss]:
    if given.has("force"):
        yield from (msgspec.structs.replace(loss, kind=REPLACE) for loss in _find_copied(command, given))


def _find_fetched(command: Command, given: Arguments) -> Iterator[PathLoss]:
    if given.operands and ":" not in given.operands[-1].text:
        yield from _find_copied(command, given)


def _find_truncated(command: Command, given: Arguments) -> Iterator[PathLoss]:
    if given.get_value("size")[:1] not in ("+", ">", "%"):
        yield from (_make_loss(DELETE, word, command) for word in given.operands)


def _find_emptied(command: Command, given: Arguments) -> Iterator[PathLoss]:
    """What an editor does to its files is asked for word by word, but for one that takes all lines away."""
    if leaves_nothing(command, given):
        yield from (_make_loss(DELETE, word, command) for word in given.operands if word.text[:1] != "+")


def _find_converted(command: Command, given: Arguments) -> Iterator[PathLoss]:
    # Without `-y` it leaves alone what is there when nobody answers.
    if given.has("y"):
        yield from _find_acted(command, find_acts(command))


def _find_synced(command: Command, given: Arguments) -> Iterator[PathLoss]:
    if not any(text.startswith(("--ignore-existing", "--backup", "-b")) for text in command.args):
        for word in given.operands[1:][-1:]:
            if ":" not in word.text:
                yield _make_loss(FILL, word, command)
                # What the source does not have is deleted.
                if given.has_role("purge") and not MIRRORS.search(word.text):
                    yield _make_loss(DELETE, word, command)


def _find_untarred(command: Command, given: Arguments) -> Iterator[PathLoss]:
    if given.has("extract"):
        yield from (_make_loss(FILL, word, command) for word in given.get_values("directory")[-1:])
    elif given.has("create"):
        yield from (_make_loss(WRITE, word, command) for kind, word in find_acts(command) if kind == "write")


def _find_unzipped(command: Command, given: Arguments) -> Iterator[PathLoss]:
    # Without `-o` it asks, and leaves alone what is there when nobody answers.
    if given.has("o"):
        yield from (_make_loss(FILL, word, command) for word in iter_option_values(command.argv[1:], ("-d",)))


SPECIAL: dict[str, Callable[[Command, Arguments], Iterator[PathLoss]]] = {
    "cp": _find_copied,
    "install": _find_copied,
    "ln": _find_linked,
    "mv": _find_moved,
    "scp": _find_fetched,
    "truncate": _find_truncated,
    "ed": _find_emptied,
    "vim": _find_emptied,
    "ffmpeg": _find_converted,
    "unzip": _find_unzipped,
    **dict.fromkeys(RSYNC_PROGRAMS, _find_synced),
    **dict.fromkeys(TAR_PROGRAMS, _find_untarred),
}
"""Programs, by their entries, whose roles do not say what is lost."""
EMPTYING_PROGRAMS = RSYNC_PROGRAMS | {"truncate", "ed", "vim"}
"""Those of them that may take away what is in a file or a folder, wherever it is."""
LOSING_PROGRAMS = (
    SPECIAL.keys() | ACT_FINDERS.keys() | {one.name for one in iter_programs() if changes_files(one, LOSING_ROLES)}
) - KEEPING_PROGRAMS
"""Programs, by their entries, that may take anything away."""


def _make_loss(kind: str, word: Word, command: Command) -> PathLoss:
    return PathLoss(kind, settle_number(word), command.cwd, command.via, command.index)


def _make_copied(word: Word, command: Command, given: Arguments) -> PathLoss:
    below = tuple(iter_copies(given))
    return PathLoss(WRITE, settle_number(word), command.cwd, command.via, command.index, below)


def find_made(effects: Effects) -> tuple[PathLoss, ...]:
    """What a script makes where nothing is: each as the loss that it would be if something were there."""
    return tuple(islice(_iter_made(effects), MAX_MADE))


def _iter_made(effects: Effects) -> Iterator[PathLoss]:
    for redirect in effects.script.redirects:
        if redirect.is_write and redirect.target.text[:5] != "/dev/":
            yield PathLoss(WRITE, redirect.target, redirect.cwd, redirect.via)
    for effect in effects.changes:
        command = effect.command
        # What is moved was made by somebody else, and a link leads to what somebody else has made.
        if command is None or effect.kind == "delete" or not effect.is_named or command.name in ("mv", "gmv", "ln"):
            continue
        below = tuple(find_copies(command)) if find_program(command.name).copies else ()
        yield PathLoss(WRITE, effect.word, command.cwd, command.via, command.index, below)
    yield from _find_cloned(effects.script)
    for command, word in find_set_up(effects.script):
        yield PathLoss(WRITE, word, command.cwd, command.via, command.index)


def _find_cloned(script: Script) -> Iterator[PathLoss]:
    """The folder of a clone that has no name of its own gets that of the repository."""
    for command in script.by_name.get("git", ()):
        call = read_git_call(command)
        words = call.given.words if call.verb == "clone" else ()
        if len(words) == 1 and words[0].known:
            name = words[0].text.rstrip("/").rpartition("/")[2].rpartition(":")[2].removesuffix(".git")
            yield PathLoss(WRITE, Word(name), call.cwd, command.via, command.index)
