"""Policies of one's own: what a file in `~/.synaptic/policies` imports."""

from synaptic.model.decision import Verdict, advise, allow, ask, deny, record, rewrite
from synaptic.model.event import (
    CwdChanged,
    Event,
    Notification,
    PermissionRequest,
    PostAbilityCall,
    PostCompact,
    PostToolBatch,
    PostToolUse,
    PostToolUseFailure,
    PreAbilityCall,
    PreCompact,
    PreToolUse,
    SessionEnd,
    SessionStart,
    Stop,
    SubagentStart,
    SubagentStop,
    TaskCompleted,
    TaskCreated,
    UserPromptSubmit,
)
from synaptic.policies.base import FEWER, LOWER, MORE, ON
from synaptic.sdk.facts import Facts, OwnFact, fact
from synaptic.sdk.policy import Policy, policy
from synaptic.sdk.state import State, add, forget, keep

__all__ = [
    "FEWER", "LOWER", "MORE", "ON", "CwdChanged", "Event", "Facts", "Notification", "OwnFact", "PermissionRequest",
    "Policy", "PostAbilityCall", "PostCompact", "PostToolBatch", "PostToolUse", "PostToolUseFailure", "PreAbilityCall",
    "PreCompact", "PreToolUse", "SessionEnd", "SessionStart", "State", "Stop", "SubagentStart", "SubagentStop",
    "TaskCompleted", "TaskCreated", "UserPromptSubmit", "Verdict", "add", "advise", "allow", "ask", "deny", "fact",
    "forget", "keep", "policy", "record", "rewrite",
]  # fmt: skip
