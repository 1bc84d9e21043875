"""How much an event matters to whoever watches: the same order for every destination."""

from enum import IntEnum

from synaptic.hub.wire import ShippedEvent


class Weight(IntEnum):
    """From what is only written down to what somebody has to look at."""

    PLAIN = 0
    NOTED = 1
    """Asked or rewritten."""
    REFUSED = 2
    FAILED = 3
    """A hook could not say anything: what should have been judged was not."""


def weigh_event(event: ShippedEvent) -> Weight:
    """A failed hook counts more than a refusal: the refusal has done its work."""
    if any(run.fault for run in event.runs):
        return Weight.FAILED
    if event.kind == "deny":
        return Weight.REFUSED
    return Weight.NOTED if event.kind in ("ask", "rewrite") else Weight.PLAIN


def summarize_event(event: ShippedEvent) -> str:
    """One line for people: what was decided about which act, and by whom."""
    by = f" by {event.by}" if event.by else ""
    where = f" in {event.project}" if event.project else ""
    why = f": {event.reason}" if event.reason else ""
    return f"{event.kind} {event.tool or event.event}{by}{where}{why}"
