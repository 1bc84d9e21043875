"""One moment of a session as it is shown: what was asked or done, what it became, and who said what about it."""

from collections.abc import Iterator
from itertools import islice

import msgspec

from synaptic.store.journal_payload import find_subject, read_input, read_payload
from synaptic.store.record import JournalEntry
from synaptic.web.rows import EventRow, make_row
from synaptic.web.texts import (
    MOST_FIELDS,
    CleanText,
    ShownText,
    clean_changes,
    clean_parts,
    clean_saved,
    clean_shown,
    make_text,
)
from synaptic.work.event_chain import ChainLink, make_chain
from synaptic.work.session_outline import PROMPT
from synaptic.work.text_diff import EDITED_KEYS, DiffPart, InputChange, as_text, list_changes, list_edits

MOST_LINKS = 200
TOOL_EVENTS = frozenset({"PreToolUse", "PermissionRequest", "PostToolUse", "PostToolUseFailure"})
EDITED_NAMES = {name for names in EDITED_KEYS for name in names}
SUBAGENT_KEYS = ("agent_type", "subagent_type", "agent_name")


class ShownMoment(msgspec.Struct, frozen=True, kw_only=True):
    """One event of a session with all that is known of it but its chain."""

    row: EventRow
    event: str
    prompt: ShownText | None
    fields: tuple[ShownText, ...]
    """What the tool was given."""
    others: tuple[ShownText, ...]
    """Those of them that no comparison shows."""
    edits: tuple[DiffPart, ...]
    """What an edit is to change."""
    changes: tuple[InputChange, ...]
    """What a rewrite has changed."""
    links: tuple[ChainLink, ...]
    """Hooks that said something."""
    told: tuple[ShownText, ...]
    subagent_kind: str = ""

    @property
    def title(self) -> str:
        """What it was, in a word."""
        return "prompt" if self.prompt else self.row.tool if self.row.tool and self.event in TOOL_EVENTS else self.event


def make_moment(entry: JournalEntry, clean: CleanText = clean_shown) -> ShownMoment:
    """A moment for a page, or with another cleaner for a file."""
    given = read_input(entry.payload)
    is_prompt = entry.event == PROMPT
    changes = clean_changes(list_changes(entry), clean)
    edits = clean_parts(list_edits(given), clean) if isinstance(given, dict) else ()
    fields = () if is_prompt else tuple(islice(list_fields(entry, clean), MOST_FIELDS))
    compared = {one.name for one in changes} | (EDITED_NAMES if edits else set())
    return ShownMoment(
        row=clean_row(make_row(entry), clean),
        event=clean(entry.event[:200]),
        prompt=make_text("prompt", _read_prompt(entry), clean) if is_prompt else None,
        fields=fields,
        others=tuple(one for one in fields if one.name not in compared),
        edits=edits,
        changes=changes,
        links=tuple(clean_link(one, clean) for one in make_chain(entry.decision).links if _has_spoken(one))[
            :MOST_LINKS
        ],
        told=list_told(entry, clean),
        subagent_kind=clean(read_subagent_kind(entry)),
    )


def list_fields(entry: JournalEntry, clean: CleanText) -> Iterator[ShownText]:
    """What a tool was given, field by field; of an event without a tool its words."""
    given = read_input(entry.payload)
    if isinstance(given, dict):
        yield from (make_text(str(name), as_text(value), clean) for name, value in given.items())
    elif given is not None:
        yield make_text("input", as_text(given), clean)
    elif words := find_subject(entry.payload):
        yield make_text("", words, clean)


def list_told(entry: JournalEntry, clean: CleanText) -> tuple[ShownText, ...]:
    """What the answer says to whom."""
    decision = entry.decision
    labels = (
        ("to the model", decision.context + decision.feedback),
        ("to the user", decision.messages),
        ("warning", decision.warnings),
    )
    return tuple(make_text(label, text, clean) for label, texts in labels for text in texts)[:MOST_FIELDS]


def clean_link(link: ChainLink, clean: CleanText) -> ChainLink:
    """A hook's turn for a page."""
    texts = {name: clean(getattr(link, name)) for name in ("hook", "words", "reason", "note", "source", "stderr")}
    return msgspec.structs.replace(link, **texts)


def clean_row(row: EventRow, clean: CleanText) -> EventRow:
    """A row for a file: for a page it is as it should be."""
    if clean is not clean_saved:
        return row
    names = ("project", "root", "session", "agent", "sub_agent", "tool", "act", "reason", "became")
    verdicts = tuple(one._replace(words=clean(one.words)) for one in row.verdicts)
    return msgspec.structs.replace(row, verdicts=verdicts, **{name: clean(getattr(row, name)) for name in names})


def read_subagent_kind(entry: JournalEntry) -> str:
    """What kind of sub-agent it is, where the agent says so."""
    found = read_payload(entry.payload)
    return next((one[:80] for key in SUBAGENT_KEYS if isinstance(one := found.get(key), str)), "")


def _has_spoken(link: ChainLink) -> bool:
    return link.tone != "plain" or link.phase in ("lifted", "shadow", "held") or link.words != _SILENCE


def _read_prompt(entry: JournalEntry) -> str:
    said = read_payload(entry.payload).get("prompt")
    return said if isinstance(said, str) else find_subject(entry.payload)


_SILENCE = "no opinion"
"""How a hook that had nothing to say is described."""
