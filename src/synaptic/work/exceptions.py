"""Exceptions as people are told of them: which are in force in a project, and what one is about."""

import time
from collections.abc import Iterable
from datetime import datetime

from synaptic.model.grant import SCOPE_WORDS, Grant
from synaptic.store.db import Store
from synaptic.store.grants import StoredGrant, list_grants

UNKNOWN_TEXT = "nothing is known of it any more"
"""Its row was pruned, or is not as it was signed."""


def list_in_force(store: Store, root: str) -> tuple[StoredGrant, ...]:
    """Those that may count in a project: made for it, or for everywhere. Raises StoreError."""
    now = time.time()
    return tuple(one for one in list_grants(store) if one.grant.root in ("", root) and one.grant.is_in_force(now))


def describe_exceptions(store: Store, ids: Iterable[str]) -> dict[str, str]:
    """What is known of exceptions that a decision rests on: scope, who has made it, and why. Raises StoreError."""
    wanted = tuple(ids)
    if not wanted:
        return {}
    known = {one.grant.id: one.grant for one in list_grants(store)}
    return {name: _describe(known[name]) if name in known else UNKNOWN_TEXT for name in wanted}


def format_exceptions(count: int, start: str = "") -> str:
    """How many there are, and how they are looked at."""
    return f"{start}{count} exception{'' if count == 1 else 's'} in force here: synaptic grants list"


def format_date(at: float) -> str:
    return datetime.fromtimestamp(at).strftime("%Y-%m-%d %H:%M")


def _describe(grant: Grant) -> str:
    until = f" until {format_date(grant.expires)}" if grant.expires else ""
    covers = f" for all like `{grant.like}`" if grant.like else ""
    by = f", made by {grant.granted_by}" if grant.granted_by else ", made"
    revoked = f", taken back {format_date(grant.revoked)}" if grant.revoked else ""
    because = f", because: {grant.because}" if grant.because else ", without a reason"
    return (
        f"lifts {grant.policy} {SCOPE_WORDS[grant.scope]}{until}{covers}{by} {format_date(grant.at)}{revoked}{because}"
    )
