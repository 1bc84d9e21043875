"""A transaction over many files: staged, written down in a journal, then moved into place, or all taken back.

1. Stage: every new content is written beside its place, every old content gets a second name. Nothing has changed.
2. Decide: the journal is written. From now on whoever comes next after a `kill -9` finishes the transaction.
3. Move: renames only, each of which may be repeated. When the operating system refuses one, the journal is turned
   round (`back`) and everything is put back.
4. Finish: the journal is deleted, then the staging folders.
"""

import contextlib
import errno
import os
import shutil
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from synaptic.files.lock import hold_lock
from synaptic.files.replace import drop_folders, make_folders, replace_file
from synaptic.hooks.edit_registry import lock_registry
from synaptic.model.home import Home
from synaptic.model.refusal import Refusal
from synaptic.packages.site import Site

StepCallback = Callable[[str], None]
"""Called with the name of every step that is done."""


class PutFile(msgspec.Struct, frozen=True):
    """A file to be written."""

    path: Path
    data: bytes
    mode: int = 0o644


class DropFile(msgspec.Struct, frozen=True):
    """A file to be deleted, with the folders above it that are empty then, up to `below`."""

    path: Path
    below: Path


StagedChange = PutFile | DropFile


class FileMove(msgspec.Struct, frozen=True):
    """One change on disk: `staged` takes the place of `path` ("": nothing does), `saved` is what was there."""

    path: str
    staged: str = ""
    saved: str = ""
    empty: tuple[str, ...] = ()


class MoveJournal(msgspec.Struct, frozen=True, kw_only=True):
    """A decided transaction; its file is on disk exactly until it is finished."""

    id: str
    what: str
    phase: Literal["forward", "back"] = "forward"
    moves: tuple[FileMove, ...]
    folders: tuple[str, ...] = ()
    """Made for it, deepest first."""
    staging: tuple[str, ...] = ()


class FileTransaction(msgspec.Struct, frozen=True, kw_only=True):
    """What shall happen, and where; `what` is for people who meet it interrupted."""

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
            held.enter_context(lock_registry(site.registry))
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
    folders: dict[str, None] = {}
    try:
        for number, change in enumerate(changes):
            stage = _staging_for(change.path, work.sites, home) / name
            stage.mkdir(parents=True, exist_ok=True)
            moves.append(_stage_change(change, stage, number))
            if isinstance(change, PutFile):
                folders |= dict.fromkeys(_missing_folders(change.path.parent))
            after(f"staged {change.path.name}")
    except OSError as error:
        _delete_staging(_staging_folders(work.sites, home))
        raise _refusal(error, "nothing was changed") from error
    return MoveJournal(
        id=name,
        what=work.what,
        moves=tuple(moves),
        folders=tuple(sorted(folders, key=len, reverse=True)),
        staging=tuple(map(str, _staging_folders(work.sites, home))),
    )


def _stage_change(change: StagedChange, stage: Path, number: int) -> FileMove:
    # A file that people link from elsewhere stays a link; what is dropped is the name itself.
    # A registry or lockfile that is a link stays one: its target is replaced. A deletion removes the link itself.
    target = Path(os.path.realpath(change.path)) if isinstance(change, PutFile) else change.path
    saved = ""
    if target.is_file():
        saved = str(stage / f"{number}.old")
        _save_content(target, Path(saved))
    if isinstance(change, DropFile):
        inside = [folder for folder in target.parents if folder.is_relative_to(change.below) and folder != change.below]
        return FileMove(str(target), "", saved, tuple(map(str, inside)))
    staged = stage / f"{number}.new"
    handle = os.open(staged, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(change.data)
        os.fchmod(file.fileno(), change.mode)
    return FileMove(str(target), str(staged), saved)


def _move_all(home: Home, journal: MoveJournal, after: StepCallback) -> None:
    try:
        for move in journal.moves:
            _move(move)
            after(f"moved {Path(move.path).name}")
    except OSError as error:
        # Written before anything is put back: a kill from here on is answered by going back, not on.
        back = msgspec.structs.replace(journal, phase="back")
        _write_journal(home, back)
        raise _refusal(error, _take_back(home, back)) from error
    _finish_journal(home, journal)
    after("finished")


def _move(move: FileMove) -> None:
    """Carry out one move; one that an interrupted call has already carried out is left as it is."""
    if move.staged:
        # Gone: this move was done before the crash, and the journal is being finished.
        if os.path.lexists(move.staged):  # gone: it is in its place already
            Path(move.path).parent.mkdir(parents=True, exist_ok=True)
            _rename_or_copy(move.staged, move.path)
        return
    Path(move.path).unlink(missing_ok=True)
    drop_folders(move.empty)


def _take_back(home: Home, journal: MoveJournal) -> str:
    """Undo every move, also after one that cannot be undone; returns the outcome as text."""
    wrong = []
    for move in reversed(journal.moves):
        try:
            _undo_move(move)
        except OSError as error:
            wrong.append(f"{move.path}: {error.strerror or error}")
    drop_folders(journal.folders)
    if wrong:
        # The journal stays, and with it the saved contents: the next call tries again.
        return f"and could not be taken back: {'; '.join(wrong)}; the next call tries again"
    _finish_journal(home, journal)
    return "everything is as it was"


def _undo_move(move: FileMove) -> None:
    if move.saved:
        if os.path.lexists(move.saved):
            Path(move.path).parent.mkdir(parents=True, exist_ok=True)
            _rename_or_copy(move.saved, move.path)
    # Staged file moved and nothing was there before: the new file itself must go.
    elif move.staged and not os.path.lexists(move.staged):
        # Nothing was there before, and the staged file is gone: what is there now is ours.
        Path(move.path).unlink(missing_ok=True)


def _recover(home: Home, sites: Iterable[Site]) -> tuple[str, ...]:
    """Finish journaled transactions and drop staged files without a journal; the lock keeps others away."""
    told = []
    for file in sorted(_journal_folder(home).glob("*.json")):
        journal = msgspec.json.decode(file.read_bytes(), type=MoveJournal)
        if journal.phase == "forward":
            _move_all(home, journal, watch_nothing)
            told.append(f"{journal.what}: was interrupted, and is finished now")
        else:
            told.append(f"{journal.what}: was interrupted; {_take_back(home, journal)}")
    _delete_staging(_staging_folders(sites, home))
    return tuple(told)


def _write_journal(home: Home, journal: MoveJournal) -> None:
    replace_file(_journal_file(home, journal), msgspec.json.encode(journal))


def _finish_journal(home: Home, journal: MoveJournal) -> None:
    """Delete the journal first: a transaction without one is over, whatever is left of its staging."""
    _journal_file(home, journal).unlink(missing_ok=True)
    _delete_staging(map(Path, journal.staging))


def _delete_staging(folders: Iterable[Path]) -> None:
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)


def _journal_folder(home: Home) -> Path:
    return home.root / "install"


def _journal_file(home: Home, journal: MoveJournal) -> Path:
    return _journal_folder(home) / f"{journal.id}.json"


def _staging_folders(sites: Iterable[Site], home: Home) -> tuple[Path, ...]:
    return tuple(dict.fromkeys((*(site.staging for site in sites), home.root / ".install")))


def _staging_for(path: Path, sites: Iterable[Site], home: Home) -> Path:
    """The staging folder on the file system of a path, where a rename is atomic."""
    near = (site.staging for site in sites if path.is_relative_to(site.base))
    return next(near, home.root / ".install")


def _missing_folders(folder: Path) -> list[str]:
    return [str(one) for one in (folder, *folder.parents) if not one.exists()]


def _is_done(change: StagedChange) -> bool:
    if isinstance(change, DropFile):
        return not os.path.lexists(change.path)
    try:
        same_mode = change.path.stat().st_mode & 0o777 == change.mode
        return same_mode and change.path.read_bytes() == change.data
    except OSError:
        return False  # staging or moving it says what is wrong


def _save_content(source: Path, target: Path) -> None:
    """Give the old content a second name; a copy where the file system knows no second names."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def _rename_or_copy(source: str, target: str) -> None:
    try:
        os.replace(source, target)  # noqa: PTH105 - both names are strings
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        # A link led to another file system: copied there first, so that the last step is a rename again.
        beside = f"{target}.synaptic-new"
        shutil.copy2(source, beside)
        os.replace(beside, target)  # noqa: PTH105
        Path(source).unlink()


def _refusal(error: OSError, outcome: str) -> Refusal:
    where = os.fsdecode(error.filename2 or error.filename or "")
    return Refusal("internal_error", f"{error.strerror or error}; {outcome}", where=where, hint="correct it, try again")
