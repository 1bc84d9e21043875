"""Commands that the user types as a whole prompt."""

from collections.abc import Callable, Mapping

from synaptic.model import sane
from synaptic.model.decision import Verdict
from synaptic.model.effect import Effect
from synaptic.model.event import UserPromptSubmit
from synaptic.model.state import Change
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.sane.known import NEW_TASK, TASK_SECTION, read_flag, read_user_command
from synaptic.policies.sane.refuse import make_log_line
from synaptic.policies.sane.stamp import format_stamp
from synaptic.policies.sane.tell import answer_command

CommandAnswer = tuple[str, tuple[Effect, ...]]
"""What is said, and what changes."""
HELP_TEXT = (
    "`s+` `s-` `s?` safemode; `rb-` or `reset breaker`, `rb?` circuit breaker; `research`, `waive`, `reset research`; "
    "`reset blocks` forgets refusals"
)


class PromptCommands(Policy):
    """Process switches that an agent could flip.

    ## What it does
    Carries out a prompt that is, as a whole, a command: `s+`, `s-`, `s?` (safemode), `rb-`, `rb+`, `reset breaker`,
    `rb?`, `breaker status` (circuit breaker), `waive` (no research for this task), `reset research`, `reset blocks`,
    `reset?` (help). Only the user's own
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
        command = read_user_command(event)
        answer = COMMAND_ANSWERS.get(command)
        if answer is None:
            return None
        text, effects = answer(facts)
        logged = make_log_line(facts, "saneprompt.log", {"type": "command", "command": command})
        return answer_command(event.prompt.strip(), text, *effects, logged)


def _turn_safemode_on(facts: Facts) -> CommandAnswer:
    change = Change(section=sane.SAFEMODE, put={"active": True, "at": format_stamp(facts.now)})
    return "Safemode is on: edits are blocked, reading is free. `s-` lifts it.", (change,)


def _turn_safemode_off(facts: Facts) -> CommandAnswer:
    return "Safemode is off.", (Change(section=sane.SAFEMODE, put={"active": False, "at": None}),)


def _describe_safemode(facts: Facts) -> CommandAnswer:
    on = read_flag(facts.state, sane.SAFEMODE, "active")
    return ("Safemode is on: edits are blocked." if on else "Safemode is off."), ()


def _reset_breaker(facts: Facts) -> CommandAnswer:
    change = Change(section=sane.CIRCUIT_BREAKER, clear=True, put=sane.default_section(sane.CIRCUIT_BREAKER))
    return "The circuit breaker is reset.", (change,)


def _describe_breaker(facts: Facts) -> CommandAnswer:
    section = sane.read_section(facts.state, sane.CIRCUIT_BREAKER)
    counts = section["error_signatures"]
    kinds = ", ".join(f"{name} {count}" for name, count in counts.items()) if isinstance(counts, Mapping) else ""
    state = "tripped (type `reset breaker` to reset it)" if section["tripped"] else "closed"
    again = _name_repeated(section.get("causes"))
    last = f" Last error: {section['last_error']}." if section["last_error"] else ""
    return (
        f"Circuit breaker: {state}, {section['failures']} failures in a row, kinds: {kinds or 'none'}.{again}{last}",
        (),
    )


def _name_repeated(causes: object) -> str:
    """The failures that came more than once, by what they say."""
    known = causes.items() if isinstance(causes, Mapping) else ()
    named = "; ".join(f"{name} ({times} times)" for name, times in known if isinstance(times, int) and times > 1)
    return f" The same again: {named}." if named else ""


def _reset_research(facts: Facts) -> CommandAnswer:
    change = Change(section=sane.RESEARCH, clear=True, put=sane.default_section(sane.RESEARCH))
    unwaived = Change(section=TASK_SECTION, put=dict(NEW_TASK))
    return "Research is forgotten: edits wait for it again.", (change, unwaived)


def _waive_research(facts: Facts) -> CommandAnswer:
    change = Change(section=TASK_SECTION, put={"waived": format_stamp(facts.now)})
    text = "Research is waived for this task: edits do not wait for it. The next task waits again, and so does `rr-`."
    return text, (change,)


def _reset_blocks(facts: Facts) -> CommandAnswer:
    change = Change(section=sane.ENFORCEMENT, clear=True, put=sane.default_section(sane.ENFORCEMENT))
    return "Refusals are forgotten. The gates themselves stay.", (change,)


COMMAND_ANSWERS: Mapping[str, Callable[[Facts], CommandAnswer]] = {
    "safemode on": _turn_safemode_on,
    "safemode off": _turn_safemode_off,
    "safemode status": _describe_safemode,
    "breaker reset": _reset_breaker,
    "breaker status": _describe_breaker,
    "research reset": _reset_research,
    "research waive": _waive_research,
    "blocks reset": _reset_blocks,
    "help": lambda facts: (f"Commands: {HELP_TEXT}.", ()),
}
