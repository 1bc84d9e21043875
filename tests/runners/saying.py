"""One answer of one hook, in a line."""

import json

from synaptic.runners.dialect import interpret_output
from synaptic.runners.output import ProcessOutput
from tests.runners.making import make_event, make_hook


def say(answer, protocol="decision", event="PreToolUse", exit=0, stderr="", **hook):
    text = answer if isinstance(answer, str) else json.dumps(answer)
    output = ProcessOutput(text.encode(), stderr.encode(), exit)
    return interpret_output(make_hook(protocol=protocol, **hook), make_event(event), output)


def specific(event="PreToolUse", **fields):
    return {"hookSpecificOutput": {"hookEventName": event, **fields}}
