"""Whether the files that show the sections are as the engine wrote them."""

from collections.abc import Mapping

from synaptic.facts.gather import EngineMeans, Gatherer
from synaptic.model.call import Call
from synaptic.model.event import PreToolUse
from synaptic.model.sane import MirroredFiles
from synaptic.store import mirror


async def gather_mirror(call: Call, means: EngineMeans) -> MirroredFiles:
    """One stat a file while they are unchanged, and none before a tool runs: nobody goes by these files, and whoever
    changes one is found out right after it."""
    if not call.root:
        return MirroredFiles()
    look = mirror.recall_mirror if isinstance(call.event, PreToolUse) else mirror.inspect_mirror
    return look(means.store, call.root)


FACTS: Mapping[str, Gatherer] = {"mirror": gather_mirror}
