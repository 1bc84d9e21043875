"""What belongs to a session besides its project."""

from collections.abc import Mapping

from synaptic.facts.gather import EngineMeans, Gatherer
from synaptic.model.call import Call
from synaptic.model.errors import StoreError
from synaptic.store import workspaces


def gather_extra_roots(call: Call, means: EngineMeans) -> tuple[str, ...]:
    """Folders that the user added to the session beside its project."""
    try:
        return workspaces.read_added_folders(means.store, call.event.session_id)
    except StoreError:
        return ()


FACTS: Mapping[str, Gatherer] = {"extra_roots": gather_extra_roots}
