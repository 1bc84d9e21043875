"""Real coding agents, offline: where they come from, the model they talk to, and how each one is driven."""
