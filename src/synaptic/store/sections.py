"""Get, set, update and reset a project's state sections by their documented short names."""

from collections.abc import Callable

from synaptic.model import sane
from synaptic.model.errors import SynapticError
from synaptic.model.state import Section
from synaptic.store import state
from synaptic.store.db import Store
from synaptic.store.state import Owner

KNOWN = {name.partition(":")[2]: name for name in (*sane.SECTIONS, *sane.KEPT_BESIDE)}
"""Short name to stored name."""


def get(store: Store, root: str, section: str, key: str = "") -> object:
    """Get a section with defaults filled in, or one value of it; a list section is returned as a list."""
    name = named(section)
    found = sane.section(state.read(store, Owner(root), [name]), name)
    if key:
        return found[_field(name, key, found)]
    return found[sane.ENTRIES] if name in sane.LISTS else found


def put(store: Store, root: str, section: str, pair: tuple[str, object]) -> dict[str, object]:
    """Write one value; returns the section. Refused: an unknown key, and a value of another kind than its default."""
    key, value = pair
    _field(named(section), key, sane.defaults(named(section)))
    return update(store, root, section, lambda found: {**found, key: value})


def update(
    store: Store, root: str, section: str, function: Callable[[dict[str, object]], dict[str, object]]
) -> dict[str, object]:
    """Replace a section by what the function makes of the stored one, in one transaction."""
    name = named(section)

    def work(before: Section) -> Section:
        after = function({**sane.defaults(name), **before})
        for key in sane.defaults(name).keys() & after.keys():
            _fits(name, key, after[key])
        return after

    return {**sane.defaults(name), **state.revise(store, Owner(root), name, work)}


def reset(store: Store, root: str, section: str) -> dict[str, object]:
    """Reset a section to its defaults."""
    return update(store, root, section, lambda found: sane.defaults(named(section)))


def every(store: Store, root: str, names: tuple[str, ...] = tuple(sane.SECTIONS)) -> dict[str, object]:
    """Read several sections by short name, in the form of the mirror file."""
    found = state.read(store, Owner(root), names)
    values = {name: sane.section(found, name) for name in names}
    return {
        name.partition(":")[2]: value[sane.ENTRIES] if name in sane.LISTS else value for name, value in values.items()
    }


def overview(store: Store, root: str) -> dict[str, list[dict[str, object]]]:
    """List sections with their standing (`default`, `genuine`, `forged`) and the quarantine. Changes nothing."""
    stored = state.listing(store, Owner(root))
    standing = {True: "genuine", False: "forged", None: "default"}
    names = {**KNOWN, **{name.partition(":")[2]: name for name in stored if name.startswith("project:")}}
    return {
        "sections": [{"section": short, "standing": standing[stored.get(name)]} for short, name in names.items()],
        "quarantine": [{"section": name, "at": at} for name, at in state.quarantined(store, Owner(root))],
    }


def named(section: str) -> str:
    """Resolve a short name to the stored name. Raises SynapticError for an unknown one; none is created by asking."""
    name = KNOWN.get(section.removeprefix("project:"))
    if name is None:
        raise SynapticError(f"there is no section `{section}`", hint=f"known: {', '.join(KNOWN)}")
    return name


def _field(name: str, key: str, found: dict[str, object]) -> str:
    if key not in found:
        raise SynapticError(f"`{name.partition(':')[2]}` has no key `{key}`", hint=f"known: {', '.join(found)}")
    return key


def _fits(name: str, key: str, value: object) -> None:
    default = sane.defaults(name)[key]
    if default is not None and type(value) is not type(default):
        kind = {bool: "true or false", int: "a whole number", list: "a list", dict: "an object"}[type(default)]
        raise SynapticError(f"`{key}` of `{name.partition(':')[2]}` must be {kind}", hint="the value is read as JSON")
