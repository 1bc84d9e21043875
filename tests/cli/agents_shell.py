"""A person's shell: none of the variables that agents set for their commands."""

from synaptic.agents.shared.discover import load_agents


def shell_variables() -> list[str]:
    """Everything by which a command could be taken for an agent's."""
    return [name for agent in load_agents() for name in (*agent.shell_variables, *agent.session_variables)]
