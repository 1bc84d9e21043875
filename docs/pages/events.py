"""Every event: when it is told, what a matcher looks at, its fields, and what Claude Code can honour."""

import inspect
from collections.abc import Iterator
from typing import get_type_hints

from docs.pages.table import HEADER, code, table, type_name
from synaptic.agents.base import Capability
from synaptic.agents.claude.dialect import CAPABILITIES
from synaptic.agents.claude.entries import REGISTERED_EVENTS
from synaptic.model.event import ABILITY_EVENTS, EVENTS, Event, Timing

PATH = "docs/reference/events.md"
WORDS = ("deny", "ask", "allow", "rewrite", "context", "feedback", "message")
TIMINGS = {
    Timing.BEFORE: "before the act: an answer can stop or change it",
    Timing.AFTER: "after the act: an answer can only tell",
    Timing.STOP: "before the agent stops: a block asks it to go on",
    Timing.OBSERVE: "told only",
}
INTRO = """\
# Events

The names are Claude Code's; `PreAbilityCall`, `PostAbilityCall` and `SessionStop` come from orchestrators of abilities
(`dispatch synaptic <event>`). An event nobody knows passes through and is journaled; a field nobody knows reaches
every hook on stdin. What an agent cannot honour on an event is mapped (a rewrite becomes a deny with the corrected
input in its reason, advice waits for the session's next event that can carry it) and the trace says so.

- **deny** the act is stopped, **ask** a person decides, **allow** nobody is asked, **rewrite** the input changes
- **context** text reaches the model, **feedback** a block is told to the model, **message** text reaches the user
"""


def pages() -> Iterator[tuple[str, str]]:
    """The one page."""
    yield PATH, HEADER + INTRO + _overview() + _common() + "".join(_section(kind) for kind in EVENTS.values())


def _overview() -> str:
    rows = [
        (f"[{name}](#{name.lower()})", str(kind.TIMING), code(kind.SUBJECT), _honoured(kind))
        for name, kind in EVENTS.items()
    ]
    return "\n" + table(("event", "timing", "matcher compares", "can honour"), rows)


def _common() -> str:
    return f"\n## Fields of every event\n\n{_fields(Event, ())}"


def _section(kind: type[Event]) -> str:
    own = _fields(kind, Event.__struct_fields__) or "No fields of its own.\n"
    subject = (
        f"A matcher is compared with {code(kind.SUBJECT)}."
        if kind.SUBJECT
        else "It has no subject: every matcher matches."
    )
    return (
        f"\n## {kind.__name__}\n\n{inspect.getdoc(kind)}\n\n"
        f"- Timing: {TIMINGS[kind.TIMING]}\n- {subject}\n{_claude(kind)}\n{own}"
    )


def _claude(kind: type[Event]) -> str:
    if kind in ABILITY_EVENTS:
        return "- Sent by orchestrators, not by Claude Code.\n"
    can = CAPABILITIES[kind.__name__]
    lines = [f"- Claude Code honours: {_honoured(kind)}; it waits {can.timeout:g} seconds.\n"]
    if can.extras:
        lines.append(f"- Its own output fields: {', '.join(code(name) for name in sorted(can.extras))}\n")
    if kind.__name__ not in REGISTERED_EVENTS:
        lines.append("- No entry is written for it: whoever registers it has to do the agent's work.\n")
    return "".join(lines)


def _honoured(kind: type[Event]) -> str:
    can = CAPABILITIES.get(kind.__name__)
    if can is None:
        deny = ("deny",) if kind.TIMING is Timing.BEFORE else ()
        return ", ".join((*deny, "context", "feedback", "message"))
    return _words(can)


def _words(can: Capability) -> str:
    return ", ".join(word for word in WORDS if getattr(can, word)) or "nothing"


def _fields(kind: type[Event], without: tuple[str, ...]) -> str:
    hints = get_type_hints(kind)
    rows = [(code(name), code(type_name(hints[name]))) for name in kind.__struct_fields__ if name not in without]
    return table(("field", "type"), rows) if rows else ""
