"""Cline: one JSON object; exit codes mean nothing."""

import re

from tests.agents.readers import Heard, read_known

from synaptic.model.call import Answer

REFUSING = re.compile(r"printf '%s\\n' '(?P<why>.*)'; exit 1", re.DOTALL)


def hear(event: str, answer: Answer) -> Heard:
    """Nobody waits for anything but tool calls; a refusing command is the only refusal of one call."""
    body = read_known(answer, "cancel", "errorMessage", "context", "overrideInput")
    assert not body or "tool" in event.lower(), "nobody reads this"
    if body.get("cancel"):
        assert body.keys() == {"cancel", "errorMessage"}, "the rest would be lost"
        return Heard(blocked=True, reason=body["errorMessage"])
    new = body.get("overrideInput")
    found = REFUSING.fullmatch(new["commands"][0]) if new and list(new) == ["commands"] else None
    refused = found is not None and found["why"].startswith("BLOCKED: ")
    return Heard(
        blocked=refused,
        reason=found["why"] if refused and found else "",
        input=None if refused else new,
        context=body.get("context", ""),
    )
