"""What every agent does in every situation, and the few that differ because they cannot do better."""

from collections.abc import Mapping

from tests.clients.kit.row import ABSENT, Row

USUAL: Row = {
    "without us": "ran",
    "allow": "ran",
    "deny": "denied, told",
    "rewrite": "rewritten",
    "ask": "denied, told",
    "advise": "told on PreToolUse",
    "push --force": "pushed with a lease",
    "... to main": "denied, told",
    "timeout": "ran, timeout noted",
    "timeout, strict": "denied, told",
    "daemon killed": "denied, told",
    "deny an edit": "denied, told",
    "prompt": "blocked",
    "stop": "kept on 5 times",
    "decided again": "as decided",
    "taken out": "as before",
}
LATER = {"advise": "told on PostToolUse"}
"""Advice that the agent would lose before a call waits until after it."""
SUGGESTED = {
    "rewrite": "denied, told what to run",
    "push --force": "denied, told what to run",
    "decided again": "as decided; what kit:instead made of the call is not in the journal",
}
"""The input of a call cannot be changed: what a script made of one is only in what the model was told."""
UNSTOPPABLE = {"stop": "n/a: it cannot be kept on"}
DIFFERENT: Mapping[str, Row] = {
    "gemini": LATER,
    "droid": {**LATER, "prompt": ABSENT},
    "qwen": {**LATER, **SUGGESTED},
    "opencode": {**LATER, **UNSTOPPABLE},
    "cline": {**UNSTOPPABLE, "prompt": ABSENT, "deny an edit": "denied, run ended, user told"},
}


def expected(agent: str) -> Row:
    return {**USUAL, **DIFFERENT.get(agent, {})}
