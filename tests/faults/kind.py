"""One kind of fault: a small function with a name, and what it excuses."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.faults.step import Step

EXCUSES = {
    "unchecked": "the engine cannot start: an open fail policy lets the call pass, and says so",
    "unheard": "the engine could not be heard: before an act the call is refused, after it it passes; it says so",
    "unwritten": "the disk fails: the answer says that it is not in the journal",
    "effects": "a file of the project may miss its line, never have it twice",
    "hooks": "the hook itself was hit: what it would have done may be missing, never be there twice",
    "strangers": "who has sent an event cannot be looked at: it changes nothing",
    "traces": "the daemon's log may name what failed",
    "reset": "this call need not be stopped",
    "write": "this call need not be stopped",
    "guarded": "this call need not be stopped",
}
"""What a fault may excuse for the calls that are made while it lasts; afterwards nothing is excused."""


@dataclass(frozen=True)
class Kind:
    """A fault that can be injected."""

    name: str
    inject: "Callable[[Step], None]"
    excuses: frozenset[str] = frozenset()
    rare: int = 1
    """It is dealt every so many rounds: those that wait for seconds would take all the time."""
    loses: str = ""
    """The file with which things that were written may be lost; that must be told then."""
    off: str = ""
    """The file that cannot be read: what it has switched on may be off while that is told."""
    needs_disk: bool = False
    fail: str = "open"
    note: str = ""


KINDS: dict[str, Kind] = {}


def kind(name: str, *excuses: str, **options: object) -> "Callable[[Callable[[Step], None]], Callable[[Step], None]]":
    """Enter a function in the table of kinds."""
    if unknown := set(excuses) - set(EXCUSES):
        raise ValueError(f"no such excuse: {unknown}")

    def enter(inject: "Callable[[Step], None]") -> "Callable[[Step], None]":
        if name in KINDS:
            raise ValueError(f"two kinds are called {name}")
        note = " ".join((inject.__doc__ or "").split())
        KINDS[name] = Kind(name, inject, frozenset(excuses), note=note, **options)  # type: ignore[arg-type]
        return inject

    return enter
