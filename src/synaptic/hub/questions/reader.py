"""The hub as whoever answers asks it: what waits on all machines, and a signature to each answer."""

import base64

import msgspec

from synaptic.hub.client import PersonClient
from synaptic.hub.wire import HostQuestion

MOST_QUESTIONS = 500


class AskedQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """One question of one host, as the hub says it, and what was answered that is on its way."""

    host: str
    question: HostQuestion
    says: str = ""
    person: str = ""


class HubReader(PersonClient):
    """One person's connection."""

    def list_questions(self) -> tuple[AskedQuestion, ...]:
        """Those whose call waits first, then the newest. Raises SynapticError."""
        found = self.ask("questions", list[AskedQuestion], limit=MOST_QUESTIONS)
        return tuple(sorted(found, key=lambda one: (not one.question.is_held, -one.question.at)))

    def post_answer(self, text: bytes, signature: str) -> None:
        """Raises SynapticError."""
        self.send("answers", msgspec.json.encode({"text": base64.b64encode(text).decode(), "signature": signature}))
