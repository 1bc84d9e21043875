"""A catalog as JSON can hold it: for the daemon's clients and for `synaptic list`."""

from typing import Any

from synaptic.hooks.catalog import HookCatalog
from synaptic.hooks.trust import HookTrust
from synaptic.model.hook import Hook, OutsidePolicy

SHOWN_FIELDS = ("id", "priority", "events", "matcher", "blocking", "timeout", "on_error", "protocol", "scope", "source")


def describe_catalog(catalog: HookCatalog, trust: HookTrust) -> dict[str, Any]:
    """Every hook in its order, whether it may run, what is wrong, and which presets are on."""
    return {
        "root": catalog.root,
        "hooks": [_describe_hook(hook, trust) for hook in _merge_watched(catalog)],
        "problems": [*catalog.problems, *catalog.check_rules()],
        "notes": list(catalog.notes),
        "presets": list(catalog.config.presets),
    }


def _merge_watched(catalog: HookCatalog) -> tuple[Hook, ...]:
    if not catalog.watched:
        return catalog.hooks
    return tuple(sorted((*catalog.hooks, *catalog.watched), key=lambda hook: hook.priority))


def _describe_hook(hook: Hook, trust: HookTrust) -> dict[str, Any]:
    refusal = trust.explain_refusal(hook)
    fields = {name: getattr(hook, name) for name in SHOWN_FIELDS}
    broken = hook.handler.broken if isinstance(hook.handler, OutsidePolicy) else ""
    return {**fields, "mode": hook.mode, "trusted": refusal is None, "refusal": refusal or "", "broken": broken}
