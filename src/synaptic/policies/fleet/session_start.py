"""A context window opens."""

from collections.abc import Mapping

from synaptic.model.decision import Verdict
from synaptic.model.event import SessionStart
from synaptic.model.layers import INJECTIONS, Effort, Layers, Metadata, OpenSession, SetStatus, Skill
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.fleet.context_line import format_context_line
from synaptic.policies.fleet.handled import HandlerResult, build_result
from synaptic.policies.fleet.preloads import describe_files, list_first_files
from synaptic.policies.fleet.recovery import decode_payload, describe_artifacts, describe_hand_over
from synaptic.policies.fleet.skill_text import describe_skill, drop_injection
from synaptic.policies.fleet.standing import build_status

FIRST_FILES = "Read these files first:"
NOT_FOUND: Mapping[str, object] = {
    "found": False,
    "effortId": None,
    "sessionId": None,
    "skill": None,
    "phase": None,
    "filesToPreload": [],
    "dehydratedContext": None,
    "skillConfig": None,
    "taskDir": None,
    "sessionContext": "",
}


class SessionOpening(Policy):
    """A context window that begins without knowing what it works on.

    ## What it does
    Opens a session for the active effort of the agent, ends the one before it (of the same window or agent: another
    window of the project keeps its own), and tells the model task, skill, phase
    and heartbeat, the phases of its skill, the files to know first with their text (10,000 letters a file, 40,000 in
    all, inside the project and no secrets; others are named), and what the last window left: its summary with the
    files that it requires, told once, or else the effort's own files.
    ## Why
    A window knows nothing of the ones before it. The effort survives them, and goes on where they ended.
    ## Known gaps
    A window that was killed and is not started again counts as open for a day.
    """

    id = "fleet.session-start"
    events = (SessionStart,)
    priority = 10
    preset = "fleet"
    needs = ("layers", "agent_name", "hand_over", "log_end", "preloads")
    recheck = False

    def handle(self, event: SessionStart, facts: Facts) -> HandlerResult:
        effort = facts.layers.effort
        if effort is None or effort.finished:
            return build_result(NOT_FOUND, _register_agent(event, facts))
        line = format_context_line(effort, None, facts.now)
        preloads = list_first_files(effort, facts.layers.skill)
        told = describe_files(preloads, facts.preloads, FIRST_FILES)
        parts = (line, describe_skill(facts.layers.skill, effort), told, _describe_past(effort, facts))
        changes = (_open_session(event, facts, effort), _register_agent(event, facts), _drop_skill_news(effort))
        effects = tuple(one for one in changes if one is not None)
        text = "\n\n".join(part for part in parts if part)
        return HandlerResult(_build_answer(effort, facts, line, preloads), Verdict(context=(text,), effects=effects))

    def check(self, event: SessionStart, facts: Facts) -> Verdict | None:
        return self.handle(event, facts).verdict


def _open_session(event: SessionStart, facts: Facts, effort: Effort) -> OpenSession:
    # The session before this one ends with it, and what that one handed over counts as told.
    previous = facts.hand_over.previous
    return OpenSession(
        effort=effort.id,
        host=event.session_id,
        agent=facts.agent_name,
        model=event.model,
        transcript=event.transcript_path,
        follows=previous.id if previous else None,
    )


def _drop_skill_news(effort: Effort) -> Metadata | None:
    """What waits about the skill is told with this window's beginning."""
    rest = drop_injection(effort.metadata)
    if rest is None:
        return None
    return (
        Metadata(effort=effort.id, put={INJECTIONS: rest}) if rest else Metadata(effort=effort.id, drop=(INJECTIONS,))
    )


def _build_answer(effort: Effort, facts: Facts, line: str, preloads: list[str]) -> dict[str, object]:
    return {
        "found": True,
        "effortId": effort.id,
        "sessionId": None,  # known when it is written
        "skill": effort.skill,
        "phase": effort.phase or None,
        "filesToPreload": preloads,
        "dehydratedContext": decode_payload(facts.hand_over.payload),
        "skillConfig": _describe_skill(facts.layers.skill),
        "taskDir": effort.task,
        "sessionContext": line,
    }


def _register_agent(event: SessionStart, facts: Facts) -> SetStatus | None:
    """Register the agent with its window and effort. Opening a window does not change its status."""
    agent = facts.layers.agent
    if agent and (agent.host, agent.effort) == (event.session_id, _get_effort_id(facts.layers)):
        return None
    return build_status(event, facts, agent.status if agent else "done", agent.note if agent else "")


def _get_effort_id(layers: Layers) -> int | None:
    return layers.effort.id if layers.effort else None


def _describe_skill(skill: Skill | None) -> dict[str, object] | None:
    if skill is None:
        return None
    return {
        "name": skill.name,
        "phases": list(skill.phases),
        "modes": skill.modes,
        "templates": dict(skill.templates),
        "nextSkills": list(skill.next_skills),
        "directives": list(skill.directives),
        "version": skill.version,
        "description": skill.description,
    }


def _describe_past(effort: Effort, facts: Facts) -> str:
    left = facts.hand_over
    told = (
        describe_hand_over(effort, left)
        if left.payload is not None
        else describe_artifacts(effort, left, facts.log_end)
    )
    if not left.debriefs:
        return told
    debriefs = "\n".join(("Debriefs of the task's earlier efforts:", *(f"- {path}" for path in left.debriefs)))
    return f"{told}\n\n{debriefs}" if told else debriefs
