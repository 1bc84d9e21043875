"""Prompts that play a task down."""

import re
from typing import Annotated

from synaptic.model.decision import Verdict
from synaptic.model.event import UserPromptSubmit
from synaptic.model.state import Change
from synaptic.policies.base import MORE, Policy
from synaptic.policies.facts import Facts
from synaptic.policies.prompt import classify_prompt, find_command, is_typed

TRIGGERS_SECTION = "session:triggers"
WORD = re.compile(r"[a-z]+")
MAX_SEARCHED = 20_000


class Hurry(Policy):
    """Prompts that play a task down.

    ## What it does
    Words such as "quick" or "just" in a prompt are answered with a word of caution for the model; the same words in
    two prompts in a row with a stronger one.
    ## Why
    "Just a quick fix" is how the long afternoons begin.
    ## Known gaps
    Words are compared as they are, in English.
    """

    id = "sane.hurry"
    events = (UserPromptSubmit,)
    priority = 30
    preset = "strict"
    needs = (TRIGGERS_SECTION,)

    words: Annotated[tuple[str, ...], MORE] = (
        "quick", "just", "simple", "fast", "easy", "minor", "small", "tiny", "trivial",
    )  # fmt: skip
    """Words that play down."""

    def check(self, event: UserPromptSubmit, facts: Facts) -> Verdict | None:
        if event.agent_id or not is_typed(event.prompt, event.source) or find_command(event.prompt):
            return None
        if classify_prompt(event.prompt) == "passthrough":
            return None
        said = set(WORD.findall(event.prompt[:MAX_SEARCHED].lower()))
        found = [word for word in self.words if word in said]
        before = facts.state.read_items(TRIGGERS_SECTION, "words")
        if not found and not before:
            return None
        remembered = Change(section=TRIGGERS_SECTION, put={"words": found})
        return Verdict(context=_build_context(found, [word for word in found if word in before]), effects=(remembered,))


def _build_context(found: list[str], again: list[str]) -> tuple[str, ...]:
    if again:
        return (f"Stop: {', '.join(again)} twice in a row. Read first, and say what the task really takes.",)
    return (f"The prompt says {', '.join(found)}. That is a wish, not a measure: no step is skipped.",) if found else ()
