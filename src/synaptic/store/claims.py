"""Who decided a call: the first that wrote it down. Its row is the claim, and no call has two."""

import msgspec

from synaptic.model.call import Answer
from synaptic.model.decision import Kind
from synaptic.store import journal
from synaptic.store.db import Store

LATE_SECONDS = 4.0
"""After so long, whoever sent a call may have given its receiver up and decided it elsewhere."""
ID_DIGITS = str.maketrans("0123456789ABCDEFGHJKMNPQRSTVWXYZ", "0123456789abcdefghijklmnopqrstuv")
"""The alphabet of call ids, in Python's digits."""
ID_CHARS, TIME_CHARS = 26, 10
SELECT_CLAIM = """
SELECT kind FROM events WHERE call = ?1 UNION ALL SELECT '' FROM answers WHERE call = ?1
"""


class Claim(msgspec.Struct, frozen=True):
    """What was decided about a call before."""

    kind: Kind
    answer: Answer | None
    """As it was given; None where it held a secret, and the process that knows it is another one."""


def find_claim(store: Store, call: str) -> Claim | None:
    """What the first that wrote a call down has decided; None when nobody has. Raises StoreError."""
    row = store.read(lambda connection: connection.execute(SELECT_CLAIM, (call,)).fetchone())
    if row is None:
        return None
    # A journal that keeps nothing does not say what it was: as strict as can be, where the answer is not known either.
    return Claim(Kind(row[0] or "deny"), journal.find_answer(store, call))


def find_sent(call: str) -> float | None:
    """When a call was sent, by the clock of this machine, as its id says; None for an id that says nothing."""
    if len(call) != ID_CHARS:
        return None
    try:
        return int(call[:TIME_CHARS].translate(ID_DIGITS), 32) / 1000
    except ValueError:
        return None


def is_late(call: str, now: float) -> bool:
    """Whether a call was sent so long ago that somebody else may have decided it. The id says when."""
    sent = find_sent(call)
    return sent is not None and not -LATE_SECONDS < now - sent < LATE_SECONDS
