"""Write a project's sections to signed files for people to read; the engine never takes values from them."""

import fcntl
import os
import time
from collections.abc import Sequence
from datetime import UTC, datetime

import msgspec

from synaptic.files import snapshot
from synaptic.files.bounded import read_content
from synaptic.files.inside import delete_inside, open_inside, open_parent, replace_own_inside
from synaptic.model import sane
from synaptic.model.effect import Effect, Mirror
from synaptic.model.errors import StoreError
from synaptic.model.sane import MARKER_FILE, STATE_FILE, Look, MirroredFiles
from synaptic.model.state import Change
from synaptic.store import sections, state
from synaptic.store.db import Store

MAX_MIRROR_BYTES = 4 * 1024 * 1024
MAX_SEEN_FILES = 256
MIRRORED_SECTIONS = (*sane.SECTIONS, sane.SAFEMODE)
LOCK_TRIES, LOCK_PAUSE = 20, 0.002
SIGNATURE_KEY, TIME_KEY = "__sig__", "__ts__"

_inspected_files: dict[tuple[str, str], tuple[snapshot.StatSignature, Look]] = {}
"""Result of the last inspection by database and path, so that an unchanged file costs one stat."""


_last_looks: dict[tuple[str, str], MirroredFiles] = {}
"""Result of the last inspection by database and project."""


def update_mirror(store: Store, root: str, effects: Sequence[Effect]) -> tuple[str, ...]:
    """After an event: rewrite the files when it asks for them, or when it changed a section that they show.

    Returns a warning when they could not be written.
    """
    if any(isinstance(effect, Mirror) for effect in effects):
        return write_mirror(store, root)
    if any(isinstance(effect, Change) and effect.section in MIRRORED_SECTIONS for effect in effects):
        return rewrite_own_mirror(store, root)
    return ()


def write_mirror(store: Store, root: str) -> tuple[str, ...]:
    """Write the files from the sections as they are stored now; returns a warning when that is impossible."""
    _last_looks.pop((str(store.path), root), None)
    try:
        with _MirrorLock(root, f"{STATE_FILE}.lock"):
            # Read inside the lock: whoever writes last has also read last.
            shown = sections.read_sections(store, root, MIRRORED_SECTIONS)
            safemode = shown.pop("safemode")
            _set_forged_aside(store, root, STATE_FILE)
            marked = _set_forged_aside(store, root, MARKER_FILE) != "missing"
            _place_file(store, root, STATE_FILE, shown)
            if isinstance(safemode, dict) and safemode["active"]:
                _place_file(store, root, MARKER_FILE, safemode)
            elif marked:
                delete_inside(root, MARKER_FILE)
    except (OSError, StoreError) as error:
        return (f"{root}/{STATE_FILE} was not written: {error}",)
    return ()


def rewrite_own_mirror(store: Store, root: str) -> tuple[str, ...]:
    """Rewrite the files after a change, but only in a project that already has a genuine one."""
    return write_mirror(store, root) if _inspect_file(store, root, STATE_FILE) == "genuine" else ()


def inspect_mirror(store: Store, root: str) -> MirroredFiles:
    """Inspect the files now: missing, genuine or forged."""
    marked = os.access(f"{root}/{MARKER_FILE}", os.F_OK)  # mostly not: cheaper to ask than a stat that fails
    found = MirroredFiles(
        _inspect_file(store, root, STATE_FILE), _inspect_file(store, root, MARKER_FILE) if marked else "missing"
    )
    if len(_last_looks) >= MAX_SEEN_FILES:
        _last_looks.clear()
    _last_looks[str(store.path), root] = found
    return found


def recall_mirror(store: Store, root: str) -> MirroredFiles:
    """Return the result of the last inspection if it was genuine; inspect again otherwise."""
    known = _last_looks.get((str(store.path), root))
    return known if known is not None and known.state == "genuine" else inspect_mirror(store, root)


def _inspect_file(store: Store, root: str, name: str) -> Look:
    path = f"{root}/{name}"
    now = snapshot.read_signature(path)
    if now is None:
        return "missing"
    known = _inspected_files.get((str(store.path), path))
    if known is not None and known[0] == now:
        return known[1]
    found: Look = "genuine" if _is_genuine(store, root, name) else "forged"
    _remember_look(store, path, now, found)
    return found


def _is_genuine(store: Store, root: str, name: str) -> bool:
    content = read_content(f"{root}/{name}", MAX_MIRROR_BYTES)
    try:
        shown = msgspec.json.decode(content if isinstance(content, bytes) else b"", type=dict[str, object])
    except (msgspec.DecodeError, UnicodeDecodeError):
        return False
    signature = shown.pop(SIGNATURE_KEY, None)
    return signature == _sign_values(store, root, name, shown)


def _sign_values(store: Store, root: str, name: str, shown: dict[str, object]) -> str:
    """Sign the values with sorted keys, so that their order in the file does not matter."""
    return state.sign_value(store, state.SectionOwner(root), name, msgspec.json.encode(shown, order="sorted"))


def _set_forged_aside(store: Store, root: str, name: str) -> Look:
    """Move a forged file to `<name>.forged`; only the first one is kept, as it may be a user's own file."""
    found = _inspect_file(store, root, name)
    if found == "forged" and not os.path.lexists(f"{root}/{name}.forged"):
        with open_parent(root, name) as (folder, last):
            os.rename(last, f"{last}.forged", src_dir_fd=folder, dst_dir_fd=folder)
    return found


def _place_file(store: Store, root: str, name: str, shown: dict[str, object]) -> None:
    stamped = {**shown, TIME_KEY: datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")}
    signed = {**stamped, SIGNATURE_KEY: _sign_values(store, root, name, stamped)}
    path = f"{root}/{name}"
    replace_own_inside(root, name, msgspec.json.format(msgspec.json.encode(signed), indent=2) + b"\n")
    if now := snapshot.read_signature(path):
        _remember_look(store, path, now, "genuine")


def _remember_look(store: Store, path: str, now: snapshot.StatSignature, found: Look) -> None:
    if len(_inspected_files) >= MAX_SEEN_FILES:
        _inspected_files.clear()
    _inspected_files[str(store.path), path] = (now, found)


class _MirrorLock:
    """`state.json.lock`: keeps the daemon and a process without one from writing the older state last.

    Waits 40 ms at most, then writes without it: a rename leaves no half file anyway.
    """

    FLAGS = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK

    def __init__(self, root: str, name: str) -> None:
        self._root, self._name = root, name
        self._handle = -1

    def __enter__(self) -> None:
        # Inside the project, where an agent could have left a link to somewhere else.
        self._handle = open_inside(self._root, self._name, self.FLAGS, make=0o755, mode=0o600)
        for _ in range(LOCK_TRIES):
            try:
                fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                time.sleep(LOCK_PAUSE)
            else:
                return

    def __exit__(self, *raised: object) -> None:
        os.close(self._handle)
