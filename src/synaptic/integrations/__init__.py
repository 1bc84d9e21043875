"""Frameworks that run an agent inside a person's program: the engine as what they call before and after tools."""
