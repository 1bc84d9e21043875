"""How each policy stands: on or off, in which mode, by which file, with which options. For verbs and pages alike."""

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

from synaptic.hooks.config import Config, ConfigFile, configure_policy, is_enabled
from synaptic.hooks.modes import find_mode
from synaptic.hooks.schema import read_field_docs
from synaptic.model.outside import PolicyEntry
from synaptic.policies.base import Policy

WOULD_WORDS = {"deny": "denied", "ask": "asked", "rewrite": "rewritten", "allow": "allowed", "advise": "advised"}


def summarise_policy(policy: type[Policy], config: Config) -> dict[str, Any]:
    """What can be said about a policy without the journal."""
    return {
        "id": policy.id,
        "enabled": is_enabled(policy, config),
        "mode": find_mode(policy, config),
        "preset": policy.preset,
        "priority": policy.priority,
        "events": [event.__name__ for event in policy.events],
        "about": (inspect.getdoc(policy) or "").partition("\n")[0],
    }


def summarise_outside(entry: PolicyEntry) -> dict[str, Any]:
    """The same of a policy from outside."""
    policy = entry.policy
    return {
        "id": policy.id,
        "enabled": entry.is_on,
        "mode": entry.mode,
        "broken": entry.broken,
        "preset": policy.preset,
        "priority": policy.priority,
        "events": list(policy.events),
        "about": policy.about,
    }


def list_options(policy: type[Policy], config: Config) -> list[dict[str, Any]]:
    """The options of a built-in policy as they are set here, each with what it is for."""
    set_here, words = configure_policy(policy, config), read_field_docs(policy)
    names = policy.__struct_fields__
    return [{"name": name, "value": getattr(set_here, name), "about": words.get(name, "")} for name in names]


def find_switch(policy: type[Policy], files: Sequence[ConfigFile]) -> str:
    """The file, and the preset in it, that switches a policy on or off; empty when none does."""
    for settings in files:
        if "enabled" in settings.values.get("policies", {}).get(policy.id, {}):
            return settings.where
    defaults = Config().presets
    for number, settings in enumerate(files):
        plain = () if number else defaults
        presets = settings.values.get("presets", plain)
        # `strict` switches every policy on; its own preset is the better explanation where both are.
        for preset in (policy.preset, "strict"):
            if preset in presets:
                return f"@{preset} in {settings.where}" if "presets" in settings.values else f"@{preset} by default"
    return ""


def describe_would(counts: Mapping[str, int]) -> str:
    """What a policy in shadow would have done, such as `would have denied 7, asked 1`; empty when nothing."""
    told = [f"{WOULD_WORDS[kind]} {counts[kind]}" for kind in WOULD_WORDS if counts.get(kind)]
    failed = f"failed {counts['fail']}" if counts.get("fail") else ""
    return "; ".join(filter(None, (f"would have {', '.join(told)}" if told else "", failed)))
