"""The user submits a prompt."""

from synaptic.model.decision import Verdict
from synaptic.model.event import UserPromptSubmit
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.fleet.context_line import format_context_line, format_heartbeat
from synaptic.policies.fleet.handled import HandlerResult
from synaptic.policies.fleet.standing import build_status


class PromptContext(Policy):
    """A prompt that reaches a model which does not know where it is.

    ## What it does
    Puts one line beside the prompt: time, task, skill, phase, heartbeat, and how full the context is. The agent is
    working from now on.
    ## Why
    In a long session the model forgets what the effort is and how far it has come.
    ## Known gaps
    How full the context is was true at the last tool call.
    """

    id = "fleet.user-prompt"
    events = (UserPromptSubmit,)
    priority = 60
    preset = "fleet"
    needs = ("layers", "agent_name")
    recheck = False

    def handle(self, event: UserPromptSubmit, facts: Facts) -> HandlerResult:
        effort, session = facts.layers.effort, facts.layers.session
        line = format_context_line(effort, session, facts.now) if effort else ""
        answer = {
            "sessionContext": line,
            "effortId": effort.id if effort else None,
            "sessionId": session.id if session else None,
            "taskDir": effort.task if effort else None,
            "skill": effort.skill if effort else None,
            "phase": (effort.phase or None) if effort else None,
            "heartbeat": format_heartbeat(effort, session),
        }
        changed = build_status(event, facts, "working")
        if not line and changed is None:
            return HandlerResult(answer)
        return HandlerResult(answer, Verdict(context=(line,) if line else (), effects=(changed,) if changed else ()))

    def check(self, event: UserPromptSubmit, facts: Facts) -> Verdict | None:
        return self.handle(event, facts).verdict
