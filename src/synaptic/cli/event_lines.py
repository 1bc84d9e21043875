"""Events of the journal as lines: what was done, where, and what was said about it."""

import re
import zlib
from collections.abc import Iterator
from datetime import date

import msgspec

from synaptic.cli import screen
from synaptic.cli.cells import clean_line, cut_cells, measure_cells, wrap_cells
from synaptic.model.decision import Decision, Kind
from synaptic.model.moment import find_local_time
from synaptic.store.journal_filter import has_failed
from synaptic.store.journal_payload import find_subject
from synaptic.store.record import JournalEntry

SESSION_COLOURS = (32, 34, 35, 36, 92, 94, 95, 96)
"""Neither red nor yellow: those mean that something was stopped."""
VERDICT_COLOURS = {Kind.DENY: 31, Kind.ASK: 33, Kind.REWRITE: 36}
FAILURE_COLOUR, QUIET_COLOUR = 31, 90
PROJECT_WIDTH, AGENT_WIDTH, TOOK_WIDTH = 10, 8, 8
LONGEST_SUBJECT = 2000
MOST_REASON_LINES = 2
BEFORE_THE_ACT = ("PreToolUse", "PermissionRequest")
COMMAND_TOOLS = frozenset({"bash", "shell", "run_shell_command", "execute", "execute_command", "exec_command"})
"""Tools whose command says all, without their name."""
HANDLE = re.compile(r" ?\[synaptic [a-z0-9][^\[\]]*\](?= |$)")


def is_quiet(entry: JournalEntry) -> bool:
    """Whether nobody said anything about it and nothing failed."""
    decision = entry.decision
    return decision.kind is Kind.NONE and not (decision.warnings or decision.grants or has_failed(entry))


def format_plain_line(entry: JournalEntry) -> str:
    """Format an event as one whole line, for a pipe."""
    at = find_local_time(entry.at).strftime("%Y-%m-%d %H:%M:%S")
    said = ", ".join(word for word, _ in _list_verdicts(entry)) or "none"
    told = clean_line(" ".join(_describe_reason(entry)))
    place = clean_line(name_project(entry.root) or "-")
    about = f"{entry.id} {at} {place} {clean_line(entry.agent)} {describe_act(entry)}"
    return f"{about} -> {said} ({format_took(entry.micros)})" + (f": {told}" if told else "")


def format_short_line(entry: JournalEntry) -> str:
    """Format an event as a line of which the end may be cut off: first what was said about it."""
    moment = find_local_time(entry.at)
    at = moment.strftime("%H:%M" if moment.date() == date.today() else "%Y-%m-%d")
    said = ", ".join(word for word, _ in _list_verdicts(entry)) or "none"
    return f"{entry.id} {at} {said}: {describe_act(entry)}"


def format_lines(entry: JournalEntry, width: int, number_width: int = 5) -> Iterator[str]:
    """Format an event for a terminal: what was done, and below it what was said about it."""
    at = find_local_time(entry.at).strftime("%H:%M:%S")
    took = cut_cells(format_took(entry.micros), TOOK_WIDTH).rjust(TOOK_WIDTH)
    project = _fit(name_project(entry.root) or "-", PROJECT_WIDTH)
    agent = screen.paint_text(_fit(entry.agent, AGENT_WIDTH), choose_session_colour(entry.session))
    room = max(width - number_width - len(at) - PROJECT_WIDTH - AGENT_WIDTH - TOOK_WIDTH - 5, 8)
    act = _paint_act(_fit(describe_act(entry), room), entry)
    yield f"{entry.id:>{number_width}} {at} {project} {agent} {act} {took}"
    yield from _format_verdict(entry, width, number_width + 1 + len(at) + 1)


def describe_act(entry: JournalEntry) -> str:
    """What was done: the command itself, or the tool and its file, or the event and its words."""
    subject = shorten_path(clean_line(find_subject(entry.payload)[:LONGEST_SUBJECT]), entry.root)
    tool = clean_line(entry.tool)
    if entry.event not in BEFORE_THE_ACT:
        return " ".join(dict.fromkeys(part for part in (clean_line(entry.event), tool, subject) if part))
    return subject if subject and entry.tool.lower() in COMMAND_TOOLS else f"{tool} {subject}".strip() or entry.event


def drop_handle(reason: str) -> str:
    """A reason in one line, without what is said to the agent alone: who could allow it, and by which code."""
    return HANDLE.sub("", " ".join(reason.split()))


def name_project(root: str) -> str:
    """The short name of a project."""
    return root.rstrip("/").rpartition("/")[2]


def format_took(micros: int) -> str:
    """How long it took, in few letters."""
    return f"{micros / 1000:.1f} ms" if micros < 1_000_000 else f"{micros / 1_000_000:.1f} s"


def format_quiet(count: int, is_whole: bool = True) -> str:
    """A line that stands for events of which there is nothing to say; there may be more than were counted."""
    if is_whole:
        said = f"{count} quiet event{'' if count == 1 else 's'}"
    else:
        said = f"{count} quiet events or more" if count else "quiet events that were not counted"
    return screen.paint_text(f"… {said}", QUIET_COLOUR)


def choose_session_colour(session: str) -> int:
    """The same colour for the same session, on every terminal."""
    return SESSION_COLOURS[zlib.crc32(session.encode("utf-8", "replace")) % len(SESSION_COLOURS)]


def describe_new_input(decision: Decision) -> str:
    """What a rewritten call has become."""
    if decision.input is None:
        return ""
    return find_subject(msgspec.json.encode({"tool_input": decision.input}, enc_hook=repr).decode())


def _format_verdict(entry: JournalEntry, width: int, indent: int) -> Iterator[str]:
    verdicts = _list_verdicts(entry)
    if not verdicts:
        return
    words = ", ".join(word for word, _ in verdicts)
    told = clean_line(": ".join(part for part in (words, *_describe_reason(entry)) if part))
    room = max(width - indent, 20)
    lines = wrap_cells(told, room)
    if len(lines) > MOST_REASON_LINES:
        last = " ".join(lines[MOST_REASON_LINES - 1 : MOST_REASON_LINES + 1])
        lines = [*lines[: MOST_REASON_LINES - 1], cut_cells(last, room)]
    if lines[0].startswith(words):
        lines[0] = _paint_verdicts(verdicts) + lines[0][len(words) :]
    yield from (f"{' ' * indent}{line}" for line in lines)


def _list_verdicts(entry: JournalEntry) -> list[tuple[str, int]]:
    """What was said about an event, in words, each with its colour."""
    decision, found = entry.decision, []
    if decision.kind is not Kind.NONE:
        by = f" by {clean_line(decision.by)}" if decision.by else ""
        found.append((f"{decision.kind}{by}", VERDICT_COLOURS.get(decision.kind, 0)))
    failed = dict.fromkeys(f"{clean_line(step.hook)} failed" for step in decision.trace if step.fault)
    found += ((words, FAILURE_COLOUR) for words in failed)
    if decision.grants:
        found.append((f"let through by exception {clean_line(', '.join(decision.grants))}", 0))
    return found or ([("warning", 33)] if decision.warnings else [])


def _describe_reason(entry: JournalEntry) -> Iterator[str]:
    decision = entry.decision
    if new := describe_new_input(decision):
        yield f"it became `{new[:LONGEST_SUBJECT]}`"
    texts = (decision.reason, *decision.warnings, *decision.feedback, *decision.context, *decision.messages)
    if text := next((text for text in texts if text), ""):
        yield drop_handle(text)


def _paint_act(act: str, entry: JournalEntry) -> str:
    colour = FAILURE_COLOUR if has_failed(entry) else VERDICT_COLOURS.get(entry.decision.kind, 0)
    return screen.paint_text(act, colour) if colour else act


def _paint_verdicts(verdicts: list[tuple[str, int]]) -> str:
    return ", ".join(screen.paint_text(words, colour) if colour else words for words, colour in verdicts)


def shorten_path(subject: str, root: str) -> str:
    """A file of the project without the project's own path."""
    return subject.removeprefix(f"{root}/") if root else subject


def _fit(text: str, width: int) -> str:
    """A text in exactly so many cells."""
    cut = cut_cells(clean_line(text), width)
    return cut + " " * (width - measure_cells(cut))
