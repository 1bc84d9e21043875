"""Write a project's sections to signed files for people to read; the engine never takes values from them."""

import fcntl
import os
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from synaptic.files import snapshot
from synaptic.files.replace import replace_own
from synaptic.model import sane
from synaptic.model.effect import Effect, Mirror
from synaptic.model.errors import StoreError
from synaptic.model.sane import MARKER_FILE, STATE_FILE, Look, Mirrored
from synaptic.model.state import Change
from synaptic.store import sections, state
from synaptic.store.db import Store

LIMIT = 4 * 1024 * 1024
SEEN = 256
SHOWN = (*sane.SECTIONS, sane.SAFEMODE)
TRIES, PAUSE = 20, 0.002
SIGNATURE, TIME = "__sig__", "__ts__"

_seen: dict[tuple[str, str], tuple[snapshot.Signature, Look]] = {}
"""Result of the last inspection by database and path, so that an unchanged file costs one stat."""


_looked: dict[tuple[str, str], Mirrored] = {}
"""Result of the last inspection by database and project."""


def write(store: Store, root: str, effects: Sequence[Effect]) -> tuple[str, ...]:
    """After an event: rewrite the files when it asks for them, or when it changed a section that they show.

    Returns a warning when they could not be written.
    """
    if any(isinstance(effect, Mirror) for effect in effects):
        return refresh(store, root)
    if any(isinstance(effect, Change) and effect.section in SHOWN for effect in effects):
        return follow(store, root)
    return ()


def refresh(store: Store, root: str) -> tuple[str, ...]:
    """Write the files from the sections as they are stored now; returns a warning when that is impossible."""
    _looked.pop((str(store.path), root), None)
    try:
        with _Lock(f"{root}/{STATE_FILE}.lock"):
            # Read inside the lock: whoever writes last has also read last.
            shown = sections.every(store, root, SHOWN)
            safemode = shown.pop("safemode")
            _set_aside(store, root, STATE_FILE)
            marked = _set_aside(store, root, MARKER_FILE) != "missing"
            _place(store, root, STATE_FILE, shown)
            if isinstance(safemode, dict) and safemode["active"]:
                _place(store, root, MARKER_FILE, safemode)
            elif marked:
                Path(root, MARKER_FILE).unlink(missing_ok=True)
    except (OSError, StoreError) as error:
        return (f"{root}/{STATE_FILE} was not written: {error}",)
    return ()


def follow(store: Store, root: str) -> tuple[str, ...]:
    """Rewrite the files after a change, but only in a project that already has a genuine one."""
    return refresh(store, root) if _look(store, root, STATE_FILE) == "genuine" else ()


def look(store: Store, root: str) -> Mirrored:
    """Inspect the files now: missing, genuine or forged."""
    marked = os.access(f"{root}/{MARKER_FILE}", os.F_OK)  # mostly not: cheaper to ask than a stat that fails
    found = Mirrored(_look(store, root, STATE_FILE), _look(store, root, MARKER_FILE) if marked else "missing")
    if len(_looked) >= SEEN:
        _looked.clear()
    _looked[str(store.path), root] = found
    return found


def last_look(store: Store, root: str) -> Mirrored:
    """Return the result of the last inspection if it was genuine; inspect again otherwise."""
    known = _looked.get((str(store.path), root))
    return known if known is not None and known.state == "genuine" else look(store, root)


def _look(store: Store, root: str, name: str) -> Look:
    path = f"{root}/{name}"
    now = snapshot.signature(path)
    if now is None:
        return "missing"
    known = _seen.get((str(store.path), path))
    if known is not None and known[0] == now:
        return known[1]
    found: Look = "genuine" if _genuine(store, root, name) else "forged"
    _remember(store, path, now, found)
    return found


def _genuine(store: Store, root: str, name: str) -> bool:
    content = snapshot.read(f"{root}/{name}", LIMIT)
    try:
        shown = msgspec.json.decode(content if isinstance(content, bytes) else b"", type=dict[str, object])
    except (msgspec.DecodeError, UnicodeDecodeError):
        return False
    signature = shown.pop(SIGNATURE, None)
    return signature == _signature(store, root, name, shown)


def _signature(store: Store, root: str, name: str, shown: dict[str, object]) -> str:
    """Sign the values with sorted keys, so that their order in the file does not matter."""
    return state.seal(store, state.Owner(root), name, msgspec.json.encode(shown, order="sorted"))


def _set_aside(store: Store, root: str, name: str) -> Look:
    """Move a forged file to `<name>.forged`; only the first one is kept, as it may be a user's own file."""
    found = _look(store, root, name)
    aside = Path(root, f"{name}.forged")
    if found == "forged" and not aside.exists():
        Path(root, name).rename(aside)
    return found


def _place(store: Store, root: str, name: str, shown: dict[str, object]) -> None:
    stamped = {**shown, TIME: datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")}
    signed = {**stamped, SIGNATURE: _signature(store, root, name, stamped)}
    path = f"{root}/{name}"
    replace_own(path, msgspec.json.format(msgspec.json.encode(signed), indent=2) + b"\n")
    if now := snapshot.signature(path):
        _remember(store, path, now, "genuine")


def _remember(store: Store, path: str, now: snapshot.Signature, found: Look) -> None:
    if len(_seen) >= SEEN:
        _seen.clear()
    _seen[str(store.path), path] = (now, found)


class _Lock:
    """`state.json.lock`: keeps the daemon and a process without one from writing the older state last.

    Waits 40 ms at most, then writes without it: a rename leaves no half file anyway.
    """

    # O_NOFOLLOW: the file is inside the project, where an agent could have left a link to somewhere else.
    FLAGS = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW

    def __init__(self, path: str) -> None:
        self._path = path
        self._handle = -1

    def __enter__(self) -> None:
        try:
            self._handle = os.open(self._path, self.FLAGS, 0o600)
        except FileNotFoundError:
            Path(self._path).parent.mkdir(parents=True, exist_ok=True)
            self._handle = os.open(self._path, self.FLAGS, 0o600)
        for _ in range(TRIES):
            try:
                fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                time.sleep(PAUSE)
            else:
                return

    def __exit__(self, *raised: object) -> None:
        os.close(self._handle)
