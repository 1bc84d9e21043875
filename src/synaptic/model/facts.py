"""What a policy may know beyond its event: gathered once per event, handed over frozen."""

import msgspec

from synaptic.model.state import State


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """Every fact has a default, so a policy is tested with only those it needs."""

    root: str = ""
    """The project's root."""
    home: str = ""
    """The user's home folder."""
    now: float = 0.0
    """Seconds since the epoch, when the event arrived."""
    agent: str = "claude"
    extra_roots: tuple[str, ...] = ()
    """Folders the user added to the workspace."""
    state: State = State()
    """Sections named in `needs`, as `project:NAME` or `session:NAME`."""
