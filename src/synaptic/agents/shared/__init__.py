"""What every agent shares: reading payloads, shaping answers, editing settings, and the tables over all agents."""
