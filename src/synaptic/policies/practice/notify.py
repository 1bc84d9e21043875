"""Desktop alerts when the agent waits for its user."""

from synaptic.model.decision import Verdict, record
from synaptic.model.errand import Alert
from synaptic.model.event import Notification
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts

SOUNDS = {"permission_prompt": "Ping", "idle_prompt": "Glass"}


class Notify(Policy):
    """An agent that waits and nobody notices.

    ## What it does
    On macOS, shows a desktop alert when the agent asks for permission or has nothing left to do.
    ## Why
    Whoever looks at another window should not find out an hour later.
    ## Known gaps
    Other systems show nothing.
    """

    id = "practice.notify"
    events = (Notification,)
    priority = 65
    preset = "practice"

    def check(self, event: Notification, facts: Facts) -> Verdict | None:
        sound = SOUNDS.get(event.notification_type)
        if sound is None:
            return None
        return record(Alert(event.title or "Synaptic", event.message or "The agent waits for you.", sound))
