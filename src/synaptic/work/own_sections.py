"""Sections of a project that policies of one's own remember things in: what is known of them, and changes by hand.

Their fields are known from what each file was last known to hold, so no file is loaded for a look. Their defaults are
known to the policy alone: a field that was never written is not shown.
"""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from synaptic.engine.last_known import KnownPolicies
from synaptic.engine.outside_call import STATE_LIMIT
from synaptic.hooks.nearest import make_hint
from synaptic.model.errors import SynapticError
from synaptic.model.home import Home
from synaptic.model.outside import name_section
from synaptic.model.state import Section
from synaptic.runners.stdin import to_json
from synaptic.store import state
from synaptic.store.db import Store
from synaptic.store.sections import STORED_NAMES
from synaptic.store.state import SectionOwner

SCOPE = "project:"
OWNERS = ("project:policies/", "project:project-policies/")
KINDS: tuple[tuple[type | tuple[type, ...], str], ...] = (
    (bool, "true or false"),
    ((int, float), "a number"),
    (str, "a text"),
    (list, "a list"),
    (dict, "an object"),
)


class OwnSection(msgspec.Struct, frozen=True):
    """One section of a policy of one's own, in one project."""

    owner: SectionOwner
    stored_name: str
    fields: tuple[str, ...]

    @property
    def name(self) -> str:
        return self.stored_name.removeprefix(SCOPE)

    def read(self, store: Store, key: str = "") -> object:
        """Its fields as far as they were ever written, or one of them. Raises SynapticError."""
        found = state.read_state(store, self.owner, [self.stored_name]).read_section(self.stored_name)
        if not key:
            return dict(found)
        self._check_keys((key,))
        if key not in found:
            raise SynapticError(f"`{key}` of `{self.name}` was never written: the policy's own default counts")
        return found[key]

    def update(self, store: Store, step: Callable[[dict[str, Any]], dict[str, Any]]) -> dict[str, Any]:
        """What `step` makes of it, in one transaction. Raises SynapticError for what the policy could not write."""

        def work(before: Section) -> Section:
            after = step(dict(before))
            self._check_keys(after)
            for key in before.keys() & after.keys():
                _check_kind(f"`{key}` of `{self.name}`", before[key], after[key])
            if len(to_json(after)) > STATE_LIMIT:
                raise SynapticError(f"`{self.name}` would be over {STATE_LIMIT >> 10} KiB", hint="nothing was written")
            return after

        return dict(state.revise_section(store, self.owner, self.stored_name, work))

    def _check_keys(self, keys: Mapping[str, object] | tuple[str, ...]) -> None:
        if unknown := next((key for key in keys if key not in self.fields), None):
            raise SynapticError(f"`{self.name}` has no key `{unknown}`", hint=make_hint(unknown, self.fields))


def list_own_sections(store: Store, root: str) -> dict[str, OwnSection]:
    """Those of the policies that are known here, and those that others have left, by the names that people type."""
    owner = SectionOwner(root)
    stored = (name for name in state.list_sections(store, owner) if name.startswith(OWNERS))
    known = {**dict.fromkeys(stored, ()), **_find_described(store, root)}
    return {name.removeprefix(SCOPE): OwnSection(owner, name, fields) for name, fields in known.items()}


def find_own_section(store: Store, root: str, section: str) -> OwnSection | None:
    """The one of a name; None for a name of the engine's own. Raises SynapticError for one that nobody knows."""
    name = section.removeprefix(SCOPE)
    if name in STORED_NAMES:
        return None
    known = list_own_sections(store, root)
    if name not in known:
        raise SynapticError(f"there is no section `{section}`", hint=make_hint(name, (*STORED_NAMES, *known)))
    own = known[name]
    written = state.read_state(store, own.owner, [own.stored_name]).read_section(own.stored_name)
    return msgspec.structs.replace(own, fields=tuple(dict.fromkeys((*own.fields, *written))))


def _find_described(store: Store, root: str) -> dict[str, tuple[str, ...]]:
    inside = f"{root.rstrip('/')}/"
    return {
        name_section(file.origin, policy.id, section): section.fields
        for file in KnownPolicies(Home(store.path.parent).described).list_files()
        if file.origin != "project" or file.file.startswith(inside)
        for policy in file.policies
        for section in policy.sections
        if section.scope == "project"
    }


def _check_kind(what: str, before: object, after: object) -> None:
    if before is None or after is None:
        return
    for kind, words in KINDS:
        if isinstance(before, kind):
            if not isinstance(after, kind) or isinstance(before, bool) is not isinstance(after, bool):
                raise SynapticError(f"{what} must be {words}", hint="the value is read as JSON")
            return
