"""Amp: an exit code and stderr."""

from tests.agents.readers import Heard

from synaptic.model.call import Answer


def hear(event: str, answer: Answer) -> Heard:
    assert not answer.stdout
    text = answer.stderr.decode().strip()
    return Heard(blocked=answer.exit >= 2 and bool(text), asked=answer.exit == 1, allowed=answer.exit == 0, reason=text)
