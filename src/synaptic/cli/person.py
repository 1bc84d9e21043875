"""Whether a person typed a command: some things an agent may ask for and not do."""

import os

from synaptic.cli.state import AGENTS
from synaptic.model.errors import SynapticError


def by_a_person(what: str) -> None:
    """Raises where an agent's own shell says that it is one."""
    if found := next((name for name in AGENTS if os.environ.get(name)), ""):
        raise SynapticError(f"an agent may not {what} ({found} is set)", hint="type it in a terminal of your own")
