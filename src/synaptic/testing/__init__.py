"""Test policies of one's own against a real engine: with pytest's fixtures, or with `EngineSession` alone."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from synaptic.testing.outcome import Outcome
    from synaptic.testing.session import EngineSession

__all__ = ["EngineSession", "Outcome"]
PLACES = {"EngineSession": "session", "Outcome": "outcome"}


def __getattr__(name: str) -> Any:
    # pytest loads the plugin of this package in every run, also where nobody tests a policy.
    if name not in PLACES:
        raise AttributeError(name)
    return getattr(import_module(f"synaptic.testing.{PLACES[name]}"), name)
