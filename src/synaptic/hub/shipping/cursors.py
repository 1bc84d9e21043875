"""Cursors in the database, and a copy beside it: a journal that is lost takes its own cursors with it."""

import logging
import time

import msgspec

from synaptic.files.bounded import read_content
from synaptic.files.replace import replace_own
from synaptic.hub.place import HubPlace
from synaptic.hub.shipping.stand import begin_anew
from synaptic.model.home import Home
from synaptic.store import outbox
from synaptic.store.db import Store
from synaptic.store.outbox import ShipCursor

log = logging.getLogger(__name__)
COPY_LIMIT = 1 << 20


class CursorBook:
    """The cursors of one home; the one process that ships writes them."""

    def __init__(self, home: Home, store: Store) -> None:
        self._path = HubPlace.of(home).cursors
        self._store = store
        self._copies = self._read_copies()

    def load(self, name: str) -> tuple[ShipCursor, bool]:
        """The cursor of a destination, and whether there was none. Raises StoreError."""
        found = outbox.list_cursors(self._store).get(name) or self._find_copy(name)
        cursor = found or ShipCursor(name=name, at=time.time())
        self.save(cursor)  # from now on what it lacks is kept
        return cursor, found is None

    def save(self, cursor: ShipCursor) -> None:
        """Keep it. Raises StoreError, where the database does not take it."""
        outbox.write_cursor(self._store, cursor)
        self._copies[cursor.name] = cursor
        try:
            replace_own(str(self._path), msgspec.json.encode(list(self._copies.values())), 0o600)
        except OSError as error:
            log.warning("the copy of the cursors was not written: %s", error)

    def _find_copy(self, name: str) -> ShipCursor | None:
        """The copy of a cursor that the journal has lost: then it is another journal, unless it holds the same event.

        A cursor is in the journal before it is in the copy. Without this, what a destination has of the old journal
        would count as having the events of the new one that have the same numbers.
        """
        copy = self._copies.get(name)
        if copy is None or (copy.call and outbox.find_call(self._store, copy.id) == copy.call):
            return copy
        return begin_anew(copy, copy.epoch + 1)

    def _read_copies(self) -> dict[str, ShipCursor]:
        content = read_content(str(self._path), COPY_LIMIT)
        try:
            found = msgspec.json.decode(content if isinstance(content, bytes) else b"[]", type=list[ShipCursor])
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):  # a copy that says nothing
            return {}
        return {cursor.name: cursor for cursor in found}
