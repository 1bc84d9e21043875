"""Exceptions as a person would make them, without the verb that asks whether it is one."""

import time
from contextlib import closing

from synaptic.model.grant import Grant, GrantScope
from synaptic.model.home import Home
from synaptic.store import grants, refused
from synaptic.store.db import Store


def make_exceptions(home: Home, code: str, scope: GrantScope = "once", **more: object) -> tuple[Grant, ...]:
    """Lift everything that the refusal of this code names, and write that down as the engine would."""
    with closing(Store.open(home)) as store:
        (found,) = refused.find_by_code(store, code)
        made = tuple(
            Grant(
                **{
                    "id": grants.make_grant_id(),
                    "at": time.time(),
                    "policy": act.policy,
                    "options": act.options,
                    "scope": scope,
                    "fingerprint": act.fingerprint,
                    "stakes": act.stakes,
                    "root": found.subject.root,
                    "shown": found.subject.shown,
                    "granted_by": "a person at a terminal",
                    **more,
                }
            )
            for act in found.subject.acts
        )
        grants.add_grants(store, made)
        return made
