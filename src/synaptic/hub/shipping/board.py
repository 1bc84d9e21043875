"""What the shipper says of itself in a file for people: how far each destination is, and what keeps it back."""

import asyncio
import logging
import os
import time

import msgspec

import synaptic
from synaptic.files.bounded import read_content
from synaptic.files.replace import replace_own
from synaptic.hub.place import HubPlace
from synaptic.model.home import Home
from synaptic.store.outbox import ShipCursor
from synaptic.work.event_words import show_line

log = logging.getLogger(__name__)
WRITE_SECONDS = 1.0
STATE_LIMIT = 1 << 20
MOST_TROUBLE = 500


class DestinationState(msgspec.Struct, frozen=True, kw_only=True):
    """One destination."""

    name: str
    epoch: int = 0
    id: int = 0
    """The last event that it has."""
    newest: int = 0
    """The newest event when it was last looked."""
    shipped: int = 0
    at: float = 0.0
    """When it last took something."""
    trouble: str = ""
    hint: str = ""
    since: float = 0.0
    """Since when there is trouble."""
    again: float = 0.0
    """When it is tried again."""


class ShipperState(msgspec.Struct, frozen=True, kw_only=True):
    """The process, and its destinations."""

    pid: int = 0
    version: str = ""
    at: float = 0.0
    destinations: tuple[DestinationState, ...] = ()
    problems: tuple[str, ...] = ()


class StateBoard:
    """Keeps it in memory and writes it when it changed; a disk that does not take it stops nothing else."""

    def __init__(self, home: Home) -> None:
        self._path = str(HubPlace.of(home).state)
        self._known: dict[str, DestinationState] = {}
        self._problems: tuple[str, ...] = ()
        self._is_written = False
        self._last_error = ""

    @property
    def troubles(self) -> tuple[str, ...]:
        """For the status that the hub gets."""
        told = (f"{one.name}: {one.trouble}" for one in self._known.values() if one.trouble)
        return (*self._problems, *told)

    def begin(self, names: tuple[str, ...], problems: tuple[str, ...]) -> None:
        """From now on these are the destinations."""
        self._known = {name: self._known.get(name, DestinationState(name=name)) for name in names}
        self._problems, self._is_written = problems, False

    def tell_progress(self, cursor: ShipCursor, newest: int) -> None:
        """It was reached."""
        self._put(
            DestinationState(
                name=cursor.name, epoch=cursor.epoch, id=cursor.id, newest=newest, shipped=cursor.shipped, at=cursor.at
            )
        )

    def tell_trouble(self, name: str, error: Exception, pause: float) -> None:
        """It was not."""
        old, now = self._known.get(name, DestinationState(name=name)), time.time()
        text, hint = show_line(str(error) or type(error).__name__)[:MOST_TROUBLE], getattr(error, "hint", "")
        if text != old.trouble:
            log.warning("%s: %s", name, text)
        since = old.since if old.trouble else now
        self._put(msgspec.structs.replace(old, trouble=text, hint=hint, since=since, again=now + pause))

    def write(self) -> None:
        """Write it where it changed."""
        if self._is_written:
            return
        state = ShipperState(
            pid=os.getpid(), version=synaptic.__version__, at=time.time(), destinations=tuple(self._known.values()),
            problems=self._problems,
        )  # fmt: skip
        try:
            replace_own(self._path, msgspec.json.encode(state), 0o600)
            self._is_written, self._last_error = True, ""
        except OSError as error:
            if str(error) != self._last_error:
                log.warning("nobody can be told how far it is: %s", error)
            self._last_error = str(error)

    async def run(self) -> None:
        """For as long as the process ships."""
        while True:
            self.write()
            await asyncio.sleep(WRITE_SECONDS)

    def _put(self, state: DestinationState) -> None:
        if self._known.get(state.name) != state:
            self._known[state.name], self._is_written = state, False


def read_state(home: Home) -> ShipperState | None:
    """What the shipper last said; None where it never did."""
    content = read_content(str(HubPlace.of(home).state), STATE_LIMIT)
    try:
        return msgspec.json.decode(content, type=ShipperState) if isinstance(content, bytes) else None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
