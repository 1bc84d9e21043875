"""Prompts that say the agent got it wrong."""

import re

from synaptic.model import sane
from synaptic.model.decision import Verdict
from synaptic.model.event import UserPromptSubmit
from synaptic.model.state import Change
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.prompt import find_command, is_typed
from synaptic.policies.sane.stamp import format_stamp

FRUSTRATION_SIGNS = {
    "correction": re.compile(r"no,|.*\b(?:that'?s not|i said|i meant|i already)\b", re.DOTALL),
    "impatience": re.compile(r".*\b(?:use your head|think[!.]|stop rushing|idiot)", re.DOTALL),
    "repetition": re.compile(r".*\b(?:i just said|like i said|as i mentioned|again\b[!.]?$)", re.DOTALL),
}
KEEP_LEARNINGS = 50
RECENT_LEARNINGS, MANY_CORRECTIONS = 5, 3
MAX_SEARCHED = 2000


class Frustration(Policy):
    """Prompts that say the agent got it wrong.

    ## What it does
    Notes a correction, impatience or a repetition as a learning, without the prompt's text; three corrections among
    the last five learnings are told to the model.
    ## Why
    A session that goes wrong is felt by its user first.
    ## Known gaps
    Signs are found by English words, in the first 2,000 characters.
    """

    id = "sane.frustration"
    events = (UserPromptSubmit,)
    priority = 31
    preset = "strict"
    needs = (sane.LEARNINGS,)

    def check(self, event: UserPromptSubmit, facts: Facts) -> Verdict | None:
        if event.agent_id or not is_typed(event.prompt, event.source) or find_command(event.prompt):
            return None
        text = event.prompt[:MAX_SEARCHED].strip().lower()
        found = [name for name, sign in FRUSTRATION_SIGNS.items() if sign.match(text)]
        if not found:
            return None
        learned = (
            Change(
                section=sane.LEARNINGS,
                append={sane.ENTRIES: {"type": name, "at": format_stamp(facts.now)}},
                keep=KEEP_LEARNINGS,
            )
            for name in found
        )
        return Verdict(context=_build_context(found, facts), effects=tuple(learned))


def _build_context(found: list[str], facts: Facts) -> tuple[str, ...]:
    entries = facts.state.read_items(sane.LEARNINGS, sane.ENTRIES)
    before = [entry.get("type") for entry in entries if isinstance(entry, dict)]
    if (before + found)[-RECENT_LEARNINGS:].count("correction") < MANY_CORRECTIONS:
        return ()
    return ("The user has corrected you three times of late. Say back what you understood before you act.",)
