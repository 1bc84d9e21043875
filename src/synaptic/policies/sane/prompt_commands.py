"""Commands that the user types as a whole prompt."""

from collections.abc import Callable, Mapping

from synaptic.model import sane
from synaptic.model.decision import Verdict
from synaptic.model.effect import Effect
from synaptic.model.event import UserPromptSubmit
from synaptic.model.state import Change
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.sane.known import commanded, flag
from synaptic.policies.sane.refuse import line
from synaptic.policies.sane.stamp import stamp
from synaptic.policies.sane.tell import tell

Answer = tuple[str, tuple[Effect, ...]]
"""What is said, and what changes."""
HELP = (
    "`s+` `s-` `s?` safemode; `rb-` or `reset breaker`, `rb?` circuit breaker; `research`, `reset research`; "
    "`reset blocks` forgets refusals"
)


class PromptCommands(Policy):
    """Process switches that an agent could flip.

    ## What it does
    Carries out a prompt that is, as a whole, a command: `s+`, `s-`, `s?` (safemode), `rb-`, `rb+`, `reset breaker`,
    `rb?`, `breaker status` (circuit breaker), `reset research`, `reset blocks`, `reset?` (help). Only the user's own
    prompt counts: not one that a machine injected, not a sub-agent's, and never the input of a tool.
    ## Why
    The switches belong to the user. `s-expressions are nice` is a sentence.
    ## Known gaps
    An agent's host that lets the model submit prompts as the user cannot be told apart from the user.
    """

    id = "sane.prompt-commands"
    events = (UserPromptSubmit,)
    priority = 20
    preset = "sane"
    needs = (sane.SAFEMODE, sane.CIRCUIT_BREAKER, sane.ENFORCEMENT)

    def check(self, event: UserPromptSubmit, facts: Facts) -> Verdict | None:
        command = commanded(event)
        answer = ANSWERS.get(command)
        if answer is None:
            return None
        text, effects = answer(facts)
        logged = line(facts, "saneprompt.log", {"type": "command", "command": command})
        return tell(event.prompt.strip(), text, *effects, logged)


def _safemode_on(facts: Facts) -> Answer:
    change = Change(section=sane.SAFEMODE, put={"active": True, "at": stamp(facts.now)})
    return "Safemode is on: edits are blocked, reading is free. `s-` lifts it.", (change,)


def _safemode_off(facts: Facts) -> Answer:
    return "Safemode is off.", (Change(section=sane.SAFEMODE, put={"active": False, "at": None}),)


def _safemode_status(facts: Facts) -> Answer:
    on = flag(facts.state, sane.SAFEMODE, "active")
    return ("Safemode is on: edits are blocked." if on else "Safemode is off."), ()


def _breaker_reset(facts: Facts) -> Answer:
    change = Change(section=sane.CIRCUIT_BREAKER, clear=True, put=sane.defaults(sane.CIRCUIT_BREAKER))
    return "The circuit breaker is reset.", (change,)


def _breaker_status(facts: Facts) -> Answer:
    section = sane.section(facts.state, sane.CIRCUIT_BREAKER)
    counts = section["error_signatures"]
    kinds = ", ".join(f"{name} {count}" for name, count in counts.items()) if isinstance(counts, Mapping) else ""
    state = "tripped (type `reset breaker` to reset it)" if section["tripped"] else "closed"
    last = f" Last error: {section['last_error']}." if section["last_error"] else ""
    return f"Circuit breaker: {state}, {section['failures']} failures in a row, kinds: {kinds or 'none'}.{last}", ()


def _research_reset(facts: Facts) -> Answer:
    change = Change(section=sane.RESEARCH, clear=True, put=sane.defaults(sane.RESEARCH))
    return "Research is forgotten: edits wait for it again.", (change,)


def _blocks_reset(facts: Facts) -> Answer:
    change = Change(section=sane.ENFORCEMENT, clear=True, put=sane.defaults(sane.ENFORCEMENT))
    return "Refusals are forgotten. The gates themselves stay.", (change,)


ANSWERS: Mapping[str, Callable[[Facts], Answer]] = {
    "safemode on": _safemode_on,
    "safemode off": _safemode_off,
    "safemode status": _safemode_status,
    "breaker reset": _breaker_reset,
    "breaker status": _breaker_status,
    "research reset": _research_reset,
    "blocks reset": _blocks_reset,
    "help": lambda facts: (f"Commands: {HELP}.", ()),
}
