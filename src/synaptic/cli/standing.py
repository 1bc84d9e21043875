"""How each policy stands in a project: what switched it, and what the journal knows of it."""

from collections.abc import Mapping
from typing import Any

from synaptic.cli.place import Here, opened
from synaptic.cli.registered import catalog_of
from synaptic.hooks.config import Config, Settings, parse
from synaptic.hooks.sources import Sources
from synaptic.model.errors import StoreError
from synaptic.model.hook import Builtin
from synaptic.policies.base import Policy, policies
from synaptic.store import usage
from synaptic.store.usage import Used

NOTHING = Used(name="")


def standing(place: Here) -> dict[str, dict[str, Any]]:
    """By policy id: `enabled` as the engine has it, `by` which file, `asked` and `fired`."""
    sources = Sources(place.home, place.root)
    files = (parse(*sources.user_config()), parse(*sources.project_config()))
    running = {hook.id for hook in catalog_of(place).hooks if isinstance(hook.handler, Builtin)}
    known = _used(place)
    return {
        name: {
            "enabled": name in running,
            "by": _switch(policy, *files),
            "asked": known.get(name, NOTHING).calls,
            "fired": known.get(name, NOTHING).spoke,
        }
        for name, policy in policies().items()
    }


def _switch(policy: type[Policy], user: Settings, project: Settings) -> str:
    """The file, and the preset in it, that switches a policy on or off; empty when none does."""
    for settings in (user, project):
        if "enabled" in settings.values.get("policies", {}).get(policy.id, {}):
            return settings.where
    defaults = Config().presets
    for settings, plain in ((user, defaults), (project, ())):
        presets = settings.values.get("presets", plain)
        for preset in (policy.preset, "strict"):
            if preset in presets:
                return f"@{preset} in {settings.where}" if "presets" in settings.values else f"@{preset} by default"
    return ""


def _used(place: Here) -> Mapping[str, Used]:
    """Where there is no journal yet, none is made for a look."""
    if not place.home.database.exists():
        return {}
    try:
        with opened(place.home) as store:
            return {used.name: used for used in usage.hooks(store)}
    except StoreError:
        return {}
