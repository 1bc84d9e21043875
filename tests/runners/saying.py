"""One answer of one hook, in a line."""

import json

from synaptic.runners.dialect import understand
from synaptic.runners.output import Output
from tests.runners.making import make_event, make_hook


def say(answer, protocol="decision", event="PreToolUse", exit=0, stderr="", **hook):
    text = answer if isinstance(answer, str) else json.dumps(answer)
    output = Output(text.encode(), stderr.encode(), exit)
    return understand(make_hook(protocol=protocol, **hook), make_event(event), output)


def specific(event="PreToolUse", **fields):
    return {"hookSpecificOutput": {"hookEventName": event, **fields}}
