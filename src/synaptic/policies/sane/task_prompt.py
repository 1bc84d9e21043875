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
    are_related,
    classify_prompt,
    extract_requirements,
    find_command,
    find_keywords,
    is_typed,
)
from synaptic.policies.sane.known import TASK_SECTION, read_flag, read_texts
from synaptic.policies.sane.refuse import make_log_line


class TaskPrompt(Policy):
    """Tasks that start without their rules.

    ## What it does
    Reads each prompt of the user: an answer ("yes") changes nothing; a question opens edits without research; a task,
    a big task or an edit gates them; an investigation closes them. Remembers what was asked for first (commit, plan,
    research, loop). A task that has little in common with the one before starts with no research done. When the
    breaker is tripped or a task starts gated, says so.
    ## Why
    The gates must know what the user wants before the agent acts.
    ## Known gaps
    Prompts are read by English words. A prompt of more than 20,000 characters is read by its beginning and its end.
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
        task = Change(section=TASK_SECTION, put={"research_only": kind == "research"})
        asked["requested"] = list(before)
        return Change(section=sane.REQUIREMENTS, put=asked), task
    words = find_keywords(prompt)
    task = Change(section=TASK_SECTION, put={"class": kind, "keywords": list(words), "research_only": False})
    # The same subject: research that was done for the last prompt still counts.
    if are_related(read_texts(facts.state, TASK_SECTION, "keywords"), words):
        return Change(section=sane.REQUIREMENTS, put=asked), task
    asked["requested"] = list(found.requested)
    fresh = Change(section=sane.REQUIREMENTS, put={**asked, "satisfied": []})
    return fresh, task, Change(section=sane.RESEARCH, clear=True, put=sane.default_section(sane.RESEARCH))


def _build_context(kind: PromptClass, facts: Facts) -> tuple[str, ...]:
    if read_flag(facts.state, sane.CIRCUIT_BREAKER, "tripped"):
        return ()  # sane.breaker-notice speaks
    told = "This is a task: edits open once memory, docs, web, github and local have been looked into."
    loop = " It is a big one: start a loop first (`synaptic loop start`)." if kind == "big_task" else ""
    return (told + loop,)
