"""Changes of many files that happen together: staged, written down, then moved into place, or all taken back.

Before the journal is there nothing has changed. From then on the changes are decided: whoever comes next after a
`kill -9` finishes them. A step that the operating system refuses turns the journal round, and everything goes back.
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
from synaptic.files.replace import make_folders, replace
from synaptic.hooks.edit_registry import registry_lock
from synaptic.model.home import Home
from synaptic.model.refusal import Refusal
from synaptic.packages.site import Site

After = Callable[[str], None]
"""Called with the name of every step that is done."""


class Put(msgspec.Struct, frozen=True):
    """A file as it shall be."""

    path: Path
    data: bytes
    mode: int = 0o644


class Drop(msgspec.Struct, frozen=True):
    """A file that shall be gone, with the folders above it that are empty then, up to `below`."""

    path: Path
    below: Path


Change = Put | Drop


class Move(msgspec.Struct, frozen=True):
    """One change on disk: `staged` takes the place of `path` ("": nothing does), `saved` is what was there."""

    path: str
    staged: str = ""
    saved: str = ""
    empty: tuple[str, ...] = ()


class Journal(msgspec.Struct, frozen=True, kw_only=True):
    """A decided transaction; it is on disk exactly as long as it is not finished."""

    id: str
    what: str
    phase: Literal["forward", "back"] = "forward"
    moves: tuple[Move, ...]
    folders: tuple[str, ...] = ()
    """Made for it, deepest first."""
    staging: tuple[str, ...] = ()


class Work(msgspec.Struct, frozen=True, kw_only=True):
    """What shall happen, and where."""

    what: str
    sites: tuple[Site, ...]
    changes: tuple[Change, ...]


def _nothing(step: str) -> None:
    """Nobody watches."""


@contextlib.contextmanager
def exclusive(home: Home, sites: Sequence[Site]) -> Iterator[tuple[str, ...]]:
    """The only installer of this user and in these places. What an earlier one left is finished first, and told."""
    make_folders(_folder(home), 0o700)
    with contextlib.ExitStack() as held:
        held.enter_context(hold_lock(_folder(home) / "lock"))
        # In one order for everybody, so that two installers of several places never wait for each other.
        for site in sorted(sites, key=lambda one: str(one.base)):
            held.enter_context(registry_lock(site.registry))
        yield _recovered(home, sites)


def commit(home: Home, work: Work, after: After = _nothing) -> None:
    """All changes, or a Refusal and none. Only inside `exclusive`."""
    changes = [change for change in work.changes if not _is_done(change)]
    journal = _staged(home, work, changes, after)
    _write(home, journal)
    after("decided")
    _forward(home, journal, after)


def _staged(home: Home, work: Work, changes: Sequence[Change], after: After) -> Journal:
    name = uuid.uuid4().hex
    moves: list[Move] = []
    folders: dict[str, None] = {}
    try:
        for number, change in enumerate(changes):
            stage = _stage_of(change.path, work.sites, home) / name
            stage.mkdir(parents=True, exist_ok=True)
            moves.append(_prepared(change, stage, number))
            if isinstance(change, Put):
                folders |= dict.fromkeys(_missing(change.path.parent))
            after(f"staged {change.path.name}")
    except OSError as error:
        _clean(_stages(work.sites, home))
        raise _refused(error, "nothing was changed") from error
    return Journal(
        id=name,
        what=work.what,
        moves=tuple(moves),
        folders=tuple(sorted(folders, key=len, reverse=True)),
        staging=tuple(map(str, _stages(work.sites, home))),
    )


def _prepared(change: Change, stage: Path, number: int) -> Move:
    target = Path(os.path.realpath(change.path)) if isinstance(change, Put) else change.path
    saved = ""
    if target.is_file():
        saved = str(stage / f"{number}.old")
        _copy(target, Path(saved))
    if isinstance(change, Drop):
        inside = [folder for folder in target.parents if folder.is_relative_to(change.below) and folder != change.below]
        return Move(str(target), "", saved, tuple(map(str, inside)))
    staged = stage / f"{number}.new"
    handle = os.open(staged, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(change.data)
        os.fchmod(file.fileno(), change.mode)
    return Move(str(target), str(staged), saved)


def _forward(home: Home, journal: Journal, after: After) -> None:
    try:
        for move in journal.moves:
            _apply(move)
            after(f"moved {Path(move.path).name}")
    except OSError as error:
        back = msgspec.structs.replace(journal, phase="back")
        _write(home, back)
        raise _refused(error, _taken_back(home, back)) from error
    _finish(home, journal)
    after("finished")


def _apply(move: Move) -> None:
    if move.staged:
        if os.path.lexists(move.staged):
            Path(move.path).parent.mkdir(parents=True, exist_ok=True)
            _rename(move.staged, move.path)
        return
    Path(move.path).unlink(missing_ok=True)
    for folder in move.empty:
        with contextlib.suppress(OSError):  # somebody has something in it: it stays
            Path(folder).rmdir()


def _taken_back(home: Home, journal: Journal) -> str:
    """Undo every step, also after one that cannot be undone; what became of it."""
    wrong = []
    for move in reversed(journal.moves):
        try:
            _undo(move)
        except OSError as error:
            wrong.append(f"{move.path}: {error.strerror or error}")
    for folder in journal.folders:
        with contextlib.suppress(OSError):  # somebody has something in it: it stays
            Path(folder).rmdir()
    if wrong:
        return f"and could not be taken back: {'; '.join(wrong)}; the next call tries again"
    _finish(home, journal)
    return "everything is as it was"


def _undo(move: Move) -> None:
    if move.saved:
        if os.path.lexists(move.saved):
            Path(move.path).parent.mkdir(parents=True, exist_ok=True)
            _rename(move.saved, move.path)
    elif move.staged and not os.path.lexists(move.staged):
        Path(move.path).unlink(missing_ok=True)


def _recovered(home: Home, sites: Iterable[Site]) -> tuple[str, ...]:
    """Finish what was decided; throw away what was not. Nobody else is at work: the lock is ours."""
    told = []
    for file in sorted(_folder(home).glob("*.json")):
        journal = msgspec.json.decode(file.read_bytes(), type=Journal)
        if journal.phase == "forward":
            _forward(home, journal, _nothing)
            told.append(f"{journal.what}: was interrupted, and is finished now")
        else:
            told.append(f"{journal.what}: was interrupted; {_taken_back(home, journal)}")
    _clean(_stages(sites, home))
    return tuple(told)


def _write(home: Home, journal: Journal) -> None:
    replace(_file(home, journal), msgspec.json.encode(journal))


def _finish(home: Home, journal: Journal) -> None:
    """The journal goes first: from here on nothing is to be done any more."""
    _file(home, journal).unlink(missing_ok=True)
    _clean(map(Path, journal.staging))


def _clean(stages: Iterable[Path]) -> None:
    for stage in stages:
        shutil.rmtree(stage, ignore_errors=True)


def _folder(home: Home) -> Path:
    return home.root / "install"


def _file(home: Home, journal: Journal) -> Path:
    return _folder(home) / f"{journal.id}.json"


def _stages(sites: Iterable[Site], home: Home) -> tuple[Path, ...]:
    return tuple(dict.fromkeys((*(site.staging for site in sites), home.root / ".install")))


def _stage_of(path: Path, sites: Iterable[Site], home: Home) -> Path:
    near = (site.staging for site in sites if path.is_relative_to(site.base))
    return next(near, home.root / ".install")


def _missing(folder: Path) -> list[str]:
    return [str(one) for one in (folder, *folder.parents) if not one.exists()]


def _is_done(change: Change) -> bool:
    if isinstance(change, Drop):
        return not os.path.lexists(change.path)
    try:
        same_mode = change.path.stat().st_mode & 0o777 == change.mode
        return same_mode and change.path.read_bytes() == change.data
    except OSError:
        return False  # staging or moving it says what is wrong


def _copy(source: Path, target: Path) -> None:
    """The old content under a second name; a copy where the file system knows no second names."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def _rename(source: str, target: str) -> None:
    try:
        os.replace(source, target)  # noqa: PTH105 - both names are strings
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        beside = f"{target}.synaptic-new"  # a link led to another file system
        shutil.copy2(source, beside)
        os.replace(beside, target)  # noqa: PTH105
        Path(source).unlink()


def _refused(error: OSError, outcome: str) -> Refusal:
    where = os.fsdecode(error.filename2 or error.filename or "")
    return Refusal("internal_error", f"{error.strerror or error}; {outcome}", where=where, hint="correct it, try again")
