"""Policies that start programs of the project: only the user can switch them on."""

from collections.abc import Iterable

from synaptic.hooks.config import Config, enabled
from synaptic.policies.base import Policy


def permitted(policies: Iterable[Policy], user: Config) -> tuple[tuple[Policy, ...], tuple[str, ...]]:
    """Those that may run, and a problem for each that a project wanted and its user did not ask for."""
    asked = tuple(policies)
    refused = [policy for policy in asked if policy.runs and user.trust != "all" and not enabled(type(policy), user)]
    told = tuple(
        f"{policy.id} runs programs of the project, so a project cannot switch it on "
        f"(type `synaptic policy enable {policy.id}` if you want it)"
        for policy in refused
    )
    return tuple(policy for policy in asked if policy not in refused), told
