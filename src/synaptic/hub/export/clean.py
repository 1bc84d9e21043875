"""The last look at an event before it leaves: secrets out of every text, also names; nothing longer than it may be."""

from functools import lru_cache

import msgspec

from synaptic.hub.wire import HookRun, ShippedEvent
from synaptic.store.redact import cut_text, redact_text

MOST_NAME = 512
"""Letters of a name: a session, a tool and a path come from an agent, which may write anything there."""
MOST_CONTENT = 16_384
"""Letters of a command or a reason."""
MOST_RUNS = 200
MOST_GRANTS = 50


def clean_event(event: ShippedEvent) -> ShippedEvent:
    """The event as it may leave. Every text is looked at, not only contents: a name can be a secret, too."""
    return msgspec.structs.replace(
        event,
        call=clean_name(event.call),
        agent=clean_name(event.agent),
        event=clean_name(event.event),
        session=clean_name(event.session),
        agent_id=clean_name(event.agent_id),
        tool=clean_name(event.tool),
        project=clean_name(event.project),
        kind=clean_name(event.kind),
        by=clean_name(event.by),
        code=clean_name(event.code),
        tool_use=clean_name(event.tool_use),
        runs=tuple(map(_clean_run, event.runs[:MOST_RUNS])),
        grants=tuple(map(clean_name, event.grants[:MOST_GRANTS])),
        subject=_clean_content(event.subject),
        reason=_clean_content(event.reason),
    )


def drop_contents(event: ShippedEvent) -> ShippedEvent:
    """The event without what was typed, written or said."""
    return msgspec.structs.replace(event, subject="", reason="")


def clean_name(text: str) -> str:
    """A short text without secrets."""
    return _clean_short(text) if len(text) <= MOST_NAME else cut_text(text, MOST_NAME)


@lru_cache(maxsize=8192)
def _clean_short(text: str) -> str:
    return redact_text(text)


@lru_cache(maxsize=4096)
def _clean_run(run: HookRun) -> HookRun:
    return HookRun(clean_name(run.hook), clean_name(run.kind), run.micros, clean_name(run.fault))


def _clean_content(text: str) -> str:
    return redact_text(cut_text(text, MOST_CONTENT)) if text else ""
