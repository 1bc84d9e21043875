"""Exceptions: made by a person for one refusal, looked at, taken back. Agents may look."""

import time
from collections.abc import Sequence
from typing import ClassVar

import msgspec

from synaptic.model.errors import LayerError
from synaptic.model.grant import Grant, GrantScope, RefusedAct
from synaptic.model.text import to_utf8
from synaptic.pipeline.lifting import is_liftable
from synaptic.pipeline.likeness import covers_command, covers_paths
from synaptic.store import grants, refused
from synaptic.store.db import Store
from synaptic.store.grants import StoredGrant
from synaptic.store.refused import RefusedCall
from synaptic.work.command import Command, CommandContext
from synaptic.work.consent import obtain_yes, read_grants_config
from synaptic.work.coverage import LikePreview, check_like, preview_like, read_past_call, suggest_like
from synaptic.work.refused_calls import find_refusal

ONCE_SECONDS = 3600.0
"""A yes to one call that nobody makes within the hour was for a moment that is over."""
SESSION_SECONDS = 7 * 86400.0
LONGEST_SECONDS = 366 * 86400.0
MOST_CHARS = 500
LASTING: tuple[GrantScope, ...] = ("until", "here", "always")
"""Those that count for calls that come later: what they would lose then, nobody knows now."""


class Allowed(msgspec.Struct, frozen=True, kw_only=True):
    """What was allowed."""

    code: str
    shown: str
    agent: str
    root: str
    cwd: str
    grants: tuple[Grant, ...]
    suggestion: str = ""
    """A pattern that would also cover what was refused beside it."""


class GrantTerms(msgspec.Struct, frozen=True, kw_only=True):
    """How far a yes to one refusal reaches."""

    scope: GrantScope = "once"
    seconds: float = 0.0
    """For `until`: how long."""
    because: str = ""
    granted_by: str = ""
    """Who has said yes, and how that is known."""


class LikeQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """A refusal, as a person is shown it before they allow more than one call."""

    mark: str
    """What names this refusal and no other."""
    code: str
    shown: str
    policies: tuple[str, ...]
    root: str
    cwd: str
    has_stakes: bool
    """Whether what would be lost is looked at, and would not be any more."""
    preview: LikePreview | None = None
    suggestion: str = ""


class AllowCall(Command[Allowed], frozen=True, kw_only=True):
    """Make an exception to what refused a call, or asked about it: one for each of its policies."""

    method: ClassVar[str] = "grants.allow"
    people_only: ClassVar[str] = "make exceptions"
    needs_authority: ClassVar[bool] = True
    may_block: ClassVar[bool] = True

    refusal: str
    """Its handle, the number of its event, or its call."""
    scope: GrantScope = "once"
    """How far it reaches: `once`, `session`, `until`, `here` or `always`."""
    seconds: float = 0.0
    """For `until`: how long."""
    like: str = ""
    """A pattern; without one the exception covers this very call."""
    because: str = ""
    """Why; it is kept with it."""
    pin: str = ""
    """Where it cannot be seen that a person asks; it is kept nowhere."""

    def run(self, context: CommandContext) -> Allowed:
        one = find_refusal(context.require_durable_store(), self.refusal)
        require_grantable(one, read_grants_config(context.home).never)
        now = time.time()
        terms = GrantTerms(scope=self.scope, seconds=self.seconds, because=self.because)
        wanted = make_grants(one, terms, now)
        if self.like:
            like = check_like(self.like, read_past_call(context.store, one))
            wanted = tuple(_bind_pattern(grant, like.text, like.subject) for grant in wanted)
        yes = obtain_yes(context, self.pin)  # last: nobody is asked for a PIN for what cannot be
        made = tuple(msgspec.structs.replace(grant, granted_by=yes) for grant in wanted)
        keep_grants(context.store, one, made, now)
        return _describe_allowed(context.store, one, made)


class PreviewCall(Command[LikeQuestion], frozen=True, kw_only=True):
    """What an exception would be about, and what of the past a pattern would cover. Nothing is written."""

    method: ClassVar[str] = "grants.preview"
    may_block: ClassVar[bool] = True

    refusal: str
    """Its handle, the number of its event, or its call."""
    like: str = ""
    """A pattern that somebody thinks of."""

    def run(self, context: CommandContext) -> LikeQuestion:
        one = find_refusal(context.store, self.refusal)
        require_grantable(one, read_grants_config(context.home).never)
        call = read_past_call(context.store, one) if self.like else None
        preview = preview_like(context.store, one, check_like(self.like, call)) if call else None
        return LikeQuestion(
            mark=one.mark,
            code=one.code,
            shown=one.subject.shown,
            policies=one.policies,
            root=one.subject.root,
            cwd=one.subject.cwd,
            has_stakes=any(act.stakes for act in one.subject.acts),
            preview=preview,
            suggestion=_suggest(context.store, one),
        )


class ListGrants(Command[tuple[StoredGrant, ...]], frozen=True, kw_only=True):
    """Exceptions that are in force, the newest first."""

    method: ClassVar[str] = "grants.list"

    all: bool = False
    """Also those that are over, used up or taken back."""

    def run(self, context: CommandContext) -> tuple[StoredGrant, ...]:
        now = time.time()
        return tuple(
            one for one in grants.list_grants(context.store) if self.all or describe_state(one, now) == "in force"
        )


class ShowGrant(Command[StoredGrant], frozen=True, kw_only=True):
    """One exception."""

    method: ClassVar[str] = "grants.show"

    id: str
    """Its id, or the beginning of it that no other one has."""

    def run(self, context: CommandContext) -> StoredGrant:
        return _find_grant(context.store, self.id)


class RevokeGrants(Command[tuple[StoredGrant, ...]], frozen=True, kw_only=True):
    """Take exceptions back: calls that rest on them are refused from now on."""

    method: ClassVar[str] = "grants.revoke"
    people_only: ClassVar[str] = "take exceptions back"

    id: str = ""
    """Its id, or the beginning of it that no other one has."""
    all: bool = False
    """All that are in force."""

    def run(self, context: CommandContext) -> tuple[StoredGrant, ...]:
        store, now = context.require_durable_store(), time.time()
        if self.all == bool(self.id):
            raise LayerError("VALIDATION_ERROR", "name one exception, or all of them")
        wanted = grants.list_grants(store) if self.all else (_find_grant(store, self.id),)
        over = [one for one in wanted if describe_state(one, now) != "in force"]
        if self.id and over:
            raise LayerError("OVER", f"exception {over[0].grant.id} is {describe_state(over[0], now)} already")
        going = tuple(one for one in wanted if one not in over)
        grants.revoke_grants(store, [one.grant.id for one in going], now)
        return going


def describe_state(one: StoredGrant, now: float) -> str:
    """Whether an exception counts, or why it does not."""
    grant = one.grant
    if grant.revoked:
        return "taken back"
    if grant.scope == "once" and grant.used_by:
        return "used up"
    return "over" if grant.expires and now >= grant.expires else "in force"


def make_grants(one: RefusedCall, terms: GrantTerms, now: float) -> tuple[Grant, ...]:
    """One exception for each policy of a refusal. Raises LayerError for a reach that it cannot have."""
    return tuple(_make_grant(one, act, terms, now) for act in one.subject.acts)


def keep_grants(store: Store, one: RefusedCall, made: Sequence[Grant], now: float) -> None:
    """Write them down, and that the refusal is answered: a call that waits for it goes on. Raises StoreError."""
    _replace_same(store, made, now)
    refused.answer_refused(store, [one.mark], "allowed", now)


def _make_grant(one: RefusedCall, act: RefusedAct, terms: GrantTerms, now: float) -> Grant:
    """For this very call. What would be lost is held to where the call is near; what lasts goes on without."""
    return Grant(
        id=grants.make_grant_id(),
        at=now,
        policy=act.policy,
        options=act.options,
        scope=terms.scope,
        fingerprint=act.fingerprint,
        stakes="" if terms.scope in LASTING else act.stakes,
        root=_choose_root(terms.scope, one),
        session=_require_session(one) if terms.scope == "session" else "",
        expires=_choose_end(terms.scope, terms.seconds, now),
        shown=one.subject.shown,
        because=to_utf8(terms.because.strip()[:MOST_CHARS]),
        granted_by=terms.granted_by,
    )


def require_grantable(one: RefusedCall, never: Sequence[str]) -> None:
    """Raises LayerError where nobody can make an exception."""
    for act in one.subject.acts:
        if not act.is_grantable or not is_liftable(act.policy, never):
            named = "" if is_liftable(act.policy, ()) else " (no one can)"
            why = f"nobody can make an exception to {act.policy}{named or ': your config says so'}"
            hint = "" if named else "[grants] never"
            raise LayerError("NEVER_ALLOWED", why, where=one.code, hint=hint)
    if not one.subject.acts:
        raise LayerError("NEVER_ALLOWED", "nobody can make an exception to this refusal", where=one.code)


def _choose_root(scope: GrantScope, one: RefusedCall) -> str:
    if scope == "always":
        return ""
    if scope == "here" and not one.subject.root:
        hint = "synaptic allow ... --session, or --for 1h"
        raise LayerError("NO_PROJECT", "the call was made in no project", where=one.subject.cwd, hint=hint)
    return one.subject.root


def _require_session(one: RefusedCall) -> str:
    if not one.session:
        raise LayerError("NO_SESSION", f"{one.agent} names no session of its own", hint="synaptic allow ... --for 1h")
    return one.session


def _choose_end(scope: GrantScope, seconds: float, now: float) -> float:
    if scope != "until":
        if seconds:
            raise LayerError("VALIDATION_ERROR", "`seconds` is for exceptions that last for a time")
        return now + {"once": ONCE_SECONDS, "session": SESSION_SECONDS}[scope] if scope not in LASTING else 0.0
    if not 1 <= seconds <= LONGEST_SECONDS:  # no number at all is none of these
        raise LayerError("VALIDATION_ERROR", "an exception lasts between a second and a year")
    return now + seconds


def _bind_pattern(grant: Grant, like: str, subject: str) -> Grant:
    """For calls of one shape: what other calls would lose is not what this one would."""
    return msgspec.structs.replace(grant, fingerprint="", stakes="", like=like, subject=subject)


def _replace_same(store: Store, made: Sequence[Grant], now: float) -> None:
    """Allowed twice is allowed once more, not two times: what the same words have made before goes."""
    same = {_name_extent(grant) for grant in made}
    before = [one.grant.id for one in grants.list_grants(store) if _name_extent(one.grant) in same]
    grants.add_grants(store, made)
    grants.revoke_grants(store, before, now)


def _name_extent(grant: Grant) -> tuple[str, ...]:
    named = (grant.policy, grant.options, grant.scope, grant.fingerprint, grant.stakes, grant.like)
    return (*named, grant.subject, grant.root, grant.session)


def _suggest(store: Store, one: RefusedCall) -> str:
    """A pattern, where another call that was refused would be covered by it."""
    try:
        call = read_past_call(store, one)
    except LayerError:
        return ""
    like = suggest_like(call)
    others = (other for other in refused.list_refused(store) if other.mark != one.mark and _is_beside(other, one))
    return like if like and any(_covers_shown(like, other) for other in others) else ""


def does_pattern_cover(grant: Grant, call: RefusedCall) -> bool:
    """Whether an exception for calls of one shape is also for this one, as far as what is shown of it tells."""
    return bool(grant.like) and _covers_shown(grant.like, call)


def _is_beside(other: RefusedCall, one: RefusedCall) -> bool:
    return other.subject.tool == one.subject.tool and not set(other.policies).isdisjoint(one.policies)


def _covers_shown(like: str, other: RefusedCall) -> bool:
    shown = other.subject.shown
    return covers_command(like, shown) or covers_paths(like, [shown.removeprefix(f"{other.subject.root}/")])


def _describe_allowed(store: Store, one: RefusedCall, made: tuple[Grant, ...]) -> Allowed:
    return Allowed(
        code=one.code,
        shown=one.subject.shown,
        agent=one.agent,
        root=one.subject.root,
        cwd=one.subject.cwd,
        grants=made,
        suggestion="" if made[0].like else _suggest(store, one),
    )


def _find_grant(store: Store, named: str) -> StoredGrant:
    name = named.strip().lower()
    found = [one for one in grants.list_grants(store) if name and one.grant.id.startswith(name)]
    exact = [one for one in found if one.grant.id == name] or found
    if len(exact) == 1:
        return exact[0]
    why = f"{len(exact)} exceptions begin with" if exact else "there is no exception"
    raise LayerError("NOT_FOUND", f"{why} `{named}`", hint="synaptic grants list --all")
