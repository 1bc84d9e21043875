"""Questions that the repository's own documents answer."""

import re

import msgspec

from synaptic.model.decision import Verdict, record
from synaptic.model.event import Event, PostToolUse, UserPromptSubmit
from synaptic.model.result import HookResult
from synaptic.model.state import Change
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.prompt import is_typed
from synaptic.policies.routing.ranking import compile_intent
from synaptic.policies.routing.sections import ROUTING

QUESTION = re.compile(
    r"\?\s*$|^\s*(?:what|which|how|why|when|where|who|should|do i|is there|are there)\b", re.IGNORECASE
)
MAX_PROMPT = 4000


class KnowledgeTopic(msgspec.Struct, frozen=True, kw_only=True):
    """Words that mean a topic, and the intents they stand for."""

    patterns: tuple[str, ...]
    """Regular expressions over the prompt."""
    scope: str
    topic: str
    learn: str
    """The intent of a question (stage `understand`)."""
    ensure: str
    """The intent of a request (stage `plan`)."""
    commands: tuple[str, ...] = ()
    """Regular expressions over shell commands that belong to the topic."""


PRE_COMMIT = KnowledgeTopic(
    patterns=(r"\bpre-?commit\b", r"\bbefore (?:i|we) (?:commit|push|merge)\b", r"\bchecks?\b.{0,40}\bcommit"),
    scope="execution.quality_gates",
    topic="pre_commit_checks",
    learn="learn_which_checks_to_run_before_commit",
    ensure="ensure_code_quality_before_commit",
    commands=(r"^make dev_check\b", r"^pre-commit run\b"),
)


class KnowledgeTrigger(Policy):
    """Questions that are answered from memory although the repository has documents about them.

    ## What it does
    Turns a prompt about a known topic into a structured intent: scope, topic, stage, and what was said. Knowledge
    routing selects one to five documents for it (`ROUTING.md`), and the model is told to read them.
    ## Why
    The rules of a repository are in its documents. A model that has not read them guesses.
    ## Known gaps
    Topics are recognised by patterns; only pre-commit checks are known without configuration.
    """

    id = "routing.knowledge-trigger"
    events = (UserPromptSubmit, PostToolUse)
    tools = ("Bash",)
    priority = 61
    preset = "routing"
    needs = ("payload", ROUTING)

    triggers: tuple[KnowledgeTopic, ...] = (PRE_COMMIT,)
    """Topics, and the words that mean them."""

    def check(self, event: Event, facts: Facts) -> Verdict | None:
        if isinstance(event, PostToolUse):
            return self._remember_command(event.tool.read_text("command"), facts)
        if not isinstance(event, UserPromptSubmit) or not is_typed(event.prompt, event.source):
            return None
        # Patterns come from configuration: the text they run over stays short.
        text = event.prompt[:MAX_PROMPT]
        trigger = next((one for one in self.triggers if _matches_any(one.patterns, text)), None)
        return Verdict(result=HookResult(new_intent=_build_intent(trigger, text, facts))) if trigger else None

    def _remember_command(self, command: str, facts: Facts) -> Verdict | None:
        """Remember a check that was run: it belongs to the next question about it."""
        text = command.strip()[:200]
        known = any(_matches_any(trigger.commands, text) for trigger in self.triggers)
        # No write for a value that is stored already: this runs after every shell command.
        if not known or facts.state.read_text(ROUTING, "command") == text:
            return None
        return record(Change(section=ROUTING, put={"command": text}))


def _build_intent(trigger: KnowledgeTopic, text: str, facts: Facts) -> dict[str, object]:
    asks = QUESTION.search(text) is not None
    signals = {"user_raw_input": text}
    named = facts.payload.get("cli_command")
    command = named if isinstance(named, str) else facts.state.read_text(ROUTING, "command")
    if command:
        signals["cli_command"] = command
    return {
        "scope": trigger.scope,
        "topic": trigger.topic,
        "stage": "understand" if asks else "plan",
        "intent": trigger.learn if asks else trigger.ensure,
        "signals": signals,
    }


def _matches_any(patterns: tuple[str, ...], text: str) -> bool:
    return any(pattern.search(text) for pattern in map(compile_intent, patterns) if pattern)
