"""How far a following export is, in a file of its own: one that is never run again holds nothing in the journal."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import msgspec

from synaptic.files.bounded import read_bounded
from synaptic.files.replace import replace_own
from synaptic.model.errors import SynapticError
from synaptic.model.home import Home
from synaptic.store.outbox import ShipCursor

MOST_BYTES = 65_536


class FollowCursor:
    """The cursor of one choice at one destination."""

    def __init__(self, home: Home, stream: str) -> None:
        self._path = home.hub / "exports" / f"{stream}.json"

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Be the only one that moves it. Raises SynapticError where another process does."""
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(self._path.with_suffix(".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield
        except BlockingIOError as error:
            raise SynapticError("this export runs already", hint="look for it with: ps") from error
        finally:
            os.close(handle)

    def read(self) -> ShipCursor | None:
        """None where there is none, or none that says anything."""
        with suppress(OSError, msgspec.MsgspecError, UnicodeDecodeError):
            return msgspec.json.decode(read_bounded(self._path, MOST_BYTES), type=ShipCursor)
        return None

    def write(self, cursor: ShipCursor) -> None:
        """Keep it. Raises OSError."""
        moved = msgspec.structs.replace(cursor, at=time.time())
        replace_own(str(self._path), msgspec.json.encode(moved), 0o600)


class ForgottenCursor:
    """For a destination of which nobody knows what it has kept: the next time begins anew."""

    def read(self) -> None:
        """None is kept."""

    def write(self, cursor: ShipCursor) -> None:
        """It is not kept."""
