"""A whole session of an agent, scripted, with every decision shown as it happens."""
