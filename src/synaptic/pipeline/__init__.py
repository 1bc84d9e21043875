"""The loop: which hooks, in which order, and what they say together."""
