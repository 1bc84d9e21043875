"""Get, set, update and reset a project's state sections by their documented short names."""

from collections.abc import Callable

from synaptic.model import sane
from synaptic.model.errors import SynapticError
from synaptic.model.state import Section
from synaptic.store import state
from synaptic.store.db import Store
from synaptic.store.state import SectionOwner

STORED_NAMES = {name.partition(":")[2]: name for name in (*sane.SECTIONS, *sane.KEPT_BESIDE)}
"""Short name to stored name."""


def get_section(store: Store, root: str, section: str, key: str = "") -> object:
    """Get a section with defaults filled in, or one value of it; a list section is returned as a list."""
    name = resolve_section_name(section)
    found = sane.read_section(state.read_state(store, SectionOwner(root), [name]), name)
    if key:
        return found[_check_key(name, key, found)]
    return found[sane.ENTRIES] if name in sane.LISTS else found


def set_section_value(store: Store, root: str, section: str, pair: tuple[str, object]) -> dict[str, object]:
    """Write one value; returns the section. Refused: an unknown key, and a value of another kind than its default."""
    key, value = pair
    _check_key(resolve_section_name(section), key, sane.default_section(resolve_section_name(section)))
    return update_section(store, root, section, lambda found: {**found, key: value})


def update_section(
    store: Store, root: str, section: str, function: Callable[[dict[str, object]], dict[str, object]]
) -> dict[str, object]:
    """Replace a section by what the function makes of the stored one, in one transaction."""
    name = resolve_section_name(section)

    def work(before: Section) -> Section:
        after = function({**sane.default_section(name), **before})
        for key in sane.default_section(name).keys() & after.keys():
            _check_value_kind(name, key, after[key])
        return after

    return {**sane.default_section(name), **state.revise_section(store, SectionOwner(root), name, work)}


def reset_section(store: Store, root: str, section: str) -> dict[str, object]:
    """Reset a section to its defaults."""
    return update_section(store, root, section, lambda found: sane.default_section(resolve_section_name(section)))


def read_sections(store: Store, root: str, names: tuple[str, ...] = tuple(sane.SECTIONS)) -> dict[str, object]:
    """Read several sections by short name, in the form of the mirror file."""
    found = state.read_state(store, SectionOwner(root), names)
    values = {name: sane.read_section(found, name) for name in names}
    return {
        name.partition(":")[2]: value[sane.ENTRIES] if name in sane.LISTS else value for name, value in values.items()
    }


def describe_sections(store: Store, root: str) -> dict[str, list[dict[str, object]]]:
    """List sections with their standing (`default`, `genuine`, `forged`) and the quarantine. Changes nothing."""
    stored = state.list_sections(store, SectionOwner(root))
    standing = {True: "genuine", False: "forged", None: "default"}
    names = {**STORED_NAMES, **{name.partition(":")[2]: name for name in stored if name.startswith("project:")}}
    return {
        "sections": [{"section": short, "standing": standing[stored.get(name)]} for short, name in names.items()],
        "quarantine": [{"section": name, "at": at} for name, at in state.list_quarantine(store, SectionOwner(root))],
    }


def resolve_section_name(section: str) -> str:
    """Resolve a short name to the stored name. Raises SynapticError for an unknown one; none is created by asking."""
    name = STORED_NAMES.get(section.removeprefix("project:"))
    if name is None:
        raise SynapticError(f"there is no section `{section}`", hint=f"known: {', '.join(STORED_NAMES)}")
    return name


def _check_key(name: str, key: str, found: dict[str, object]) -> str:
    if key not in found:
        raise SynapticError(f"`{name.partition(':')[2]}` has no key `{key}`", hint=f"known: {', '.join(found)}")
    return key


def _check_value_kind(name: str, key: str, value: object) -> None:
    default = sane.default_section(name)[key]
    if default is not None and type(value) is not type(default):
        kind = {bool: "true or false", int: "a whole number", list: "a list", dict: "an object"}[type(default)]
        raise SynapticError(f"`{key}` of `{name.partition(':')[2]}` must be {kind}", hint="the value is read as JSON")
