"""Where a destination stands and what follows from it for its cursor. Pure: a page and an answer in, a cursor out."""

from collections.abc import Sequence

import msgspec

from synaptic.hub.shipping.destination import DestinationError
from synaptic.hub.shipping.outbox import split_sequence
from synaptic.hub.wire import ShippedEvent
from synaptic.store.outbox import ShipCursor

MOST_EPOCHS = 1 << 22
NONSENSE = "it says that it stands where nobody can stand"


def begin_anew(cursor: ShipCursor, epoch: int, id: int = 0) -> ShipCursor:
    """The same destination in the journal that took the place of another; it still has what it has of that one."""
    known = cursor.call if id and id == cursor.id else ""
    return msgspec.structs.replace(cursor, epoch=epoch, id=id, call=known)


def advance(cursor: ShipCursor, events: Sequence[ShippedEvent], mark: int) -> ShipCursor | None:
    """The cursor behind what was taken of a batch; None where the destination stands somewhere else."""
    if not cursor.mark <= mark <= events[-1].seq:
        return None
    taken = [event for event in events if event.seq <= mark]
    if not taken:
        return None
    id = split_sequence(taken[-1].seq)[1]
    shipped = cursor.shipped + len(taken)
    return msgspec.structs.replace(cursor, id=id, call=taken[-1].call, mark=taken[-1].seq, shipped=shipped)


def follow(cursor: ShipCursor, mark: int, *, newest: int, is_new: bool) -> ShipCursor:
    """The cursor for a destination that stands elsewhere. Raises DestinationError where nobody can.

    `newest` is the last event of this journal; `is_new` says that nobody here ever sent anything to it, as far as
    anybody knows: what it has is then of a journal that is gone, whatever its numbers.
    """
    epoch, id = split_sequence(mark)
    if mark < 0 or epoch >= MOST_EPOCHS:
        raise DestinationError(f"{NONSENSE}: {mark}", where=cursor.name, is_lasting=True)
    at = msgspec.structs.replace(cursor, mark=mark)
    if is_new and mark:
        return begin_anew(at, epoch + 1)
    if epoch < cursor.epoch:  # nothing of this journal yet
        return begin_anew(at, cursor.epoch)
    if epoch > cursor.epoch or id > newest:  # of a journal that was here meanwhile, or of a part that was lost
        return begin_anew(at, epoch + 1, cursor.id)
    return msgspec.structs.replace(at, id=id, call="")
