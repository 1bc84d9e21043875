"""What a YAML hook answers: structured hints for an orchestrator, extended tolerantly."""

from typing import Any

import msgspec

Items = tuple[dict[str, Any], ...]
BLOCKED_ERROR = "blocked_by_policy"
"""The error by which a hook asks to block, from whichever hook it comes. It is a result, no failure."""


class HookResult(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The result model of a handler; keys nobody knows are kept per hook in `extra`."""

    logs: Items = ()
    messages_to_user: tuple[str, ...] = ()
    suggested_abilities: Items = ()
    suggested_documents: Items = ()
    new_intent: dict[str, Any] | None = None
    intents: Items = ()
    """Every intent that was emitted when several hooks did; the first is `new_intent`."""
    follow_up_actions: Items = ()
    usage_recorded: bool = False
    error: str = ""
    extra: dict[str, Any] = {}
