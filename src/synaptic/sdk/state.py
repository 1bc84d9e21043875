"""What a policy of one's own remembers between events: typed sections, changed by what a verdict says."""

from typing import ClassVar, dataclass_transform

import msgspec

from synaptic.model.outside import StateScope
from synaptic.model.state import Change
from synaptic.runners.policy_wire import OWN_SECTION


@dataclass_transform(frozen_default=True, kw_only_default=True)
class _Frozen(msgspec.StructMeta):
    """Tells type checkers what msgspec does anyway."""


class State(msgspec.Struct, metaclass=_Frozen, frozen=True, kw_only=True):
    """A section of a policy's own. Every field has a default: that is how it is before anything happened."""

    scope: ClassVar[StateScope] = "project"
    """Whose it is: of a project, or of one session of an agent."""


def keep(value: State) -> Change:
    """From now on the section is this."""
    return Change(section=_name_section(type(value)), clear=True, put=msgspec.to_builtins(value))


def add(kind: type[State], **amounts: float) -> Change:
    """Numbers of the section grow by these. Two events at once both count."""
    return Change(section=_name_section(kind), add=amounts)


def forget(kind: type[State]) -> Change:
    """The section is as it was before anything happened."""
    return Change(section=_name_section(kind), clear=True)


def _name_section(kind: type[State]) -> str:
    return f"{OWN_SECTION}{kind.__name__}"
