"""Cursor: one word of permission."""

from tests.agents.readers import Heard, read_known

from synaptic.model.call import Answer


def hear(event: str, answer: Answer) -> Heard:
    """An entry that fails closed takes an empty stdout for a failure."""
    assert answer.stdout
    words = ("permission", "user_message", "agent_message", "updated_input")
    body = read_known(answer, *words, "additional_context", "continue", "followup_message")
    word = body.get("permission")
    assert word != "ask" or event in ("beforeShellExecution", "beforeMCPExecution"), "nobody is asked, the call runs"
    small = event.startswith("before") and event != "beforeSubmitPrompt"
    assert not small or not {"updated_input", "additional_context"} & body.keys()
    return Heard(
        blocked=word == "deny" or body.get("continue") is False or "followup_message" in body,
        asked=word == "ask",
        allowed=word == "allow" and "updated_input" not in body,
        reason=body.get("user_message", body.get("followup_message", "")),
        input=body.get("updated_input"),
        context=body.get("additional_context", ""),
    )
