"""The values of the journal: what is written about one event, and what is read back."""

from typing import Any, Literal

import msgspec

from synaptic.model.call import Answer
from synaptic.model.decision import Decision
from synaptic.model.grant import RefusedNews
from synaptic.model.witness import WitnessedCall
from synaptic.store.journal_payload import read_payload

JournalDetail = Literal["full", "structure", "off"]
"""How much the journal stores: all; no contents; only what repeated requests, deliveries and the stop cap need."""


class SealedText(msgspec.Struct, frozen=True):
    """A text without secrets, and its name. Here, so that who only reads the journal loads no shapes of secrets."""

    id: int
    value: bytes
    place: str = ""
    """What it says something about: the next text about it is probably nearly the same. Empty: nothing is known."""


class LinePromise(msgspec.Struct, frozen=True):
    """Lines of operators' files that a call leaves to write: which process writes them, as its which promise."""

    owner: str
    number: int
    written: int = 0
    """Up to which of its promises the process has kept them: those need not be remembered any more."""


class EventRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One answered event that is about to be written to the journal."""

    call: str
    """Unique and time-ordered. A second record of the same call changes nothing."""
    at: float
    agent: str
    event: str
    session: str = ""
    agent_id: str = ""
    tool: str = ""
    root: str = ""
    payload: bytes | str | None = None
    decision: Decision = Decision()
    answer: Answer = Answer()
    micros: int = 0
    delivered: tuple[int, ...] = ()
    """Deliveries whose text this answer carried."""
    moves_state: bool = True
    """Whether anything follows from it; else it is only written."""
    promise: LinePromise | None = None
    """Set when its decision appends lines to operators' files."""
    refused: RefusedNews | None = None
    """Set when a person could lift what was decided."""
    grants: tuple[str, ...] = ()
    """Exceptions without which it would not have been let through: those that count once are used up by it."""
    witnessed: WitnessedCall | None = None
    """What it says about a tool call: asked, or ran."""
    basis: tuple[SealedText, ...] = ()
    """What was decided on: the facts of this call, then the texts that they name."""


class JournalEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One event as the journal stored it; the source of `explain`."""

    id: int
    call: str
    at: float
    agent: str
    event: str
    session: str
    agent_id: str
    tool: str
    root: str
    micros: int
    size: int
    """Bytes of the payload, whether it was kept or not."""
    payload: str | None
    decision: Decision
    answer: Answer | None
    """None where answers are not kept."""


class Delivery(msgspec.Struct, frozen=True, kw_only=True):
    """A text queued for its session's next event that can carry context."""

    id: int = 0
    call: str
    hook: str
    session: str
    agent_id: str = ""
    text: str
    at: float


def entry_to_json(entry: JournalEntry) -> dict[str, Any]:
    """An entry as JSON can hold it."""
    told = entry.answer
    answer = told and {"stdout": _decode_text(told.stdout), "stderr": _decode_text(told.stderr), "exit": told.exit}
    fields = msgspec.structs.asdict(entry)
    return {**fields, "decision": msgspec.to_builtins(entry.decision, enc_hook=repr), "answer": answer}


def entry_to_document(entry: JournalEntry) -> dict[str, Any]:
    """The same for people's programs: the payload as the object that it is, where it is one."""
    return {**entry_to_json(entry), "payload": read_payload(entry.payload) or entry.payload}


def _decode_text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")
