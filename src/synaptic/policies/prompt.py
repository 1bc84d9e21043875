"""What a user's prompt is: a command, an answer, a question, a task; by its whole text."""

import re
from typing import Literal

import msgspec

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

ANSWERS = frozenset(
    ("y", "yes", "n", "no", "ok", "okay", "done", "continue", "approved", "cancel", "sure", "thanks", "thx")
)
LETTER = re.compile(r"[^\W\d_]")
QUESTION = re.compile(
    r"(?:what|where|when|why|how|which|who)\b|can you explain\b|tell me about\b"
    r"|(?:does|is|are|do|should|could|would) (?:this|it|the|that)\b"
)
ACTION = re.compile(
    r"\b(?:fix|add|create|implement|build|rebuild|refactor|update|change|modify|delete|remove|move"
    r"|write|make|generate|setup|set up|rewrite|overhaul|redesign)(?:e?s|ing)?\b"
)
EDITING = re.compile(r"\b(?:edit|rename|replace|append|insert|patch)(?:e?s|ing)?\b")
SUBJECT = re.compile(
    r"\b(?:bugs?|errors?|issues?|problems?|broken|failing|crash(?:es)?|features?|functionality|capability)\b"
)
BIG = re.compile(
    r"\b(?:everything|all|entire|whole|complete|full|rewrite|overhaul|redesign|rebuild|architecture|system|framework"
    r"|infrastructure|multiple (?:files|components|modules))\b"
)
RESEARCH = re.compile(
    r"\b(?:investigate|look into|explore (?:the |this )?code ?base|understand how|explain how|what'?s causing"
    r"|find out why|research)\b"
)
REQUIREMENTS = {
    "saneloop": re.compile(r"\bsane ?loop\b"),
    "commit": re.compile(r"(?:please |now |then |first )*commit\b|.*\bcommit (?:first|before)\b", re.DOTALL),
    "plan": re.compile(r".*\b(?:plan (?:first|before|this)|make a plan)\b", re.DOTALL),
    "research": re.compile(r".*\b(?:research (?:first|this)|investigate|look into)\b", re.DOTALL),
}
RESTARTING = frozenset({"saneloop", "commit"})
"""Requirements that replace what was asked for before."""
WORD = re.compile(r"[a-z][a-z0-9_]{2,}")
STOP_WORDS = frozenset((
    "the", "and", "for", "with", "this", "that", "from", "into", "then", "than", "are", "was", "were", "has",
    "have", "had", "not", "but", "you", "your", "our", "all", "any", "can", "will", "should", "would",
    "could", "please", "when", "where", "what", "which", "there", "here", "its", "also", "just", "now",
    "make", "made", "does",
))  # fmt: skip
MAX_KEYWORDS = 5


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
    """The class of a prompt, from its whole text: a line of it decides nothing."""
    text = _normalize_head(prompt)
    if _is_passthrough(text):
        return "passthrough"
    acts = ACTION.search(text) or EDITING.search(text)
    # An action outweighs an investigation: "investigate and fix" is a task.
    if not acts and RESEARCH.search(text):
        return "research"
    if QUESTION.match(text) or prompt.rstrip().endswith("?"):
        return "question"
    if not acts and not SUBJECT.search(text):
        return "question"
    if BIG.search(text):
        return "big_task"
    return "task" if ACTION.search(text) or SUBJECT.search(text) else "edit"


def extract_requirements(prompt: str) -> PromptRequirements:
    """The requirements that a prompt states."""
    text = _normalize_head(prompt)
    found = tuple(name for name, pattern in REQUIREMENTS.items() if _states_requirement(pattern, name, text))
    return PromptRequirements(found, not RESTARTING.isdisjoint(found))


def find_keywords(prompt: str) -> tuple[str, ...]:
    """The longest words that say what a task is about."""
    words = {word for word in WORD.findall(_normalize_head(prompt)) if word not in STOP_WORDS}
    return tuple(sorted(sorted(words), key=len, reverse=True)[:MAX_KEYWORDS])


def are_related(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether two tasks share half of their words; a task without words is related to every other."""
    return not one or not other or 2 * len(set(one) & set(other)) >= min(len(one), len(other))


def _states_requirement(pattern: re.Pattern[str], name: str, text: str) -> bool:
    return bool(pattern.search(text) if name == "saneloop" else pattern.match(text))


def _is_passthrough(text: str) -> bool:
    return text in ANSWERS or text.startswith("/") or len(text) < SHORT_PROMPT or not LETTER.search(text)


def _normalize_head(prompt: str) -> str:
    return prompt[:MAX_SEARCHED].strip().lower()
