"""The keys of an effort's metadata that the engine itself understands."""

from collections.abc import Mapping

from synaptic.model.layers import INJECTIONS

PRELOADS = "pendingPreloads"
GUARDS = "guards"
LOADING = "loading"
DEHYDRATING = "dehydrating"
INTERNAL_KEYS = frozenset({INJECTIONS, PRELOADS, GUARDS, LOADING, DEHYDRATING})


def is_busy(metadata: Mapping[str, object]) -> bool:
    """Whether the effort is being set up or handed over: its calls are not counted then."""
    # Metadata is free-form: only a real `true` switches the counting off.
    return metadata.get(LOADING) is True or metadata.get(DEHYDRATING) is True
