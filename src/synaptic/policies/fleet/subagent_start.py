"""A sub-agent starts."""

from collections.abc import Iterator

import msgspec

from synaptic.model.decision import Verdict
from synaptic.model.event import SubagentStart
from synaptic.model.layers import Effort, OpenSession, Skill
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.fleet.handled import HandlerResult
from synaptic.policies.fleet.metadata import INTERNAL_KEYS
from synaptic.policies.fleet.orders import LOG_COMMAND

STANDARDS = frozenset({"COMMANDS.md", "INVARIANTS.md", "SIGILS.md"})
"""What the main agent is held to; a sub-agent has its task."""
LOG_TEMPLATES = ("logTemplate", "log")


class SubagentOpening(Policy):
    """A sub-agent that begins without knowing the effort it works for.

    ## What it does
    Opens a session of its own on the effort of its parent, whose session is not touched, and tells it where and how to
    log, which directives the effort has met, and what the effort's metadata says.
    ## Why
    A sub-agent's calls are its own: they must neither use up its parent's heartbeat nor set it back.
    ## Known gaps
    An agent that names no sub-agent in its events cannot be told apart from it.
    """

    id = "fleet.subagent-start"
    events = (SubagentStart,)
    priority = 60
    preset = "fleet"
    needs = ("layers", "agent_name")
    recheck = False

    def handle(self, event: SubagentStart, facts: Facts) -> HandlerResult:
        effort, session = facts.layers.effort, facts.layers.session
        if effort is None or effort.finished or not event.agent_id:
            return HandlerResult({"sessionId": None, "effortId": None})
        directives = [path for path in effort.directives if path.rpartition("/")[2] not in STANDARDS]
        template = _find_log_template(facts.layers.skill)
        # The engine's own keys are not for the model: what waits in them is told to the main agent.
        metadata = {key: value for key, value in effort.metadata.items() if key not in INTERNAL_KEYS}
        answer = {
            "sessionId": session.id if session else None,
            "effortId": effort.id,
            "logFile": effort.artifact_path("log"),
            "logTemplate": template or None,
            "directives": directives,
            "metadata": metadata,
        }
        context = "\n\n".join(_iter_context(effort, template, directives, metadata))
        opening = OpenSession(
            effort=effort.id,
            host=event.session_id,
            agent=facts.agent_name,
            subagent=event.agent_id,
            transcript=event.transcript_path,
        )
        return HandlerResult(answer, Verdict(context=(context,), effects=() if session else (opening,)))

    def check(self, event: SubagentStart, facts: Facts) -> Verdict | None:
        return self.handle(event, facts).verdict


def _find_log_template(skill: Skill | None) -> str:
    return next((skill.templates[name] for name in LOG_TEMPLATES if skill.templates.get(name)), "") if skill else ""


def _iter_context(effort: Effort, template: str, directives: list[str], metadata: dict[str, object]) -> Iterator[str]:
    yield f"You work for the effort {effort.skill} of the task {effort.task}, phase: {effort.phase or 'none'}."
    shape = f" Its entries look as in {template}." if template else ""
    yield f"Its log is {effort.artifact_path('log')}.{shape} Log what you find as you go. Type:\n{LOG_COMMAND}"
    if directives:
        yield "\n".join(("Directives to read before you work where they apply:", *(f"- {path}" for path in directives)))
    if metadata:
        yield f"What the effort knows: {msgspec.json.encode(metadata, enc_hook=str).decode()}"
