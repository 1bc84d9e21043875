"""What a prompt asks for, remembered for the gates."""

from synaptic.model import sane
from synaptic.model.decision import Verdict
from synaptic.model.effect import Effect
from synaptic.model.event import UserPromptSubmit
from synaptic.model.state import Change
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.prompt import GATED, PromptClass, classify, command, extract, keywords, related, typed
from synaptic.policies.sane.known import TASK, flag, texts
from synaptic.policies.sane.refuse import line


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
    needs = (sane.REQUIREMENTS, sane.RESEARCH, sane.CIRCUIT_BREAKER, TASK)

    def check(self, event: UserPromptSubmit, facts: Facts) -> Verdict | None:
        if event.agent_id or not typed(event.prompt, event.source) or command(event.prompt):
            return None
        kind = classify(event.prompt)
        logged = line(facts, "saneprompt.log", {"type": kind, "requested": extract(event.prompt).requested})
        if kind == "passthrough":
            return Verdict(effects=(logged,))
        changes = _changes(kind, event.prompt, facts)
        if kind not in GATED:
            return Verdict(effects=(*changes, logged))
        told = _told(kind, facts)
        return Verdict(context=told, effects=(*changes, logged))


def _changes(kind: PromptClass, prompt: str, facts: Facts) -> tuple[Effect, ...]:
    found = extract(prompt)
    before = () if found.restart else texts(facts.state, sane.REQUIREMENTS, "requested")
    asked = {
        "is_task": kind in GATED,
        "is_big_task": kind == "big_task",
        "requested": list(dict.fromkeys((*before, *found.requested))),
    }
    if kind not in GATED:
        task = Change(section=TASK, put={"research_only": kind == "research"})
        asked["requested"] = list(before)
        return Change(section=sane.REQUIREMENTS, put=asked), task
    words = keywords(prompt)
    task = Change(section=TASK, put={"class": kind, "keywords": list(words), "research_only": False})
    # The same subject: research that was done for the last prompt still counts.
    if related(texts(facts.state, TASK, "keywords"), words):
        return Change(section=sane.REQUIREMENTS, put=asked), task
    asked["requested"] = list(found.requested)
    fresh = Change(section=sane.REQUIREMENTS, put={**asked, "satisfied": []})
    return fresh, task, Change(section=sane.RESEARCH, clear=True, put=sane.defaults(sane.RESEARCH))


def _told(kind: PromptClass, facts: Facts) -> tuple[str, ...]:
    if flag(facts.state, sane.CIRCUIT_BREAKER, "tripped"):
        return ()  # sane.breaker-notice speaks
    told = "This is a task: edits open once memory, docs, web, github and local have been looked into."
    loop = " It is a big one: start a loop first (`synaptic loop start`)." if kind == "big_task" else ""
    return (told + loop,)
