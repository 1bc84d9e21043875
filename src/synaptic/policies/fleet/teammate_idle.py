"""A teammate has nothing left to do."""

import msgspec

from synaptic.model.decision import Verdict
from synaptic.model.event import TeammateIdle
from synaptic.model.layers import Note, SetStatus, Signal
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.fleet.handled import HandlerResult, build_result


class TeammateRest(Policy):
    """A teammate that is idle while its coordinator waits for it.

    ## What it does
    Marks the teammate as done, tells the coordinator of its team, and keeps a message.
    ## Why
    Whoever hands out the work should know who is free.
    ## Known gaps
    A teammate is known by the name or label that its agent is registered under.
    """

    id = "fleet.teammate-idle"
    events = (TeammateIdle,)
    priority = 60
    preset = "fleet"
    needs = ("layers", "teammate", "coordinator")
    recheck = False

    def handle(self, event: TeammateIdle, facts: Facts) -> HandlerResult:
        session = facts.layers.session
        done = SetStatus(agent=facts.teammate, status="done") if facts.teammate else None
        told = f"{event.teammate_name} of the team {event.team_name} is idle."
        signal = Signal(agent=facts.coordinator, text=told) if facts.coordinator else None
        note = Note(session=session.id, role="system", content=_encode_note(event)) if session else None
        answer = {
            "agentUpdated": done is not None,
            "coordinatorSignalled": signal is not None,
            "messageLogged": note is not None,
        }
        return build_result(answer, done, signal, note)

    def check(self, event: TeammateIdle, facts: Facts) -> Verdict | None:
        return self.handle(event, facts).verdict


def _encode_note(event: TeammateIdle) -> str:
    told = {"event": "teammate_idle", "teammateName": event.teammate_name, "teamName": event.team_name}
    return msgspec.json.encode(told).decode()
