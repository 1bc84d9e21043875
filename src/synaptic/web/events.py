"""One event with all that is known about how it was decided, as its page shows it."""

import msgspec

from synaptic.model.errors import StoreError
from synaptic.model.witness import Standing
from synaptic.pipeline.explain import describe_meaning, list_against
from synaptic.pipeline.witness import judge_call
from synaptic.store.neighbours import find_neighbours, find_same_call
from synaptic.store.reader import JournalReader
from synaptic.store.record import JournalEntry
from synaptic.store.witnessed import find_signs
from synaptic.web.moments import clean_link, make_moment
from synaptic.web.texts import ShownText, clean_shown, make_text
from synaptic.work.event_chain import ChainLink, make_chain
from synaptic.work.event_words import format_took, show_line
from synaptic.work.exceptions import describe_exceptions

STANDING_WORDS = {
    Standing.OBEYED: "The agent did what it was told.",
    Standing.DISOBEYED: "It was refused, and ran all the same.",
    Standing.REWRITE_IGNORED: "It ran in its first form, not as it was rewritten.",
    Standing.UNASKED: "It ran, and nobody was asked before.",
    Standing.UNSEEN: "It is only in the agent's own transcript: no hook was called.",
    Standing.NOT_OBSERVABLE: "Whether it ran is not known.",
}
SIGHT_WORDS = {"first": "as it was sent", "between": "rewritten once", "final": "as it was rewritten", "none": ""}
MOST_LINKS = 300


class ShownLink(msgspec.Struct, frozen=True):
    """A hook's turn in the chain."""

    link: ChainLink
    saw: str
    """Which input, in words; "" where nothing was ever rewritten."""
    took: str


def describe_event(reader: JournalReader, entry: JournalEntry) -> dict[str, object]:
    """What the template needs."""
    decision, chain = entry.decision, make_chain(entry.decision)
    has_changed = any(link.writes for link in chain.links)
    return {
        "entry": entry,
        "chosen": make_moment(entry),
        "chain": [_make_link(link, has_changed) for link in chain.links[:MOST_LINKS]],
        "silent": [show_line(name) for name in chain.silent],
        "unreached": [show_line(name) for name in chain.unreached],
        "meaning": show_line(describe_meaning(decision)),
        "by": show_line(decision.by),
        "reason": make_text("", decision.reason, clean_shown),
        "took": format_took(entry.micros),
        "exceptions": _list_exceptions(reader, entry),
        "lifts": [show_line(name) for name in list_against(decision)] if decision.code else [],
        "code": show_line(decision.code),
        "answer": _describe_answer(entry),
        "payload": make_text("", entry.payload or "", clean_shown),
        "call": show_line(entry.call),
        "witness": _describe_witness(reader, entry),
        "same": [msgspec.structs.replace(one, event=show_line(one.event)) for one in find_same_call(reader, entry)],
        "neighbours": find_neighbours(reader, entry),
        "switchable": _list_switchable(chain.links),
    }


def _make_link(link: ChainLink, has_changed: bool) -> ShownLink:
    saw = SIGHT_WORDS[link.sees] if has_changed else ""
    return ShownLink(clean_link(link, clean_shown), saw, format_took(link.micros) if link.micros else "")


def _list_exceptions(reader: JournalReader, entry: JournalEntry) -> list[ShownText]:
    try:
        known = describe_exceptions(reader, entry.decision.grants)
    except StoreError:
        known = dict.fromkeys(entry.decision.grants, "cannot be looked up")
    return [make_text(name, text, clean_shown) for name, text in known.items()]


def _describe_answer(entry: JournalEntry) -> list[ShownText]:
    if entry.answer is None:
        return []
    texts = (("stdout", entry.answer.stdout), ("stderr", entry.answer.stderr))
    return [make_text(name, raw.decode("utf-8", "replace"), clean_shown) for name, raw in texts if raw]


def _describe_witness(reader: JournalReader, entry: JournalEntry) -> str:
    try:
        signs = find_signs(reader, entry.session, entry.id) if entry.session else None
    except StoreError:
        return ""
    return STANDING_WORDS[judge_call(signs)] if signs is not None else ""


def _list_switchable(links: tuple[ChainLink, ...]) -> list[str]:
    """Policies that could be off: those that said something and are built in."""
    from synaptic.policies.base import load_policies  # noqa: PLC0415 - all of them, for this alone

    known = load_policies()
    return list(dict.fromkeys(link.hook for link in links if link.hook in known))[:12]
