"""What a prompt asks for, remembered for the gates."""

from synaptic.model import sane
from synaptic.model.decision import Verdict
from synaptic.model.effect import Effect
from synaptic.model.event import UserPromptSubmit
from synaptic.model.state import Change
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.prompt import (
    GATED_CLASSES,
    PromptClass,
    classify_prompt,
    extract_requirements,
    find_command,
    is_typed,
)
from synaptic.policies.sane.known import NEW_TASK, TASK_SECTION, read_flag, read_texts
from synaptic.policies.sane.refuse import make_log_line
from synaptic.policies.task_words import add_keywords, continues_task, find_keywords


class TaskPrompt(Policy):
    """Tasks that start without their rules.

    ## What it does
    Reads each prompt of the user: an answer ("yes") changes nothing; a question opens edits without research; an
    investigation closes them; everything else is a task, a big task or an edit, and gates them. What is not clearly a
    question is a task: "can you fix it?" is one. Remembers what was asked for first (commit, plan, research, loop). A
    prompt that goes on with the task ("also update the changelog") keeps what was researched; a task that has little
    in common with the one before starts with no research done and without a waiver. Says when a task is a big one.
    ## Why
    The gates must know what the user wants before the agent acts.
    ## Known gaps
    Questions are known by their form in English and by their words in a dozen other languages; in any other, they are
    tasks. "Can the header be sticky?" is a question, and whoever answers "yes" to one has set no task. A prompt of more
    than 20,000 characters is read by its beginning.
    """

    id = "sane.task-prompt"
    events = (UserPromptSubmit,)
    priority = 22
    preset = "sane"
    needs = (sane.REQUIREMENTS, sane.RESEARCH, sane.CIRCUIT_BREAKER, TASK_SECTION)

    def check(self, event: UserPromptSubmit, facts: Facts) -> Verdict | None:
        if event.agent_id or not is_typed(event.prompt, event.source) or find_command(event.prompt):
            return None
        kind = classify_prompt(event.prompt)
        logged = make_log_line(
            facts, "saneprompt.log", {"type": kind, "requested": extract_requirements(event.prompt).requested}
        )
        if kind == "passthrough":
            return Verdict(effects=(logged,))
        changes = _build_changes(kind, event.prompt, facts)
        if kind not in GATED_CLASSES:
            return Verdict(effects=(*changes, logged))
        told = _build_context(kind, facts)
        return Verdict(context=told, effects=(*changes, logged))


def _build_changes(kind: PromptClass, prompt: str, facts: Facts) -> tuple[Effect, ...]:
    found = extract_requirements(prompt)
    before = () if found.restart else read_texts(facts.state, sane.REQUIREMENTS, "requested")
    asked = {
        "is_task": kind in GATED_CLASSES,
        "is_big_task": kind == "big_task",
        "requested": list(dict.fromkeys((*before, *found.requested))),
    }
    if kind not in GATED_CLASSES:
        asked["requested"] = list(before)
        only = Change(section=TASK_SECTION, put={"research_only": kind == "research"})
        return Change(section=sane.REQUIREMENTS, put=asked), only
    known, words = read_texts(facts.state, TASK_SECTION, "keywords"), find_keywords(prompt)
    task = {"class": kind, "keywords": add_keywords(known, words), "research_only": False}
    # The same subject, or more of it: research that was done for the prompts before still counts.
    if continues_task(prompt, known):
        asked["is_big_task"] = kind == "big_task" or facts.state.read_flag(sane.REQUIREMENTS, "is_big_task")
        return Change(section=sane.REQUIREMENTS, put=asked), Change(section=TASK_SECTION, put=task)
    asked["requested"] = list(found.requested)
    return (
        Change(section=sane.REQUIREMENTS, put={**asked, "satisfied": []}),
        Change(section=TASK_SECTION, put={**task, **NEW_TASK, "keywords": list(words)}),
        Change(section=sane.RESEARCH, clear=True, put=sane.default_section(sane.RESEARCH)),
    )


def _build_context(kind: PromptClass, facts: Facts) -> tuple[str, ...]:
    """What the gates will ask for is said by each of them; here, only what the size of the task asks for."""
    if kind != "big_task" or read_flag(facts.state, sane.CIRCUIT_BREAKER, "tripped"):
        return ()  # sane.breaker-notice speaks
    return ("This is a big task: start a loop first (`synaptic loop start`).",)
