"""The sections of the sane process: their names, their fields, and what each says when it cannot be believed.

A section is stored as `project:NAME`. A policy asks for it in `needs` (`needs = (sane.CIRCUIT_BREAKER, ...)`), reads
it with `sane.section(facts.state, sane.CIRCUIT_BREAKER)`, and changes it with a `Change` of that name.
"""

from typing import Literal

import msgspec

from synaptic.model.state import Section, State

CIRCUIT_BREAKER = "project:circuit_breaker"
REQUIREMENTS = "project:requirements"
RESEARCH = "project:research"
EDITS = "project:edits"
SANELOOP = "project:saneloop"
ENFORCEMENT = "project:enforcement"
ACTION_LOG = "project:action_log"
LEARNINGS = "project:learnings"
SAFEMODE = "project:safemode"
TAMPERING = "project:tampering"

ENTRIES = "entries"
"""The one field of a section that is a list (`action_log`, `learnings`): a section is always a table here."""
LISTS = (ACTION_LOG, LEARNINGS)
CATEGORIES = ("memory", "docs", "web", "github", "local")
KEEP_ACTIONS = 20
MAX_ITERATIONS = 20

SECTIONS: dict[str, Section] = {
    CIRCUIT_BREAKER: {
        "failures": 0,
        "tripped": False,
        "tripped_at": None,
        "last_error": None,
        "error_signatures": {},
    },
    REQUIREMENTS: {"requested": [], "satisfied": [], "is_task": False, "is_big_task": False},
    RESEARCH: dict.fromkeys(CATEGORIES),
    EDITS: {"count": 0, "unique_files": [], "last_file": None},
    SANELOOP: {
        "active": False,
        "task": None,
        "iteration": 0,
        "max_iterations": MAX_ITERATIONS,
        "acceptance_criteria": [],
        "started_at": None,
    },
    ENFORCEMENT: {"blocks": [], "halted": False, "halted_at": None, "halted_reason": None},
    ACTION_LOG: {ENTRIES: []},
    LEARNINGS: {ENTRIES: []},
}
"""What the mirror shows, in its order, each with its values before anything has happened."""

KEPT_BESIDE: dict[str, Section] = {
    SAFEMODE: {"active": False, "at": None},
    TAMPERING: {"entries": [], "untold": 0},
}
"""Sections that the mirror does not show: safemode has a marker file of its own."""

WARY: dict[str, Section] = {
    CIRCUIT_BREAKER: {"tripped": True, "last_error": "the stored state was changed by somebody else"},
    REQUIREMENTS: {"is_task": True},
    SAFEMODE: {"active": True},
}
"""What replaces the defaults where a stored section is not genuine: nothing that a forger could want."""


STATE_FILE = ".claude/state.json"
MARKER_FILE = ".claude/bypass_active.json"
"""There while safemode is on."""

Look = Literal["missing", "genuine", "forged"]


class MirroredFiles(msgspec.Struct, frozen=True):
    """What is found where the engine shows its sections. It is compared with them and never read as truth."""

    state: Look = "genuine"
    marker: Look = "missing"


def default_section(name: str) -> dict[str, object]:
    """A section before anything has happened; empty for one that is not listed here."""
    known = SECTIONS.get(name) or KEPT_BESIDE.get(name) or {}
    return {key: value.copy() if isinstance(value, list | dict) else value for key, value in known.items()}


def distrusted_section(name: str) -> dict[str, object]:
    """A section whose stored values are not believed."""
    return {**default_section(name), **WARY.get(name, {})}


def read_section(state: State, name: str) -> dict[str, object]:
    """A section as a policy should read it: every field is there, and a forged one relaxes nothing."""
    if name in state.tampered and name not in state.sections:
        return distrusted_section(name)
    return {**default_section(name), **state.read_section(name)}


def read_value(state: State, name: str, key: str) -> object:
    """One field of a section, read in the same way."""
    stored = state.sections.get(name)
    if stored is not None and key in stored:
        return stored[key]
    return read_section(state, name).get(key)
