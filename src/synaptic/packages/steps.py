"""A transaction over many files: staged, written down in a journal, then moved into place, or all taken back.

1. Stage: every new content is written beside its place, every old content gets a second name. Nothing has changed.
2. Decide: the journal is written. From now on whoever comes next after a `kill -9` finishes the transaction.
3. Move: renames only, each of which may be repeated. When the operating system refuses one, the journal is turned
   round (`back`) and everything is put back.
4. Finish: the journal is deleted, then the staging folders.

Every change names the folder it is made below. No link is followed from there on, neither now nor when the journal is
finished later: a project's folders belong to a repository, which may put one in our way at any moment.
"""

import contextlib
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from synaptic.files.bounded import read_bounded
from synaptic.files.inside import delete_inside, drop_folders_inside, name_inside, read_inside
from synaptic.files.lock import hold_lock
from synaptic.files.replace import LinkedPathError, make_folders, replace_file
from synaptic.hooks.edit_registry import lock_registry
from synaptic.model.home import Home
from synaptic.model.refusal import Refusal
from synaptic.packages.hashes import hash_bytes
from synaptic.packages.site import Site
from synaptic.packages.staging import StagingFolder, find_mode, list_missing_folders, move_inside, save_content

StepCallback = Callable[[str], None]
"""Called with the name of every step that is done."""
JOURNAL_LIMIT = 16 << 20


class PutFile(msgspec.Struct, frozen=True):
    """A file to be written."""

    root: Path
    """The folder below which no link is followed."""
    path: Path
    data: bytes
    mode: int = 0o644


class DropFile(msgspec.Struct, frozen=True):
    """A file to be deleted, with the folders above it that are empty then, up to `below`."""

    root: Path
    path: Path
    below: Path
    sha256: str = ""
    """What is deleted: any other content stays, and everything else with it. "" for a file of our own."""


StagedChange = PutFile | DropFile


class FileMove(msgspec.Struct, frozen=True, kw_only=True):
    """One change below `root`: `staged` takes the place of `path` ("": nothing does), `saved` is what was there."""

    root: str
    path: str
    staging: StagingFolder
    staged: str = ""
    """A name in the staging folder, like `saved`."""
    saved: str = ""
    empty: tuple[str, ...] = ()


class MoveJournal(msgspec.Struct, frozen=True, kw_only=True):
    """A decided transaction; its file is on disk exactly until it is finished."""

    id: str
    what: str
    phase: Literal["forward", "back"] = "forward"
    moves: tuple[FileMove, ...]
    folders: tuple[tuple[str, str], ...] = ()
    """Made for it, deepest first: the root and the name below it."""
    staging: tuple[StagingFolder, ...] = ()


class FileTransaction(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be changed together, and the places whose files those are."""

    what: str
    sites: tuple[Site, ...]
    changes: tuple[StagedChange, ...]


def watch_nothing(step: str) -> None:
    """The watcher of a transaction that nobody watches."""


@contextlib.contextmanager
def hold_install_lock(home: Home, sites: Sequence[Site]) -> Iterator[tuple[str, ...]]:
    """Be the only installer of this user and in these places. What an earlier one left is finished first, and told."""
    make_folders(_journal_folder(home), 0o700)
    with contextlib.ExitStack() as held:
        held.enter_context(hold_lock(_journal_folder(home) / "lock"))
        # In one order for everybody, so that two installers of several places never wait for each other.
        for site in sorted(sites, key=lambda one: str(one.base)):
            try:
                held.enter_context(lock_registry(site.project, site.registry))
            except OSError as error:
                raise _make_refusal(error, "nothing was changed") from error
        yield _recover(home, sites)


def commit_changes(home: Home, work: FileTransaction, after: StepCallback = watch_nothing) -> None:
    """All changes, or a Refusal and none. Only inside `hold_install_lock`."""
    # Unchanged files are left alone: a second install must not touch what other programs watch.
    changes = [change for change in work.changes if not _is_done(change)]
    journal = _stage(home, work, changes, after)
    _write_journal(home, journal)
    after("decided")
    _move_all(home, journal, after)


def _stage(home: Home, work: FileTransaction, changes: Sequence[StagedChange], after: StepCallback) -> MoveJournal:
    name = uuid.uuid4().hex
    moves: list[FileMove] = []
    folders: dict[tuple[str, str], None] = {}
    staging = _staging_folders(work.sites, home)
    try:
        for number, change in enumerate(changes):
            stage = _staging_for(change, work.sites, home)
            moves.append(_stage_change(change, msgspec.structs.replace(stage, name=f"{stage.name}/{name}"), number))
            if isinstance(change, PutFile):
                folders |= dict.fromkeys(list_missing_folders(change.root, change.path))
            after(f"staged {change.path.name}")
    except (OSError, Refusal) as error:
        _delete_staging(staging)
        raise _make_refusal(error, "nothing was changed") from error
    deepest = tuple(sorted(folders, key=lambda one: len(one[1]), reverse=True))
    return MoveJournal(id=name, what=work.what, moves=tuple(moves), folders=deepest, staging=staging)


def _stage_change(change: StagedChange, stage: StagingFolder, number: int) -> FileMove:
    path = name_inside(change.root, change.path)
    saved = f"{number}.old" if save_content(str(change.root), path, stage, f"{number}.old") else ""
    move = FileMove(root=str(change.root), path=path, staging=stage, saved=saved)
    if isinstance(change, PutFile):
        stage.write(f"{number}.new", change.data, change.mode)
        return msgspec.structs.replace(move, staged=f"{number}.new")
    if change.sha256 and saved and hash_bytes(stage.read(saved)) != change.sha256:
        hint = "look at it, then try again"
        raise Refusal("conflict", "was changed while it was to be deleted", where=str(change.path), hint=hint)
    inside = [one for one in change.path.parents if one.is_relative_to(change.below) and one != change.below]
    return msgspec.structs.replace(move, empty=tuple(name_inside(change.root, folder) for folder in inside))


def _move_all(home: Home, journal: MoveJournal, after: StepCallback) -> None:
    try:
        for move in journal.moves:
            _move(move)
            after(f"moved {Path(move.path).name}")
    except OSError as error:
        # Written before anything is put back: a kill from here on is answered by going back, not on.
        back = msgspec.structs.replace(journal, phase="back")
        _write_journal(home, back)
        raise _make_refusal(error, _take_back(home, back)) from error
    _finish_journal(home, journal)
    after("finished")


def _move(move: FileMove) -> None:
    """Carry out one move; one that an interrupted call has already carried out is left as it is."""
    if move.staged:
        move_inside(move.staging, move.staged, move.root, move.path)
        return
    delete_inside(move.root, move.path)
    drop_folders_inside(move.root, *move.empty)


def _take_back(home: Home, journal: MoveJournal) -> str:
    """Undo every move, also after one that cannot be undone; returns the outcome as text."""
    wrong = []
    for move in reversed(journal.moves):
        try:
            _undo_move(move)
        except OSError as error:
            wrong.append(f"{move.root}/{move.path}: {error.strerror or error}")
    for root, name in journal.folders:
        drop_folders_inside(root, name)
    if wrong:
        # The journal stays, and with it the saved contents: the next call tries again.
        return f"and could not be taken back: {'; '.join(wrong)}; the next call tries again"
    _finish_journal(home, journal)
    return "everything is as it was"


def _undo_move(move: FileMove) -> None:
    if move.saved:
        move_inside(move.staging, move.saved, move.root, move.path)
    # Nothing was there before, and the staged file is gone: what is there now is ours.
    elif move.staged and not move.staging.has(move.staged):
        delete_inside(move.root, move.path)


def _recover(home: Home, sites: Iterable[Site]) -> tuple[str, ...]:
    """Finish journaled transactions and drop staged files without a journal; the lock keeps others away."""
    told = []
    for file in sorted(_journal_folder(home).glob("*.json")):
        journal = _read_journal(file)
        if journal.phase == "forward":
            _move_all(home, journal, watch_nothing)
            told.append(f"{journal.what}: was interrupted, and is finished now")
        else:
            told.append(f"{journal.what}: was interrupted; {_take_back(home, journal)}")
    _delete_staging(_staging_folders(sites, home))
    return tuple(told)


def _read_journal(file: Path) -> MoveJournal:
    try:
        return msgspec.json.decode(read_bounded(file, JOURNAL_LIMIT), type=MoveJournal)
    except (OSError, msgspec.MsgspecError) as error:
        hint = f"look at your packages with `synaptic verify`, then delete it: rm {file}"
        raise Refusal(
            "internal_error", f"an interrupted call cannot be read: {error}", where=str(file), hint=hint
        ) from None


def _write_journal(home: Home, journal: MoveJournal) -> None:
    replace_file(_journal_file(home, journal), msgspec.json.encode(journal))


def _finish_journal(home: Home, journal: MoveJournal) -> None:
    """Delete the journal first: a transaction without one is over, whatever is left of its staging."""
    _journal_file(home, journal).unlink(missing_ok=True)
    _delete_staging(journal.staging)


def _delete_staging(folders: Iterable[StagingFolder]) -> None:
    for folder in folders:
        folder.delete()


def _journal_folder(home: Home) -> Path:
    return home.root / "install"


def _journal_file(home: Home, journal: MoveJournal) -> Path:
    return _journal_folder(home) / f"{journal.id}.json"


def _staging_folders(sites: Iterable[Site], home: Home) -> tuple[StagingFolder, ...]:
    near = (StagingFolder(str(site.anchor), name_inside(site.anchor, site.staging)) for site in sites)
    return tuple(dict.fromkeys((*near, StagingFolder(str(home.root), ".install"))))


def _staging_for(change: StagedChange, sites: Iterable[Site], home: Home) -> StagingFolder:
    """The staging folder on the file system of a file, where a rename is atomic."""
    near = (site for site in sites if change.path.is_relative_to(site.base))
    return next(iter(_staging_folders(near, home)))


def _is_done(change: StagedChange) -> bool:
    try:
        name = name_inside(change.root, change.path)
        mode = find_mode(str(change.root), name)
        if isinstance(change, DropFile):
            return mode is None
        return mode == change.mode and read_inside(change.root, name, len(change.data)) == change.data
    except OSError:
        return False  # staging or moving it says what is wrong


def _make_refusal(error: OSError | Refusal, outcome: str) -> Refusal:
    if isinstance(error, Refusal):
        return error
    if isinstance(error, LinkedPathError):
        return Refusal("conflict", f"{error.strerror}; {outcome}", where=str(error.filename), hint=error.hint)
    where = str(error.filename2 or error.filename or "")
    return Refusal("internal_error", f"{error.strerror or error}; {outcome}", where=where, hint="correct it, try again")
