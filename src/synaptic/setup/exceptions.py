"""What `doctor` says about exceptions: those that are wide, that lift nothing any more, and that nobody has signed."""

import time
from collections.abc import Iterator, Mapping
from contextlib import closing

from synaptic.hooks.catalog import HookCatalog
from synaptic.model.errors import StoreError
from synaptic.model.grant import Grant
from synaptic.model.home import Home
from synaptic.pipeline.lifting import digest_options
from synaptic.setup.doctor import DoctorFinding, StoreOpener
from synaptic.store import refused
from synaptic.store.db import Store
from synaptic.store.grants import StoredGrant, count_unsigned, list_grants

UNUSED_DAYS = 30
MOST_TOLD = 20
"""Exceptions with a line of their own."""
LASTING = ("until", "here", "always")


def check_exceptions(home: Home, catalog: HookCatalog, open_store: StoreOpener = Store.open) -> Iterator[DoctorFinding]:
    """Every exception that deserves a second look; without any exception there is nothing to say."""
    if not home.database.exists():
        return
    try:
        with closing(open_store(home)) as store:
            known = list_grants(store)
            unsigned = {"exceptions": count_unsigned(store), "refusals": refused.count_unsigned(store)}
    except StoreError as error:  # the database has a finding of its own; that nothing can be lifted is said here
        seen = f"they cannot be read, so none of them counts: {error}"
        yield DoctorFinding(check="exceptions", state="warn", seen=seen, fix=error.hint)
        return
    yield from _describe_unsigned(home, unsigned)
    yield from _judge_all(known, catalog)


def _describe_unsigned(home: Home, unsigned: Mapping[str, int]) -> Iterator[DoctorFinding]:
    for what, count in unsigned.items():
        if count:
            seen = f"{count} in {home.database} do not carry this installation's signature: they count for nothing"
            fix = "find out who wrote them, or whether the key is another one"
            yield DoctorFinding(check=what, state="warn", seen=seen, fix=fix)


def _judge_all(known: tuple[StoredGrant, ...], catalog: HookCatalog) -> Iterator[DoctorFinding]:
    now = time.time()
    digests = {hook.id: digest_options(hook) for hook in catalog.hooks} if known else {}
    in_force = [one for one in known if one.grant.is_in_force(now)]
    doubtful = [(one.grant, why) for one in in_force if (why := _find_doubts(one, now, (catalog.root, digests)))]
    for grant, why in doubtful[:MOST_TOLD]:
        where = f" in {grant.root}" if grant.root else ""
        seen = f"it lifts {grant.policy}{where}: {'; '.join(why)}"
        fix = f"synaptic grants revoke {grant.id}"
        yield DoctorFinding(check=f"exception {grant.id}", state="warn", seen=seen, fix=fix)
    if len(doubtful) > MOST_TOLD:
        seen = f"{len(doubtful) - MOST_TOLD} more deserve a second look"
        yield DoctorFinding(check="exceptions", state="warn", seen=seen, fix="synaptic grants list")
    elif in_force and not doubtful:
        seen = f"{len(in_force)} in force, none of them wide or forgotten"
        yield DoctorFinding(check="exceptions", state="ok", seen=seen)


def _find_doubts(one: StoredGrant, now: float, place: tuple[str, Mapping[str, str]]) -> list[str]:
    grant, (root, digests) = one.grant, place
    return [*_find_width(one, now), *(_find_loss(grant, digests) if grant.root in ("", root) else ())]


def _find_width(one: StoredGrant, now: float) -> Iterator[str]:
    grant = one.grant
    if grant.scope == "always" or not grant.root:
        yield "it counts in every project"
    if grant.like:
        yield f"it covers every call like `{grant.like}`"
    if not grant.expires and grant.scope in LASTING:
        yield "it never ends"
    if (days := int((now - max(grant.at, one.last_used)) // 86400)) >= UNUSED_DAYS:
        yield f"nobody has used it for {days} days"


def _find_loss(grant: Grant, digests: Mapping[str, str]) -> Iterator[str]:
    """Why it matches nothing in this project any more."""
    if grant.policy not in digests:
        yield "that policy is not on here, so it lifts nothing"
    elif digests[grant.policy] != grant.options:
        yield "that policy is set otherwise than it was then, so it lifts nothing"
