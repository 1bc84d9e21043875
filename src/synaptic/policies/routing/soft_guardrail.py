"""Ability calls that should not happen here."""

from fnmatch import fnmatchcase
from typing import Annotated

from synaptic.model.decision import Kind, Verdict
from synaptic.model.event import Event, PreAbilityCall, SessionStop
from synaptic.model.result import BLOCKED_ERROR, HookResult
from synaptic.policies.base import MORE, Policy
from synaptic.policies.facts import Facts


class SoftGuardrail(Policy):
    """Ability calls that would change what must not be changed from here.

    ## What it does
    Before an ability call, looks at the environment of the context, the ability's id and its operation key. One that
    is blocked everywhere, or that writes in a protected environment, is answered with a message and the error
    `blocked_by_policy`, whoever calls it: an agent, CI or cron. When a session stops, it names changed files that
    deserve a second look.
    ## Why
    What must not run belongs in one place, not into every ability's description.
    ## Known gaps
    It believes the context: an ability that writes without saying so in its operation key is not recognised.
    """

    id = "routing.soft-guardrail"
    events = (PreAbilityCall, SessionStop)
    priority = 28
    preset = "routing"
    needs = ("payload",)

    blocked: Annotated[tuple[str, ...], MORE] = ()
    """Ability ids or operation keys that are never called, as globs."""
    protected: Annotated[tuple[str, ...], MORE] = ("production", "prod")
    """Environments in which nothing is written."""
    writing: Annotated[tuple[str, ...], MORE] = (
        "*.delete*", "*.drop*", "*.destroy*", "*.write*", "*.deploy*", "*.migrate*", "*.restore*", "*.purge*",
    )  # fmt: skip
    """Operation keys that write, as globs."""
    allowed: tuple[str, ...] = ()
    """Ability ids or operation keys that are never blocked: low risk, or checked elsewhere."""
    sensitive: Annotated[tuple[str, ...], MORE] = ()
    """Changed files that are named when a session stops, as globs."""

    def check(self, event: Event, facts: Facts) -> Verdict | None:
        if isinstance(event, SessionStop):
            return self._name_sensitive_files(event)
        if not isinstance(event, PreAbilityCall) or self._matches_call(self.allowed, event):
            return None
        if self._matches_call(self.blocked, event):
            return _block_call(f"The ability {event.ability_id} is blocked here.")
        where = facts.payload.get("environment")
        if where in self.protected and _matches_any(self.writing, event.operation_key):
            return _block_call(f"This ability would write to {where}. In this environment, it is blocked.")
        return None

    def _matches_call(self, globs: tuple[str, ...], event: PreAbilityCall) -> bool:
        return _matches_any(globs, event.ability_id) or _matches_any(globs, event.operation_key)

    def _name_sensitive_files(self, event: SessionStop) -> Verdict | None:
        found = [path for path in event.changed_files if _matches_any(self.sensitive, path)]
        if not found:
            return None
        message = f"Changed files that deserve a second look: {', '.join(found[:10])}"
        return Verdict(messages=(message,), result=HookResult(messages_to_user=(message,)))


def _block_call(message: str) -> Verdict:
    result = HookResult(messages_to_user=(message,), error=BLOCKED_ERROR)
    return Verdict(says=Kind.DENY, reason=f"{BLOCKED_ERROR}: {message}", messages=(message,), result=result)


def _matches_any(globs: tuple[str, ...], text: str) -> bool:
    return bool(text) and any(fnmatchcase(text, glob) for glob in globs)
