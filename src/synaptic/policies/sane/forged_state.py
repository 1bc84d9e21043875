"""State that somebody other than the engine wrote."""

from collections.abc import Iterator
from datetime import UTC, datetime

import msgspec

from synaptic.model import sane
from synaptic.model.decision import Verdict, record
from synaptic.model.effect import AppendLine, Effect, Mirror
from synaptic.model.event import (
    Event,
    PostToolUse,
    PostToolUseFailure,
    PreToolUse,
    SessionStart,
    Stop,
    UserPromptSubmit,
)
from synaptic.model.state import Change
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts

QUARANTINED = (
    "{what} in the engine's database was not written by the engine. It is in quarantine and the cautious answer "
    "holds (breaker tripped, safemode on) until you type `reset breaker` or `s-`"
)
OVERWRITTEN = "{what} was changed by hand. It only shows the engine's state: nothing changed, and it is written again"


class ForgedState(Policy):
    """State that somebody other than the engine wrote.

    ## What it does
    Keeps `.claude/state.json` and, while safemode is on, `.claude/bypass_active.json` as signed views of the stored
    sections. A view that was changed by hand, and a stored section with a wrong signature, is told to the user and to
    the agent and noted in `.claude/audit.jsonl`; views are written again, sections are in quarantine by then.
    ## Why
    A breaker that can be reset by editing a file stops nobody.
    ## Known gaps
    A view that was deleted is written again without a word. An older view that is put back is noticed only when the
    next change overwrites it. Who can delete the engine's database as its user can also delete the state in it.
    """

    id = "sane.forged-state"
    events = (SessionStart, UserPromptSubmit, PreToolUse, PostToolUse, PostToolUseFailure, Stop)
    priority = 15
    preset = "sane"
    needs = ("mirror", sane.SAFEMODE, sane.TAMPERING)
    recheck = False

    def check(self, event: Event, facts: Facts) -> Verdict | None:
        if not facts.root:
            return None
        mirror = facts.mirror
        if mirror.state == "genuine" and mirror.marker == "missing" and _is_calm(facts):
            return None
        views, stored = tuple(_iter_forged_views(facts)), _list_forged_sections(facts)
        if not views and not stored:
            return record(Mirror()) if _is_stale(facts) else None
        told = (*(QUARANTINED.format(what=what) for what in stored), *(OVERWRITTEN.format(what=what) for what in views))
        lines = (_build_audit_line(what, event, facts) for what in (*stored, *views))
        remembered = _iter_changes(views, facts)
        return Verdict(context=told, messages=told, effects=(Mirror(), *lines, *remembered))


def _is_calm(facts: Facts) -> bool:
    """Whether no forgery waits to be reported and safemode is off, as in most events."""
    state = facts.state
    known = sane.SAFEMODE not in state.tampered and not state.read_section(sane.SAFEMODE).get("active")
    return known and not state.read_section(sane.TAMPERING).get("untold")


def _iter_forged_views(facts: Facts) -> Iterator[str]:
    """Files that carry no signature of ours."""
    if facts.mirror.state == "forged":
        yield sane.STATE_FILE
    if facts.mirror.marker == "forged":
        yield sane.MARKER_FILE


def _list_forged_sections(facts: Facts) -> tuple[str, ...]:
    """Sections that were found forged, in this event or before, and that nobody has been told about."""
    untold = facts.state.read_number(sane.TAMPERING, "untold")
    entries = facts.state.read_items(sane.TAMPERING, "entries")[-int(untold) :] if untold > 0 else ()
    return tuple(dict.fromkeys(str(entry["what"]) for entry in entries if isinstance(entry, dict)))


def _is_stale(facts: Facts) -> bool:
    """The views are not there, or say something else about safemode."""
    safemode = sane.read_value(facts.state, sane.SAFEMODE, "active") is True
    return facts.mirror.state == "missing" or (facts.mirror.marker == "genuine") != safemode


def _iter_changes(views: tuple[str, ...], facts: Facts) -> Iterator[Effect]:
    for what in views:
        yield Change(section=sane.TAMPERING, append={"entries": {"what": what, "at": facts.now}})
    if untold := facts.state.read_number(sane.TAMPERING, "untold"):
        # Subtracted, not set to 0: another event may have found more in the meantime.
        yield Change(section=sane.TAMPERING, add={"untold": -untold})


def _build_audit_line(what: str, event: Event, facts: Facts) -> Effect:
    entry = {
        "timestamp": datetime.fromtimestamp(facts.now, UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "session_id": event.session_id,
        "tool": getattr(event, "tool_name", ""),
        "file": what,
        "outcome": "warning",
        "error": "tamper",
    }
    return AppendLine(f"{facts.root}/.claude/audit.jsonl", msgspec.json.encode(entry).decode())
