"""Gemini CLI: JSON on stdout; plain text on stderr with an exit code from 2 on."""

from tests.agents.readers import Heard, read_json

from synaptic.model.call import Answer


def hear(event: str, answer: Answer) -> Heard | None:
    body = read_json(answer)
    if body is None:  # plain text on stderr: exit codes from 2 on refuse
        text = answer.stderr.decode().strip()
        return Heard(blocked=answer.exit >= 2 and bool(text), reason=text)
    specific = body.get("hookSpecificOutput") or {}
    word = body.get("decision")
    assert word in (None, "allow", "deny"), "ask waits for ever where there is no terminal"
    assert specific.get("hookEventName", event) == event
    return Heard(
        blocked=word == "deny",
        reason=body.get("stopReason") or body.get("reason", ""),
        input=specific.get("tool_input") if event == "BeforeTool" else None,
        context=specific.get("additionalContext", "") if event != "BeforeTool" else "",
        user=body.get("systemMessage", ""),
    )
