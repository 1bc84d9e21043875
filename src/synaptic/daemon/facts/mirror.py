"""Whether the files that show the sections are as the engine wrote them."""

from collections.abc import Mapping

from synaptic.daemon import mirror
from synaptic.daemon.facts.base import Gatherer, Means
from synaptic.model.call import Call
from synaptic.model.sane import Mirrored


async def mirrored(call: Call, means: Means) -> Mirrored:
    """One stat a file while they are unchanged."""
    return mirror.look(means.store, call.root) if call.root else Mirrored()


FACTS: Mapping[str, Gatherer] = {"mirror": mirrored}
