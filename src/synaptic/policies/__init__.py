"""Built-in hooks: one policy, one file, grouped by subject."""
