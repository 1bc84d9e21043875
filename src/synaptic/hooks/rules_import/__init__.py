"""Rules of other tools as ours: one file a format, text in, rules and what cannot be carried over out."""
