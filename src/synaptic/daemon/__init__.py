"""The resident engine: one event in, one answer out."""
