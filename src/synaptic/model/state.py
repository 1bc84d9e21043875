"""What is remembered between events: sections of plain values, each owned by a project or by a session."""

from collections.abc import Mapping

import msgspec

Section = Mapping[str, object]
SCOPES = ("project", "session")
EMPTY: Section = {}
FORGOTTEN = "forgotten"
"""The key under which a section with a limit counts what it has dropped."""


class State(msgspec.Struct, frozen=True):
    """The sections a policy asked for, by names such as `project:breaker`."""

    sections: Mapping[str, Section] = {}
    tampered: frozenset[str] = frozenset()
    """Sections whose signature is wrong: not believed, and no reason to relax anything."""
    known: bool = True
    """False where the store could not be read: the sections are what was last known, and no other blocks anybody."""

    def read_section(self, name: str) -> Section:
        """The values of a section; empty when nothing was ever written there."""
        return self.sections.get(name, EMPTY)

    def read_text(self, name: str, key: str) -> str:
        value = self.read_section(name).get(key)
        return value if isinstance(value, str) else ""

    def read_number(self, name: str, key: str) -> float:
        value = self.read_section(name).get(key)
        return value if isinstance(value, int | float) else 0

    def read_flag(self, name: str, key: str) -> bool:
        return self.read_section(name).get(key) is True

    def read_items(self, name: str, key: str) -> tuple[object, ...]:
        value = self.read_section(name).get(key)
        return tuple(value) if isinstance(value, list | tuple) else ()


def apply_change(before: Section, change: "Change") -> dict[str, object]:
    """A section after a change. Applied to what is stored then, so that two events at once both count."""
    after = {} if change.clear else dict(before)
    after.update(change.put)
    for key, amount in change.add.items():
        now = after.get(key)
        after[key] = (now if isinstance(now, int | float) else 0) + amount
    for key, item in change.append.items():
        now = after.get(key)
        kept = [*now, item] if isinstance(now, list | tuple) else [item]
        after[key] = kept[-change.keep :]
    for key in change.drop:
        after.pop(key, None)
    return _drop_oldest(after, change) if 0 < change.most < len(after) else after


def _drop_oldest(after: dict[str, object], change: "Change") -> dict[str, object]:
    """The newest keys of a section, those of this change last, and the number of those that are gone."""
    gone = after.pop(FORGOTTEN, 0)
    kept = [key for key in after if key not in change.add] + [key for key in after if key in change.add]
    newest = kept[-change.most :]
    count = (gone if isinstance(gone, int) else 0) + len(kept) - len(newest)
    return {FORGOTTEN: count, **{key: after[key] for key in newest}}


class Change(msgspec.Struct, frozen=True, kw_only=True, tag=True, omit_defaults=True):
    """One section changes, together with the event in the journal."""

    section: str
    """`project:NAME` or `session:NAME`."""
    clear: bool = False
    put: Section = {}
    add: Mapping[str, float] = {}
    append: Section = {}
    """Items for lists, of which the last `keep` stay."""
    keep: int = 20
    drop: tuple[str, ...] = ()
    most: int = 0
    """Keys that the section holds at most, the newest ones: it is written whole at every change. 0: any number."""
