"""Annotations of decisions in code and plans: one pattern for everybody who looks for them."""

import re

DECISION_NOTE = re.compile(r"@decision\b|(?:#|//)\s*DECISION(?:\([^)\n]*\))?:")
"""`@decision DEC-X-001`, `# DECISION: ...`, `// DECISION(DEC-X-001): ...`"""
RATIONALE = re.compile(r"@rationale\b|\brationale\s*:", re.IGNORECASE)
DECISION_ID = re.compile(r"\bDEC-[A-Z]{2,}-\d{3}\b")
LIKE_ID = re.compile(r"\bDEC-[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*")
RETIRED = re.compile(r"\b(?:deprecated|superseded)\b", re.IGNORECASE)
DECIDED_LINES = 50
"""A file of so many lines has to say what was decided in it."""


def has_decision(text: str) -> bool:
    """Whether a text holds an annotation of any form."""
    return DECISION_NOTE.search(text) is not None


def has_rationale(text: str) -> bool:
    """Whether it says why."""
    return RATIONALE.search(text) is not None


def find_ids(text: str) -> tuple[str, ...]:
    """The well-formed ids, each once, in order."""
    return tuple(dict.fromkeys(DECISION_ID.findall(text)))


def find_malformed_ids(text: str) -> tuple[str, ...]:
    """Words that look like a decision id and are not well-formed."""
    return tuple(dict.fromkeys(word for word in LIKE_ID.findall(text) if not DECISION_ID.fullmatch(word)))


def find_retired_ids(text: str) -> frozenset[str]:
    """Ids on a line that calls them deprecated or superseded; neighbours are not exempt."""
    lines = (line for line in text.splitlines() if RETIRED.search(line))
    return frozenset(id for line in lines for id in DECISION_ID.findall(line))
