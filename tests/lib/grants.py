"""What `synaptic allow` writes, without the verb."""

import time
from typing import Any

from synaptic.model.grant import Grant, RefusedAct
from synaptic.store.grants import make_grant_id


def grant_for(act: RefusedAct, **fields: Any) -> Grant:
    """An exception for one verdict about one call: once, unless something else is said."""
    named = {"policy": act.policy, "options": act.options, "fingerprint": act.fingerprint, "stakes": act.stakes}
    return Grant(id=make_grant_id(), at=time.time(), **{**named, **fields})
