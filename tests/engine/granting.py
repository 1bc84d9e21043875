"""An exception as a person makes it, written straight into the store: verbs have tests of their own."""

import re
import time
from collections.abc import Sequence
from typing import Any

import msgspec

from synaptic.model.call import Answer
from synaptic.model.grant import Grant
from synaptic.store import grants, refused
from synaptic.store.db import Store
from synaptic.store.grants import StoredGrant
from synaptic.store.refused import RefusedCall
from tests.daemon.setting import Setting, output

CODE = re.compile(r"synaptic allow ([2-9a-hj-km-np-z]+)\]")
RESET = "git reset --hard"


def read_code(answer: Answer) -> str:
    """The handle in what the agent was told; empty where there is none."""
    said = output(answer).get("hookSpecificOutput", {}).get("permissionDecisionReason", "")
    found = CODE.search(said)
    return found[1] if found else ""


def read_decision(answer: Answer) -> str:
    return str(output(answer).get("hookSpecificOutput", {}).get("permissionDecision", ""))


def find_refused(setting: Setting, code: str) -> RefusedCall:
    store = Store.open(setting.home)
    try:
        (found,) = refused.find_by_code(store, code)
        return found
    finally:
        store.close()


def make_grants(found: RefusedCall, **changes: Any) -> list[Grant]:
    """One for each verdict that keeps the call from running."""
    return [
        msgspec.structs.replace(
            Grant(
                id=grants.make_grant_id(), at=time.time(), policy=act.policy, options=act.options,
                fingerprint=act.fingerprint, stakes=act.stakes, shown=found.subject.shown,
            ),
            **changes,
        )
        for act in found.subject.acts
    ]  # fmt: skip


def allow(setting: Setting, answer: Answer, **changes: Any) -> list[str]:
    """Lift what was refused; the ids of the exceptions."""
    return put(setting, make_grants(find_refused(setting, read_code(answer)), **changes))


def put(setting: Setting, made: Sequence[Grant]) -> list[str]:
    store = Store.open(setting.home)
    try:
        grants.add_grants(store, made)
    finally:
        store.close()
    return [one.id for one in made]


def allow_like(setting: Setting, answer: Answer, like: str, **changes: Any) -> list[str]:
    """Lift it for all calls of one shape."""
    subject = changes.pop("subject", like.partition(" ")[0])
    return allow(setting, answer, fingerprint="", stakes="", like=like, subject=subject, scope="always", **changes)


def list_stored(setting: Setting) -> tuple[StoredGrant, ...]:
    store = Store.open(setting.home)
    try:
        return grants.list_grants(store)
    finally:
        store.close()
