"""Past events in words: what was done, and what was said about it. Whoever shows them decides how they look."""

import re
import unicodedata
from collections.abc import Iterator
from typing import Literal, NamedTuple

import msgspec

from synaptic.model.decision import Decision, Kind
from synaptic.store.journal_filter import has_failed
from synaptic.store.journal_payload import find_subject
from synaptic.store.record import JournalEntry

LONGEST_SUBJECT = 2000
BEFORE_THE_ACT = ("PreToolUse", "PermissionRequest")
COMMAND_TOOLS = frozenset({"bash", "shell", "run_shell_command", "execute", "execute_command", "exec_command"})
"""Tools whose command says all, without their name."""
HANDLE = re.compile(r" ?\[synaptic [a-z0-9][^\[\]]*\](?= |$)")
HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Classes of letters that nobody sees, and that turn around, cut or hide those around them."""

Tone = Literal["deny", "ask", "rewrite", "failed", "plain"]
TONES: dict[Kind, Tone] = {Kind.DENY: "deny", Kind.ASK: "ask", Kind.REWRITE: "rewrite"}


class Verdict(NamedTuple):
    """One thing that was said about an event, and how it is to be taken."""

    words: str
    tone: Tone


def is_quiet(entry: JournalEntry) -> bool:
    """Whether nobody said anything about it and nothing failed."""
    decision = entry.decision
    return decision.kind is Kind.NONE and not (decision.warnings or decision.grants or has_failed(entry))


def describe_act(entry: JournalEntry) -> str:
    """What was done: the command itself, or the tool and its file, or the event and its words."""
    subject = show_line(find_subject(entry.payload)[:LONGEST_SUBJECT])
    subject = shorten_path(subject, entry.root)
    tool = show_line(entry.tool)
    if entry.event not in BEFORE_THE_ACT:
        return " ".join(dict.fromkeys(part for part in (show_line(entry.event), tool, subject) if part))
    return subject if subject and entry.tool.lower() in COMMAND_TOOLS else f"{tool} {subject}".strip() or entry.event


def name_project(root: str) -> str:
    """The short name of a project."""
    return root.rstrip("/").rpartition("/")[2]


def format_took(micros: int) -> str:
    """How long it took, in few letters."""
    return f"{micros / 1000:.1f} ms" if micros < 1_000_000 else f"{micros / 1_000_000:.1f} s"


def describe_new_input(decision: Decision) -> str:
    """What a rewritten call has become."""
    if decision.input is None:
        return ""
    return find_subject(msgspec.json.encode({"tool_input": decision.input}, enc_hook=repr).decode())


def list_verdicts(entry: JournalEntry) -> list[Verdict]:
    """What was said about an event."""
    decision, found = entry.decision, []
    if decision.kind is not Kind.NONE:
        by = f" by {show_line(decision.by)}" if decision.by else ""
        found.append(Verdict(f"{decision.kind}{by}", TONES.get(decision.kind, "plain")))
    failed = dict.fromkeys(f"{show_line(step.hook)} failed" for step in decision.trace if step.fault)
    found += (Verdict(words, "failed") for words in failed)
    if decision.grants:
        found.append(Verdict(f"let through by exception {show_line(', '.join(decision.grants))}", "plain"))
    return found or ([Verdict("warning", "ask")] if decision.warnings else [])


def describe_reason(entry: JournalEntry) -> str:
    """Why, in one line."""
    decision = entry.decision
    texts = (decision.reason, *decision.warnings, *decision.feedback, *decision.context, *decision.messages)
    return drop_handle(next((text for text in texts if text), ""))


def drop_handle(reason: str) -> str:
    """A reason in one line, without what is said to the agent alone: who could allow it, and by which code."""
    return HANDLE.sub("", " ".join(reason.split()))


def shorten_path(subject: str, root: str) -> str:
    """A file of the project without the project's own path."""
    return subject.removeprefix(f"{root}/") if root else subject


def show_line(text: str) -> str:
    """A text in one line, with a sign for each letter that nobody would see."""
    return show_text(" ".join(text.split()))


def show_text(text: str) -> str:
    """A text in its lines, with a sign for each letter that nobody would see."""
    return text if text.isascii() and text.isprintable() else "".join(_iter_visible(text))


def _iter_visible(text: str) -> Iterator[str]:
    for letter in text:
        is_plain = letter in "\n\t" or letter.isprintable() or unicodedata.category(letter) not in HIDDEN
        yield letter if is_plain else "\ufffd"
