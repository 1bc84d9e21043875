"""Counters of the session before."""

from synaptic.model import sane
from synaptic.model.decision import Verdict, record
from synaptic.model.event import SessionStart
from synaptic.model.state import Change
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts

FRESH_SOURCES = ("startup", "clear")


class StaleSession(Policy):
    """Counters of the session before.

    ## What it does
    When a new session starts, sets the counted edits and the refusals to nothing. The breaker, safemode, research and
    what the user asked for stay as they are: only the user resets those.
    ## Why
    The numbers of a session should be its own.
    ## Known gaps
    Two sessions at once in one project share their counters.
    """

    id = "sane.stale-session"
    events = (SessionStart,)
    priority = 20
    preset = "sane"

    def check(self, event: SessionStart, facts: Facts) -> Verdict | None:
        # A resumed or compacted session goes on with its own numbers.
        if event.source not in FRESH_SOURCES:
            return None
        return record(*(Change(section=name, clear=True, put=sane.default_section(name)) for name in SESSION_COUNTERS))


SESSION_COUNTERS = (sane.EDITS, sane.ENFORCEMENT)
