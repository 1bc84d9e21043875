"""A task of the agent's own list is completed."""

import msgspec

from synaptic.model.decision import Verdict
from synaptic.model.event import TaskCompleted
from synaptic.model.layers import Note
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.fleet.handled import HandlerResult, build_result


class TaskRecord(Policy):
    """A completed task that leaves no trace.

    ## What it does
    Keeps it as a message of the session. The agent's own tasks are not the tasks that efforts belong to: those, and the
    effort, stay as they are.
    ## Why
    What was done, when and by whom, can be looked up later.
    ## Known gaps
    Without a session there is nothing to keep it in.
    """

    id = "fleet.task-completed"
    events = (TaskCompleted,)
    priority = 60
    preset = "fleet"
    needs = ("layers",)
    recheck = False

    def handle(self, event: TaskCompleted, facts: Facts) -> HandlerResult:
        session = facts.layers.session
        note = Note(session=session.id, role="system", content=_encode_note(event)) if session else None
        return build_result({"messageLogged": note is not None}, note)

    def check(self, event: TaskCompleted, facts: Facts) -> Verdict | None:
        return self.handle(event, facts).verdict


def _encode_note(event: TaskCompleted) -> str:
    told = {
        "event": "task_completed",
        "taskId": event.task_id,
        "taskSubject": event.task_subject,
        "taskDescription": event.task_description,
        "teammateName": event.teammate_name,
        "teamName": event.team_name,
    }
    return msgspec.json.encode({key: value for key, value in told.items() if value}).decode()
