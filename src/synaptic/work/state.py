"""The sections of a project: get, set, update, reset, list."""

from collections.abc import Callable
from typing import Any, ClassVar

import msgspec

from synaptic.model.state import Change, apply_change
from synaptic.store import mirror, sections
from synaptic.store.db import Store
from synaptic.work.command import CommandContext, RootCommand
from synaptic.work.own_sections import find_own_section, list_own_sections

Values = dict[str, Any]
CHANGE_STATE = "change the state"


class ChangedSection(msgspec.Struct, frozen=True):
    """A section as it is now, and why its view in the project may not show it."""

    values: Values
    warnings: tuple[str, ...] = ()


class GetSection(RootCommand[object], frozen=True, kw_only=True):
    """A section with every field, or one value of it."""

    method: ClassVar[str] = "state.get"

    section: str
    """Its name; `state.list` tells them."""
    key: str = ""
    """One of its keys."""

    def run(self, context: CommandContext) -> object:
        root = self.require_root(context)
        if own := find_own_section(context.store, root, self.section):
            return own.read(context.store, self.key)
        return sections.get_section(context.store, root, self.section, self.key)


class ListSections(RootCommand[dict[str, list[dict[str, object]]]], frozen=True, kw_only=True):
    """Every section, whether it is stored and genuine, and what is in quarantine."""

    method: ClassVar[str] = "state.list"

    def run(self, context: CommandContext) -> dict[str, list[dict[str, object]]]:
        root = self.require_root(context)
        found = sections.describe_sections(context.store, root)
        listed = {row["section"] for row in found["sections"]}
        own = (name for name in list_own_sections(context.store, root) if name not in listed)
        unwritten: list[dict[str, object]] = [{"section": name, "standing": "default"} for name in own]
        return {**found, "sections": [*found["sections"], *unwritten]}


class SectionCommand(RootCommand[ChangedSection], frozen=True, kw_only=True):
    """A command that changes one section."""

    section: str
    """Its name; `state.list` tells them."""

    def answer(self, result: ChangedSection) -> Values:
        return result.values


class SetValue(SectionCommand, frozen=True, kw_only=True):
    """Write one value."""

    method: ClassVar[str] = "state.set"
    people_only: ClassVar[str] = CHANGE_STATE

    key: str
    """One of its keys."""
    value: Any
    """Of the same kind as its default."""

    def run(self, context: CommandContext) -> ChangedSection:
        def work(store: Store, root: str) -> Values:
            if own := find_own_section(store, root, self.section):
                return own.update(store, lambda found: {**found, self.key: self.value})
            return sections.set_section_value(store, root, self.section, (self.key, self.value))

        return _write_section(context, self, work)


class UpdateSection(SectionCommand, frozen=True, kw_only=True):
    """Several changes of one section, made together."""

    method: ClassVar[str] = "state.update"
    people_only: ClassVar[str] = CHANGE_STATE

    put: dict[str, Any] = {}
    """Keys with their new values."""
    add: dict[str, int | float] = {}
    """Numbers that are added."""
    append: dict[str, Any] = {}
    """Items for lists, of which the last twenty stay."""
    drop: tuple[str, ...] = ()
    """Keys that go."""

    def run(self, context: CommandContext) -> ChangedSection:
        change = Change(section=self.section, put=self.put, add=self.add, append=self.append, drop=self.drop)
        return change_section(context, self, lambda found: apply_change(found, change))


class ResetSection(SectionCommand, frozen=True, kw_only=True):
    """A section back to how it was before anything happened."""

    method: ClassVar[str] = "state.reset"
    people_only: ClassVar[str] = CHANGE_STATE

    def run(self, context: CommandContext) -> ChangedSection:
        def work(store: Store, root: str) -> Values:
            if own := find_own_section(store, root, self.section):
                return own.update(store, lambda found: {})
            return sections.reset_section(store, root, self.section)

        return _write_section(context, self, work)


def change_section(
    context: CommandContext, command: SectionCommand, step: Callable[[Values], Values]
) -> ChangedSection:
    """Change a section by a function of its stored values, in one transaction so that no other writer interferes."""

    def work(store: Store, root: str) -> Values:
        if own := find_own_section(store, root, command.section):
            return own.update(store, step)
        return sections.update_section(store, root, command.section, step)

    return _write_section(context, command, work)


def _write_section(
    context: CommandContext, command: SectionCommand, work: Callable[[Store, str], Values]
) -> ChangedSection:
    """What was written, and its view in the project after it."""
    root = command.require_root(context)
    values = work(context.require_durable_store(), root)
    return ChangedSection(values, mirror.rewrite_own_mirror(context.store, root))
