"""The rows of state that this process has seen on disk: what is written again where a repaired file has older ones.

Which of two rows is the newer one is said by the rows (`at` grows with every write of a row), never by a clock; and a
row counts as seen once its transaction is through, never before.
"""

from collections.abc import Iterator

from synaptic.model.state import Section

MAX_ROWS = 1024

StoredRow = tuple[bytes, bytes, float]
"""A value as it is stored, its signature, and its place among the versions of this row."""
RowKey = tuple[str, str]
"""Whose section (a root or a session), and its full name."""
ReadRow = tuple[StoredRow, Section | None]
"""A row and its values; None where it is not genuine."""


class KnownRows:
    """What is known of each row, and what the transaction that runs has written."""

    def __init__(self) -> None:
        self._seen: dict[RowKey, ReadRow] = {}
        self._written: dict[RowKey, ReadRow] = {}
        self._looked: set[tuple[str, str]] = set()
        """Scopes and owners whose rows were all read: what is not known of them was not there."""

    def begin(self) -> dict[RowKey, ReadRow]:
        """A transaction begins, perhaps for the second time; what it writes is noted in the result."""
        self._written = {}
        return self._written

    def note_written(self, key: RowKey, row: StoredRow, values: Section | None) -> None:
        """The running transaction has written a row."""
        self._written[key] = (row, values)

    def keep(self, written: dict[RowKey, ReadRow]) -> None:
        """A transaction is through: what it wrote is on disk."""
        for key, found in written.items():
            self.note_seen(key, *found)

    def note_seen(self, key: RowKey, row: StoredRow, values: Section | None) -> None:
        """A row was read."""
        if len(self._seen) > MAX_ROWS:
            self._seen.clear()
            self._looked.clear()
        self._seen[key] = (row, values)

    def note_looked(self, scope: str, owner: str) -> None:
        """All rows of an owner were read."""
        if len(self._looked) > MAX_ROWS:
            self._looked.clear()
        self._looked.add((scope, owner))

    def has_looked(self, scope: str, owner: str) -> bool:
        return (scope, owner) in self._looked

    def recall(self, key: RowKey) -> ReadRow | None:
        """What was last seen of a row, whatever has become of it."""
        return self._seen.get(key)

    def find(self, key: RowKey, row: StoredRow) -> ReadRow | None:
        """What is known of this very row, one that the running transaction has written among them."""
        for known in (self._written.get(key), self._seen.get(key)):
            if known is not None and known[0] == row:
                return known
        return None

    def list_genuine(self) -> Iterator[tuple[RowKey, StoredRow]]:
        """The rows to write again where a file has none or an older one."""
        return ((key, row) for key, (row, values) in tuple(self._seen.items()) if values is not None)
