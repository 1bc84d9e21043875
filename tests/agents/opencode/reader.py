"""OpenCode: what our own plugin does with an answer."""

from tests.agents.readers import Heard, read_known

from synaptic.model.call import Answer


def hear(event: str, answer: Answer) -> Heard:
    body = read_known(answer, "deny", "args", "context", "message")
    heard = Heard(blocked="deny" in body, reason=body.get("deny", ""), user=body.get("message", ""))
    heard.input, heard.context = body.get("args"), body.get("context", "")
    return heard
