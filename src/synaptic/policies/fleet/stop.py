"""The agent's turn has ended."""

from synaptic.model.decision import Verdict
from synaptic.model.event import Stop, StopFailure
from synaptic.model.layers import Restart, SetStatus
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.fleet.handled import HandlerResult, build_result
from synaptic.policies.fleet.orders import build_resume_prompt
from synaptic.policies.fleet.standing import build_status
from synaptic.policies.fleet.transcript import detect_exhaustion

RATE_LIMIT_NOTE = "rate limit: the agent cannot go on before it is lifted"
CONTEXT_FULL_NOTE = "the context is exhausted: clear it or start the agent again, and the effort goes on"
HANDED_OVER_NOTE = "it has handed over: clear its context or start it again, and the effort goes on"


class TurnEnd(Policy):
    """A turn that has ended, well or because the agent could not go on.

    ## What it does
    Marks the agent as done. A turn that a rate limit ended needs attention, one that failed is an error. When the
    context is exhausted, or the agent has handed over to its next window, the agent's supervisor is asked to start it
    again; without one, a person is.
    ## Why
    Done and stuck look the same from outside.
    ## Known gaps
    What ended a turn is known from the end of the transcript, as far as the agent writes it there.
    """

    id = "fleet.stop"
    events = (Stop, StopFailure)
    priority = 80
    preset = "fleet"
    needs = ("layers", "agent_name", "exhaustion", "supervised", "handed_over")
    recheck = False

    def handle(self, event: Stop | StopFailure, facts: Facts) -> HandlerResult:
        ended = _find_exhaustion(event, facts)
        restart = _request_restart(event, facts) if ended == "context" or facts.handed_over else None
        changed = _choose_status(event, facts, ended, restart)
        answer = {"agentUpdated": changed is not None, "exhaustion": ended, "restartRequested": restart is not None}
        return build_result(answer, changed, restart)

    def check(self, event: Stop | StopFailure, facts: Facts) -> Verdict | None:
        return self.handle(event, facts).verdict


def _find_exhaustion(event: Stop | StopFailure, facts: Facts) -> str:
    """The event's own words count before the transcript's."""
    if isinstance(event, StopFailure):
        said = f'"{event.error}" {event.error_details} {event.last_assistant_message}'
        return detect_exhaustion(said.encode("utf-8", "replace"))
    return facts.exhaustion


def _request_restart(event: Stop | StopFailure, facts: Facts) -> Restart | None:
    effort = facts.layers.effort
    if effort is None or effort.finished or not facts.supervised or not facts.agent_name or event.agent_id:
        return None
    return Restart(agent=facts.agent_name, prompt=build_resume_prompt(effort))


def _choose_status(event: Stop | StopFailure, facts: Facts, ended: str, restart: Restart | None) -> SetStatus | None:
    if ended == "rate-limit":
        return build_status(event, facts, "attention", RATE_LIMIT_NOTE)
    if (ended == "context" or facts.handed_over) and restart is None:
        return build_status(event, facts, "attention", CONTEXT_FULL_NOTE if ended else HANDED_OVER_NOTE)
    # An agent that is about to be started again needs nobody to look at its error.
    if isinstance(event, StopFailure) and restart is None:
        return build_status(event, facts, "error", event.error_details or event.last_assistant_message or event.error)
    return build_status(event, facts, "done")
