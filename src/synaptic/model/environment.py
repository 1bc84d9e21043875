"""The variables that hooks and an agent's shell scripts share: one path model for both."""

from collections.abc import Mapping

DEFAULT_CHANNEL = "main"
DEFAULT_AGENTS = "claude"
INPUT_LIMIT = 96 * 1024
"""A longer HOOK_INPUT is left out: one environment string of 128 KiB makes exec fail."""
ERRAND_VARIABLE = "SYNAPTIC_ERRAND"
"""Set for tests and linters that the engine runs for a policy: an agent may have written what they execute."""


def build_project_variables(
    root: str, channel: str = DEFAULT_CHANNEL, agents: str = DEFAULT_AGENTS
) -> Mapping[str, str]:
    """The six variables of `env.toml`, in its order."""
    synaptic = f"{root.rstrip('/')}/.synaptic"
    return {
        "SYNAPTIC_PROJECT_ROOT": root,
        "SYNAPTIC_ROOT": synaptic,
        "SYNAPTIC_SHARED": f"{synaptic}/shared",
        "SYNAPTIC_SKILLS": f"{synaptic}/skills",
        "SYNAPTIC_CHANNEL": channel,
        "SYNAPTIC_AGENTS": agents,
    }
