"""Recursive deletion outside of what may be deleted."""

import re
from collections.abc import Iterator
from typing import Annotated

import msgspec

from synaptic.model.decision import Verdict, ask, deny
from synaptic.model.event import PreToolUse
from synaptic.model.stakes import PathState
from synaptic.policies.base import FEWER, Policy
from synaptic.policies.facts import Facts
from synaptic.policies.files.led import LedPath, NamedPlace, follow_led, list_led, read_links
from synaptic.policies.files.lost import is_made_before
from synaptic.policies.files.stayed import find_stayed
from synaptic.policies.mounts import Mount, find_host_paths, find_mounts
from synaptic.policies.reading import (
    SCRATCH_FOLDERS,
    SHELL_TOOLS,
    get_script,
    get_work_folders,
    is_boxed_in,
    runs_elsewhere,
    runs_in_container,
    select_commands,
)
from synaptic.shell.book.arguments import Arguments
from synaptic.shell.book.entries import find_program
from synaptic.shell.effects.find import read_find, read_find_names
from synaptic.shell.effects.numbered import is_numbered, settle_number
from synaptic.shell.effects.printed import list_printed_lines, resolve_printed
from synaptic.shell.effects.searched import FIND_PROGRAMS, ScriptSearches
from synaptic.shell.names import split_names
from synaptic.shell.paths import Standpoint, is_inside, resolve_path
from synaptic.shell.places import PathArea, WorkFolders, is_home_folder, strip_match_all
from synaptic.shell.read.script import Command, Script, Word
from synaptic.shell.worth import is_throwaway

AREA_NAMES = {
    PathArea.WHOLE: "the root, a home folder, or a folder that holds one of them or the project",
    PathArea.HERE: "the project itself or the folder you stand in",
    PathArea.SYSTEM: "a part of the system",
    PathArea.OUTSIDE: "outside the project",
}
NOT_THERE = frozenset({PathState.MISSING, PathState.UNKNOWN})
LINKS = frozenset({PathState.LINK, PathState.FOLDER_LINK})
NEVER_OWN = frozenset({PathArea.WHOLE, PathArea.HERE, PathArea.SYSTEM})
SCRATCH_AREAS = frozenset({PathArea.HERE, PathArea.PROJECT, PathArea.SCRATCH})
"""What may be deleted where the folder that is worked in is scratch."""
INSTEAD = "Delete the folders you made by their names inside the project, or let the user delete this."
UNKNOWN_LIST_TEXT = "This deletes whatever the list before it holds. Print the list first, then delete by name."
CMD_DELETERS = frozenset({"rd", "rmdir", "del", "erase"})
POWERSHELL_DELETERS = frozenset({"remove-item", "ri"})
EMPTIERS = frozenset({"unlink", "truncate"})
"""Programs that take one file at a time, and many when a search hands them over."""
KIND_OF_FILES = re.compile(r"[^/]*\.[\w*?\[\]-]+|[^/]*~|\*?\.?[\w-]*[cC]aches?\*?|core|a\.out|Thumbs|DerivedData|Pods")
"""Names that say which kind of files is meant: `*.pyc`, `.DS_Store`, `x~`."""
ARCHIVERS = frozenset({"tar", "gtar", "bsdtar", "zip", "7z"})
"""Programs that can remove what they have put into an archive."""
EMPTY_FOLDER = re.compile(r"/var/empty/?$|\$\(mktemp\s+-\w*d")
ACCOUNT_REMOVERS = frozenset({"userdel", "deluser"})
"""Programs that remove a user, and with some options the home folder as well."""
LEADERS = split_names("ln mount bindfs sshfs unionfs")
FOLLOWING = frozenset({"-L", "-H", "-follow"})
ASKS = ("i", "I", "interactive")
UNNAMED_DELETERS = FIND_PROGRAMS | ACCOUNT_REMOVERS
"""Programs that delete what their words do not name."""
DELETERS = CMD_DELETERS | POWERSHELL_DELETERS | UNNAMED_DELETERS | EMPTIERS | ARCHIVERS | {"rm", "mv", "rsync"}


class Deletion(msgspec.Struct, frozen=True):
    """What a command deletes and how bluntly."""

    words: tuple[Word, ...]
    forced: bool = True
    recursive: bool = True
    picked: bool = False
    """Only what a search picks out by name, age or size."""
    searched: bool = False
    """Every file that a search finds is handed over, and nobody is asked."""
    cwd: str = ""
    """Where the search starts, when that is not where the command runs."""
    into: Word | None = None
    """Where it is moved to."""
    aged: bool = False
    """Picked out by nothing but age or size."""
    names: tuple[str, ...] = ()
    """The names that a search picks out."""
    unasked: bool = False
    """Without force, but nobody is asked where there is no terminal."""


class RecursiveDeletion(Policy):
    """Deleting whole folders outside what may be deleted.

    ## What it does
    Denies recursive deletion (`rm -r`, `find -delete`, `find -exec rm`, `shutil.rmtree`, `Remove-Item -Recurse`, `rsync
    --delete`, `tar --remove-files`, `zip -m`, `mv` of a whole tree, `userdel -r`) of the root, system trees, home
    folders, the project itself, its parents, and patterns that match everything in them. Outside the project and the
    `scratch` folders, `rm -rf` is denied, and so is removing every file that a search finds. What a container sees of
    this machine counts as well. Asks before deleting what a search below a home finds by a name that is no kind of
    files, such as `find ~ -name old -exec rm -rf {} +`, when an unknown variable would make it one of these if it were
    empty (`rm -rf "$X"/*`), before deleting all that `ls` prints, and before `xargs rm -rf` of an unknown list. Inside
    the project everything else may be deleted; outside of it what this session has made, links, caches, and what
    programs make everywhere (`node_modules`, `.DS_Store`). A home folder that lies in a scratch folder is a home, and
    neither it nor a folder that holds it is a project. A scratch folder in which one stands may be emptied, unless it
    is a part of a repository or somebody else's. What the line has linked or moved before is judged as what it is; so
    is what is behind a link that lies in scratch. Where a `cd` leads to a folder that is not there, and the deletion
    does not depend on it (`cd dist; rm -rf *`), what it would delete where one stood counts. On another machine only
    the root, top folders and homes are refused; `infra.remote-deletion` asks about the rest.
    ## Why
    A wrong path or an empty variable is enough to lose years of work, and no undo exists.
    ## Known gaps
    Other links on the disk are not followed. A variable that stands alone (`rm -rf "$DIR"`) is not asked about.
    Scripts in files are not read.
    """

    id = "files.recursive-deletion"
    events = (PreToolUse,)
    tools = SHELL_TOOLS
    speaks_of = DELETERS
    priority = 21
    preset = "essentials"
    needs = ("extra_roots", "stakes")

    scratch: Annotated[tuple[str, ...], FEWER] = SCRATCH_FOLDERS
    """Folders outside the project whose contents may be deleted; `$TMPDIR` is one too."""
    only_output: bool = False
    """Inside the project, delete recursively only what a build makes (`output`), too."""
    output: Annotated[tuple[str, ...], FEWER] = (
        "node_modules", "dist", "build", "out", "target", "coverage", "tmp", "temp", "vendor", "venv", ".venv",
        "__pycache__", ".cache", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".next", ".nuxt", ".turbo", ".tox",
        ".gradle", ".parcel-cache", ".eggs", "htmlcov",
    )  # fmt: skip
    """Names of folders that can be made again; used with `only_output`."""

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        found = get_script(event, facts, DELETERS)
        if found is None:
            return None
        at = get_work_folders(event, facts, self.scratch)
        searches = ScriptSearches(found)
        mounted = find_mounts(found)
        led = (*read_links(facts.stakes.links), *(list_led(facts.command, at) if facts.command else ()))
        for command in select_commands(found, DELETERS):
            if facts.stakes.absent and (verdict := self._judge_stayed(command, searches, facts, at)):
                return verdict
            if not led and self._is_harmless(command, at):
                continue
            for deletion in _iter_really(command, searches, led, at):
                verdict = self._judge_deletion(deletion, command, searches, at)
                if verdict and not self._loses_nothing(deletion, command, facts, at):
                    return verdict
                if mounted and runs_in_container(command) and (verdict := self._judge_mounts(deletion, mounted, at)):
                    return verdict
        return None

    def _judge_stayed(
        self, command: Command, searches: ScriptSearches, facts: Facts, at: WorkFolders
    ) -> Verdict | None:
        """What a command deletes where it stays, because the folder that it should run in is not there."""
        known = facts.command
        stayed = find_stayed(command, known, facts.stakes.absent) if known is not None else ""
        if not stayed:
            return None
        moved = msgspec.structs.replace(command, cwd=stayed)
        for deletion in _find_deletions(moved, ScriptSearches(searches.found)):
            if self._judge_deletion(deletion, moved, searches, at) and not self._loses_nothing(
                deletion, moved, facts, at
            ):
                return deny(
                    f"There is no folder {command.cwd!r}: the way into it fails, and this would delete in {stayed!r} "
                    "instead. Join the two with `&&`, or name the folder in what is deleted."
                )
        return None

    def _loses_nothing(self, deletion: Deletion, command: Command, facts: Facts, at: WorkFolders) -> bool:
        if not self.only_output and _empties_scratch(deletion, command, facts, at):
            return True
        return _is_own(deletion, command, facts, at)

    def _judge_mounts(self, deletion: Deletion, mounted: tuple[Mount, ...], at: WorkFolders) -> Verdict | None:
        """What a container deletes of this machine."""
        for word in deletion.words:
            for path in find_host_paths(word.text, mounted, writes=True):
                real = msgspec.structs.replace(word, text=path)
                if self._is_bad(place := at.classify_word(real, at.cwd), real, deletion, at):
                    return _make_verdict(real, place, certain=word.known)
        return None

    def _is_harmless(self, command: Command, at: WorkFolders) -> bool:
        """Whether it is about nothing but names below the project. A search and an account have their own folders."""
        # Through another program (`xargs`, `find -exec`) the words may not be all that is deleted.
        if self.only_output or command.via or command.name.lower() in UNNAMED_DELETERS:
            return False
        return at.are_plain_names(command.argv[1:], command.cwd)

    def _judge_deletion(
        self, deletion: Deletion, command: Command, searches: ScriptSearches, at: WorkFolders
    ) -> Verdict | None:
        found = searches.found
        for word in deletion.words:
            if word.text == "{}" and not word.known:
                lines = _list_lines(word, command, searches)
                if lines and all(map(self._is_build_output, lines)):
                    listed = msgspec.structs.replace(deletion, words=tuple(map(Word, lines)))
                    return self._judge_deletion(listed, command, searches, at)
                if deletion.forced and deletion.recursive:
                    return ask(UNKNOWN_LIST_TEXT)
                continue
            for real, cwd in resolve_printed(word, _list_printing(word, command, searches), at):
                if self._is_bad(place := at.classify_word(real, cwd), real, deletion, at) and not _is_elsewhere(
                    place, command, found
                ):
                    return _make_verdict(word, place, certain=False)
            place = at.classify_word(word, deletion.cwd or command.cwd)
            if self._is_bad(place, word, deletion, at) and not _is_elsewhere(place, command, found):
                if deletion.picked and self._picks_unknown(deletion):
                    return ask(
                        f"This deletes whatever is called {deletion.names[0]!r} below {word.text!r}, with all it "
                        "holds. Print what the search finds first, then delete by name."
                    )
                return _make_verdict(word, place, certain=word.known and (bool(command.cwd) or word.text[:1] in "/~"))
            if place is PathArea.PROJECT and self.only_output and not self._is_build_output(word.text):
                return deny(f"{word.text!r} is not a folder that a build makes again. {INSTEAD}")
        return None

    def _is_bad(self, place: PathArea, word: Word, deletion: Deletion, at: WorkFolders) -> bool:
        if place in (PathArea.OUTSIDE, PathArea.WHOLE) and deletion.recursive and self._picks_unknown(deletion):
            return True
        if place is PathArea.OUTSIDE:
            blunt = deletion.forced or (deletion.unasked and self._is_at_home(word, deletion, at))
            return (deletion.searched or (blunt and deletion.recursive)) and not deletion.picked
        if place is PathArea.SYSTEM:
            # `find /tmp -name x -delete` is ordinary, although /tmp itself must stay.
            return not (deletion.picked and word.text.rstrip("/") in at.scratch)
        if (
            place is PathArea.HERE
            and word.glob
            and deletion.into
            and at.classify_word(deletion.into, at.cwd) is PathArea.PROJECT
        ):
            return False  # `mv * new/` keeps it in the project
        if place is PathArea.HERE:
            return not deletion.picked and ((deletion.forced and deletion.recursive) or not deletion.searched)
        return place is PathArea.WHOLE and (deletion.aged or not (deletion.picked and word.text.strip("/*")))

    def _is_at_home(self, word: Word, deletion: Deletion, at: WorkFolders) -> bool:
        path = resolve_path(word.text, Standpoint(deletion.cwd or at.cwd, at.home))
        return path is not None and is_inside(path, (at.home,))

    def _picks_unknown(self, deletion: Deletion) -> bool:
        """Whether a search picks out names of which nobody can say that they come back."""
        return not all(map(self._is_remade, deletion.names))

    def _is_remade(self, name: str) -> bool:
        """Whether a name that is searched for is one of files that come back by themselves, or of a kind of files."""
        last = name.rstrip("/*").rpartition("/")[2]
        return last in self.output or KIND_OF_FILES.fullmatch(last) is not None

    def _is_build_output(self, text: str) -> bool:
        return any(part in self.output for part in text.split("/"))


def _empties_scratch(deletion: Deletion, command: Command, facts: Facts, at: WorkFolders) -> bool:
    """Whether all that is deleted is in the folder one stands in, and that is scratch of one's own."""
    cwd = deletion.cwd or command.cwd
    if not (facts.stakes.disposable and cwd and deletion.words and at.is_scratch(at.project)):
        return False
    return all(word.known and at.classify_word(word, cwd) in SCRATCH_AREAS for word in deletion.words)


def _is_own(deletion: Deletion, command: Command, facts: Facts, at: WorkFolders) -> bool:
    """Whether nothing is lost: a link, what the session or the line has made, or what programs make again."""
    known = facts.command
    if known is None or deletion.searched or deletion.picked or not deletion.words:
        return False
    if not LEADERS.isdisjoint(known.programs):
        return False  # what is below a link or a mount that the line makes is not its own
    for word in deletion.words:
        if not word.known or at.classify_word(word, deletion.cwd or command.cwd) in NEVER_OWN:
            return False
        path = resolve_path(word.text, Standpoint(deletion.cwd or command.cwd or at.cwd, at.home))
        if path is None:
            return False
        state = facts.stakes.get_state(path)
        free = is_throwaway(path, at.home) or is_inside(path, facts.stakes.made) or _has_nothing(state, word)
        # What was moved there is nobody's who made the folder.
        missing = state is PathState.MISSING and "mv" not in known.programs
        made = is_numbered(path) or (
            state in NOT_THERE and is_made_before(path, command.index, known, at, was_missing=missing)
        )
        if not free and not (state in NOT_THERE and made):
            return False
    return True


def _has_nothing(state: PathState, word: Word) -> bool:
    """Whether only a link is there; with a slash behind it, what it leads to is meant."""
    return state in LINKS and word.text[-1:] not in ("/", ".", "*")


def _is_elsewhere(place: PathArea, command: Command, found: Script) -> bool:
    """Whether the path says nothing, because the command runs on another machine or in a container."""
    return (place is PathArea.OUTSIDE and runs_elsewhere(command)) or (
        place is not PathArea.WHOLE and is_boxed_in(command, found)
    )


def _list_lines(word: Word, command: Command, searches: ScriptSearches) -> tuple[str, ...]:
    """The lines that `xargs` can be given, where no others come through the pipe."""
    outer = searches.found.by_name.get("xargs", ())
    if command.via != ("xargs",) or any(_read_given(one).has("arg-file") for one in outer):
        return ()
    return list_printed_lines(searches.list_printers(word, command))


def _list_printing(word: Word, command: Command, searches: ScriptSearches) -> list[Command]:
    """The commands that print what a word holds. What `ls` lists may be moved: it is not lost."""
    printing = searches.list_printers(word, command)
    return printing if command.name != "mv" else [one for one in printing if one.name == "git"]


def _make_verdict(word: Word, place: PathArea, certain: bool) -> Verdict:
    if certain:
        return deny(f"This would delete {word.text!r}: {AREA_NAMES[place]}. {INSTEAD}")
    return ask(
        f"{word.text!r} is {AREA_NAMES[place]} if what is unknown in it is empty or somewhere else. Write the path "
        'out, or use "${NAME:?}" so that the command stops when it is empty.'
    )


def _iter_really(
    command: Command, searches: ScriptSearches, led: tuple[LedPath, ...], at: WorkFolders
) -> Iterator[Deletion]:
    """What a command deletes, and what that is which the line has linked or moved there before."""
    if runs_elsewhere(command) and not runs_in_container(command):
        yield from _iter_on_other_machine(command, searches, at)
        return
    for deletion in _find_deletions(command, searches):
        yield msgspec.structs.replace(deletion, words=tuple(map(settle_number, deletion.words)))
        places = [NamedPlace(word, deletion.cwd or command.cwd, command.index) for word in deletion.words if led]
        if words := tuple(real for one in places for real in follow_led(one, led, at, whole=True)):
            yield msgspec.structs.replace(deletion, words=words)


def _iter_on_other_machine(command: Command, searches: ScriptSearches, at: WorkFolders) -> Iterator[Deletion]:
    """What is the same on every machine; `infra.remote-deletion` asks about the rest."""
    for deletion in _find_deletions(command, searches):
        cwd = deletion.cwd or command.cwd
        if deletion.picked:
            yield deletion
        elif words := tuple(word for word in deletion.words if _is_everywhere(word, cwd, at)):
            yield msgspec.structs.replace(deletion, words=words)


def _is_everywhere(word: Word, cwd: str, at: WorkFolders) -> bool:
    """Whether it is the root, a tree of the system or a home on any machine, or may be one."""
    path = resolve_path(strip_match_all(word.text), Standpoint(cwd or at.cwd, at.home))
    return not word.known or path is None or path.count("/") < 2 or path == at.home or is_home_folder(path)


def _list_roots(roots: tuple[Word, ...], command: Command) -> tuple[Word, ...]:
    """Where a search begins; one that follows links goes through those that it is given."""
    if FOLLOWING.isdisjoint(command.args):
        return roots
    return tuple(msgspec.structs.replace(root, text=f"{root.text.rstrip('/')}/") for root in roots if root.text)


def _find_deletions(command: Command, searches: ScriptSearches) -> Iterator[Deletion]:
    name = command.name.lower()
    if name == "rm":
        yield from _read_rm(command, searches)
    elif name in FIND_PROGRAMS and (sought := read_find(command.argv)).deletes:
        names = read_find_names(command.args) if sought.narrowed else ()
        yield Deletion(_list_roots(sought.roots, command), picked=sought.narrowed, aged=sought.aged, names=names)
    elif name in CMD_DELETERS and any(text.lower() == "/s" for text in command.args):
        yield Deletion(tuple(word for word in command.argv[1:] if len(word.text) != 2))
    elif name in POWERSHELL_DELETERS:
        yield from _read_remove_item(command)
    elif name in EMPTIERS:
        yield from _read_emptying(command, searches)
    elif name == "mv":
        yield from _read_move(_read_given(command), command.looped)
    elif name == "rsync":
        yield from _read_rsync(_read_given(command), searches.found)
    elif name in ARCHIVERS and (given := _read_given(command)).has_role("purge"):
        yield _read_archiving(given, find_program(name).name == "tar")
    elif name in ACCOUNT_REMOVERS and (given := _read_given(command)).has_role("purge"):
        yield Deletion(tuple(Word(f"~{word.text}", word.known) for word in given.operands))


def _read_given(command: Command) -> Arguments:
    return find_program(command.name).read(command.argv[1:])


def _read_rsync(given: Arguments, found: Script) -> Iterator[Deletion]:
    """What the target has and the source has not; the source itself, when it is moved."""
    if given.has_role("dry"):
        return
    if given.has_role("purge"):
        # A folder that was just made is empty, and the target will be: nothing is brought up to date that way.
        made = {word.text.rstrip("/") for one in select_commands(found, ("mkdir",)) for word in one.argv[1:]}
        empty = any(word.text.rstrip("/") in made or EMPTY_FOLDER.match(word.text) for word in given.operands[:-1])
        yield Deletion(tuple(word for word in given.operands[-1:] if ":" not in word.text), forced=empty)
    if given.has("remove-source-files"):
        yield Deletion(tuple(word for word in given.operands[:-1] if ":" not in word.text))


def _read_archiving(given: Arguments, behind_folder: bool) -> Deletion:
    """`tar --remove-files`, `zip -m`: what is put into the archive is gone afterwards."""
    words = given.operands if behind_folder else given.operands[1:]
    folder = next(iter(given.get_values("directory")), None)
    if folder is not None:
        words = tuple(Word(f"{folder.text}/{word.text}", folder.known and word.known, word.glob) for word in words)
    return Deletion(words)


def _read_move(given: Arguments, looped: bool) -> Iterator[Deletion]:
    """`mv` as a deletion: what is moved is gone from its old place."""
    if into := given.get_by_role("into"):
        yield Deletion(given.operands, forced=False, into=into[0])
    # In a loop, a name that is worked out for each file is a new name of it: `mv "$f" "$(echo "$f" | tr A-Z a-z)"`.
    elif given.operands and not (looped and given.operands[-1].outputs):
        yield Deletion(given.operands[:-1], forced=False, into=given.operands[-1])


def _read_remove_item(command: Command) -> Iterator[Deletion]:
    flags = [text.lower() for text in command.args if text[:1] == "-"]
    if any(flag.startswith("-r") for flag in flags):
        words = tuple(word for word in command.argv[1:] if word.text[:1] != "-")
        yield Deletion(words, forced=any(flag.startswith("-f") for flag in flags))


def _read_rm(command: Command, searches: ScriptSearches) -> Iterator[Deletion]:
    if command.via and command.via[-1] == "find -delete":
        return  # the `find` itself is looked at
    given = _read_given(command)
    recursive = given.has("recursive") or any(text.lower() == "-recurse" for text in command.args)
    forced = _is_forced(given, command)
    asks = given.has(*ASKS) or _is_confirmed(command)
    named = []
    for word in given.operands:
        search = searches.find_search(word, command) if command.via or not word.known else None
        if search is None:
            named.append(word)
        # Many commands may run on the results of one search: it is judged once for each way of deleting.
        elif searches.ask_once(search, forced, recursive, asks, command.via):
            yield Deletion(
                search.roots, forced, recursive, search.narrowed, not asks, search.cwd, aged=search.aged,
                names=search.names if search.narrowed and not search.tail else (),
            )  # fmt: skip
    if recursive:
        yield Deletion(tuple(named), forced, cwd=command.cwd, unasked=not asks)


def _read_emptying(command: Command, searches: ScriptSearches) -> Iterator[Deletion]:
    for word in _read_given(command).operands:
        if (search := searches.find_search(word, command)) and searches.ask_once(search, command.via):
            yield Deletion(search.roots, False, False, search.narrowed, not _is_confirmed(command), search.cwd)


def _is_forced(given: Arguments, command: Command) -> bool:
    if given.has(*ASKS):
        return False
    return given.has("force") or any(text.lower() == "-force" for text in command.args)


def _is_confirmed(command: Command) -> bool:
    """Whether the search asks before each file."""
    return any("-ok" in label for label in command.via)
