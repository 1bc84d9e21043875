"""The sane process: research before edits, a breaker after failures, and state that nobody can talk into it."""
