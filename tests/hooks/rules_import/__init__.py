"""Rules of other tools: what is carried over, and what has to stay."""
