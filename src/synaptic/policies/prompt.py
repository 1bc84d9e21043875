"""What a user's prompt is: a command, an answer, a question, a task; by its whole text."""

import re
from typing import Literal

import msgspec

from synaptic.policies.sentences import SentenceKind, classify_sentence, is_social, split_sentences

PromptClass = Literal["passthrough", "question", "research", "edit", "task", "big_task"]
GATED_CLASSES = ("edit", "task", "big_task")

PROMPT_COMMANDS = {
    "s+": "safemode on",
    "safemode on": "safemode on",
    "s-": "safemode off",
    "safemode off": "safemode off",
    "s?": "safemode status",
    "safemode": "safemode status",
    "safemode status": "safemode status",
    "rb-": "breaker reset",
    "rb+": "breaker reset",
    "reset breaker": "breaker reset",
    "reset circuit": "breaker reset",
    "rb?": "breaker status",
    "breaker status": "breaker status",
    "research": "research status",
    "rr-": "research reset",
    "reset research": "research reset",
    "waive": "research waive",
    "waive research": "research waive",
    "reset blocks": "blocks reset",
    "unblock": "blocks reset",
    "reset?": "help",
}
LONGEST_COMMAND = 64
"""Characters; nothing longer is a command, however long a prompt is."""
UNVERIFIED_SOURCE = "unverified"
"""Of prompts that did not come from the agent itself."""
MACHINE_SOURCES = frozenset({"system", "loop_wakeup", "schedule_wakeup", "poll_event", UNVERIFIED_SOURCE})
"""Sources of prompts that nobody typed."""
TAG = re.compile(r"\s*<[a-z][a-z-]*>")
MAX_SEARCHED = 20_000
"""Characters of a prompt that are searched for words."""
SHORT_PROMPT = 10

SLASH_COMMAND = re.compile(r"/[a-z][\w:-]*(?:\s|$)")
LETTER = re.compile(r"[^\W\d_]")
ACTION = re.compile(
    r"\b(?:fix|add|create|implement|build|rebuild|refactor|update|change|modify|delete|remove|move"
    r"|write|make|generate|setup|set up|rewrite|overhaul|redesign)(?:e?s|ing)?\b"
)
EDITING = re.compile(r"\b(?:edit|rename|replace|append|insert|patch)(?:e?s|ing)?\b")
ORDER = re.compile(rf"{ACTION.pattern}|{EDITING.pattern}|\b(?:do|use|go|ship|run|try|merge|revert|undo|redo)\b")
"""Verbs by which even a very short prompt is an order."""
SUBJECT = re.compile(
    r"\b(?:bugs?|errors?|issues?|problems?|broken|failing|crash(?:es)?|features?|functionality|capability)\b"
)
BIG = re.compile(
    r"\b(?:everything|all|entire|whole|complete|full|rewrite|overhaul|redesign|rebuild|architecture|system|framework"
    r"|infrastructure|multiple (?:files|components|modules))\b"
)
REQUIREMENTS = {
    "saneloop": re.compile(r"\bsane ?loop\b"),
    "commit": re.compile(r"(?:please |now |then |first )*commit\b|.*\bcommit (?:first|before)\b", re.DOTALL),
    "plan": re.compile(r".*\b(?:plan (?:first|before|this)|make a plan)\b", re.DOTALL),
    "research": re.compile(r".*\b(?:research (?:first|this)|investigate|look into)\b", re.DOTALL),
}
RESTARTING = frozenset({"saneloop", "commit"})
"""Requirements that replace what was asked for before."""


class PromptRequirements(msgspec.Struct, frozen=True):
    """What a prompt asks for beside its task; `restart` drops what was asked for before."""

    requested: tuple[str, ...] = ()
    restart: bool = False


def is_typed(prompt: str, source: str = "") -> bool:
    """Whether a person wrote it: prompts that a machine injects carry a source or open with a tag."""
    return source not in MACHINE_SOURCES and not TAG.match(prompt)


def find_command(prompt: str) -> str:
    """The command that the whole prompt is, or nothing."""
    # Compared by length first: splitting a pasted file of megabytes only to find no command would take long.
    if len(prompt) > LONGEST_COMMAND:
        return ""
    return PROMPT_COMMANDS.get(" ".join(prompt.lower().split()), "")


def classify_prompt(prompt: str) -> PromptClass:
    """The class of a prompt, from its whole text. What is not clearly a question or an answer is a task."""
    text = _normalize_head(prompt)
    if _is_passthrough(text):
        return "passthrough"
    kinds = _list_kinds(text)
    if kinds <= {"social"}:
        return "passthrough" if kinds else "task"
    if "other" not in kinds and not kinds <= {"statement", "social"}:
        return "research" if "investigation" in kinds else "question"
    if BIG.search(text):
        return "big_task"
    return "edit" if EDITING.search(text) and not ACTION.search(text) and not SUBJECT.search(text) else "task"


def extract_requirements(prompt: str) -> PromptRequirements:
    """The requirements that a prompt states."""
    text = _normalize_head(prompt)
    found = tuple(name for name, pattern in REQUIREMENTS.items() if _states_requirement(pattern, name, text))
    return PromptRequirements(found, not RESTARTING.isdisjoint(found))


def _states_requirement(pattern: re.Pattern[str], name: str, text: str) -> bool:
    return bool(pattern.search(text) if name == "saneloop" else pattern.match(text))


def _list_kinds(text: str) -> set[SentenceKind]:
    """The kinds of a prompt's sentences, up to the first that is no question: it decides."""
    kinds: set[SentenceKind] = set()
    for sentence in split_sentences(text):
        kinds.add(classify_sentence(sentence))
        if "other" in kinds:
            break
    return kinds


def _is_passthrough(text: str) -> bool:
    if SLASH_COMMAND.match(text) or not LETTER.search(text) or is_social(text):
        return True
    # Three letters of Chinese are a sentence; and whoever types "fix it" wants something done.
    return len(text) < SHORT_PROMPT and text.isascii() and not ORDER.search(text)


def _normalize_head(prompt: str) -> str:
    return prompt[:MAX_SEARCHED].strip().lower()
