"""What a pattern would cover: said in words, and shown by what has happened lately."""

from collections.abc import Iterator

import msgspec

from synaptic.agents.shared.discover import find_adapter
from synaptic.engine.grants import covers_event
from synaptic.model.call import Call, Request
from synaptic.model.decision import Kind
from synaptic.model.errors import LayerError, SynapticError
from synaptic.model.event import PreToolUse, ToolEvent
from synaptic.pipeline.lifting import show_call
from synaptic.pipeline.likeness import EDIT_SUBJECT, PLAIN_COMMAND, READ_SUBJECT, LikePattern, find_subject, read_like
from synaptic.store import entries
from synaptic.store.db import Store
from synaptic.store.record import JournalEntry
from synaptic.store.refused import RefusedCall
from synaptic.work.refused_calls import find_event_of

LOOKED_AT = 1000
"""Events of the past in which calls are looked for that a pattern covers, and calls that it does not."""
MOST_EXAMPLES = 5
LEAST_WORDS = 3


class PastCalls(msgspec.Struct, frozen=True):
    """Different calls of one kind: how many, and the last of them."""

    count: int = 0
    examples: tuple[str, ...] = ()


class LikePreview(msgspec.Struct, frozen=True, kw_only=True):
    """What a pattern means, and what of the past it fits."""

    like: str
    words: str
    covered: PastCalls = PastCalls()
    """Refused or asked about by the same policies: they would have been let through by them."""
    missed: PastCalls = PastCalls()
    """Refused by the same policies, and still would be."""
    others: PastCalls = PastCalls()
    """Let through anyway, or stopped by other policies, which go on judging."""


def read_past_call(store: Store, one: RefusedCall) -> Call:
    """The refused call as the journal has it. Raises LayerError where that keeps no contents."""
    entry = find_event_of(store, one)
    call = decode_entry(entry) if entry else None
    if call is None:
        raise LayerError(
            "NO_CONTENTS", "a pattern needs the call itself, and the journal has it no more", hint="leave --like out"
        )
    return call


def decode_entry(entry: JournalEntry) -> Call | None:
    """The call of an event; None where it was kept without its contents, or cannot be read any more."""
    if not entry.payload:
        return None
    request = Request(agent=entry.agent, event=entry.event, stdin=entry.payload.encode(), id=entry.call)
    try:
        call = find_adapter(entry.agent).decode(request)
    except (SynapticError, ValueError):
        return None
    return msgspec.structs.replace(call, root=entry.root)


def check_like(text: str, call: Call) -> LikePattern:
    """A pattern, if it covers the call that it is made for. Raises LayerError."""
    try:
        found = read_like(text, call)
    except ValueError as error:
        raise LayerError("BAD_PATTERN", f"--like: {error}") from None
    if not call.root:
        raise LayerError("BAD_PATTERN", "--like: a pattern counts in projects, and this call was made in none")
    if find_subject(call) != found.subject or not covers_event(found.text, call.event, call.root):
        hint = suggest_like(call)
        raise LayerError(
            "BAD_PATTERN",
            f"--like: `{found.text}` does not cover the very call that was refused: `{show_call(call)}`",
            hint=f"try '{hint}'" if hint else "no pattern can cover it: allow it without --like",
        )
    return found


def suggest_like(call: Call) -> str:
    """A pattern that is a little wider than a call: its last name may be another one of the same folder."""
    tool = call.event.tool if isinstance(call.event, ToolEvent) else None
    if tool is None or not find_subject(call) or not call.root:
        return ""
    if tool.command:
        *words, last = tool.command.split(" ")
        folder = last.rpartition("/")[0]
        is_plain = PLAIN_COMMAND.fullmatch(tool.command) and len(words) + 1 >= LEAST_WORDS
        # Never a star for a whole word: `rm -rf build` must not become `rm -rf *`.
        if not is_plain or not folder or folder[0] in "/~.-" or ".." in folder:
            return ""
        pattern = " ".join((*words, f"{folder}/*"))
    else:
        folder, _, name = tool.paths[0].removeprefix(f"{call.root}/").rpartition("/")
        ending = name.rpartition(".")[2] if "." in name[1:] else ""
        if not folder or not ending or folder[0] in "/~.":
            return ""
        pattern = f"{folder}/*.{ending}"
    return pattern if covers_event(pattern, call.event, call.root) else ""


def preview_like(store: Store, one: RefusedCall, like: LikePattern) -> LikePreview:
    """What a pattern would have covered lately, and what it would not."""
    kinds: dict[str, dict[str, None]] = {"covered": {}, "missed": {}, "others": {}}
    for entry, call in _iter_past(store):
        by_same = entry.decision.kind in (Kind.DENY, Kind.ASK) and entry.decision.by in one.policies
        if covers_event(like.text, call.event, call.root) and find_subject(call) == like.subject:
            kinds["covered" if by_same else "others"].setdefault(show_call(call))
        elif by_same:
            kinds["missed"].setdefault(show_call(call))
    found = {name: PastCalls(len(calls), tuple(calls)[:MOST_EXAMPLES]) for name, calls in kinds.items()}
    return LikePreview(like=like.text, words=describe_like(like), **found)


def describe_like(like: LikePattern) -> str:
    """A pattern in words."""
    if like.subject in (EDIT_SUBJECT, READ_SUBJECT):
        verb = "write" if like.subject == EDIT_SUBJECT else "read"
        return (
            f"calls that {verb} only files `{like.text}` of the project: `*` is part of one name, and never a hidden "
            "one, `**` is any number of folders"
        )
    count = len(like.text.split(" "))
    return (
        f"commands of `{like.subject}` with exactly these {count} words, in the project: a star is part of one word, "
        "never an option, a way up or a `:`; with quotes, `;`, `&&`, `|` or `>` it is another command"
    )


def _iter_past(store: Store) -> Iterator[tuple[JournalEntry, Call]]:
    for entry in entries.read_last_entries(store, LOOKED_AT, event=PreToolUse.__name__):
        if (call := decode_entry(entry)) is not None and isinstance(call.event, ToolEvent):
            yield entry, call
