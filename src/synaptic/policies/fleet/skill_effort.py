"""The effort of a skill that starts: whether there is one, and what the window is told."""

from synaptic.model.decision import Verdict
from synaptic.model.event import Event
from synaptic.model.layers import BeginEffort, Layers, Skill, SkillRun
from synaptic.policies.facts import Facts
from synaptic.policies.fleet.handled import HandlerResult
from synaptic.policies.fleet.orders import LOG_COMMAND
from synaptic.policies.fleet.preloads import describe_files, list_skill_files
from synaptic.policies.fleet.skill_text import describe_skill
from synaptic.policies.routing.skill_file import PLAIN_TIER


def begin_effort(event: Event, facts: Facts) -> HandlerResult:
    """The effort that begins or goes on with the skill of this event; no verdict where that changes nothing."""
    run = facts.skill_run
    if run is None or _is_running(run.skill, facts.layers) or not _starts_effort(run.skill, facts.layers):
        return HandlerResult({"skill": None, "taskDir": None})
    begun = BeginEffort(
        root=run.root,
        task=run.task,
        skill=run.skill,
        title=run.title,
        host=event.session_id,
        agent=facts.agent_name,
        kind=facts.agent,
    )
    verdict = Verdict(context=(_describe_run(run, facts),), effects=(begun,))
    return HandlerResult({"skill": run.skill.name, "taskDir": run.task}, verdict)


def _is_running(skill: Skill, layers: Layers) -> bool:
    """Whether the window works on this very skill: the same start may be told by two events."""
    effort = layers.effort
    return effort is not None and layers.session is not None and effort.skill.casefold() == skill.name.casefold()


def _starts_effort(skill: Skill, layers: Layers) -> bool:
    """A tool among skills, such as one that reads a kind of file, must not take a window away from its effort."""
    if skill.path and skill.tier != PLAIN_TIER:
        return True
    declares = bool(skill.phases or skill.templates or skill.next_skills or skill.directives or skill.modes)
    return not declares and layers.session is None


def _describe_run(run: SkillRun, facts: Facts) -> str:
    effort = facts.layers.effort
    resumed = effort is not None and effort.skill.casefold() == run.skill.name.casefold()
    verb = "goes on as" if resumed else "is now"
    parts = (
        f"The skill {run.skill.name} {verb} an effort of the task {run.task}. Log what you do as you go. Type:\n"
        f"{LOG_COMMAND}",
        describe_skill(run.skill, effort if resumed else None),
        describe_files(list_skill_files(run.skill), facts.skill_texts, "Read its files:"),
    )
    return "\n\n".join(part for part in parts if part)
