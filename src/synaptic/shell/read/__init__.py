"""Shell text understood: which commands run, with which arguments, where, and what cannot be known."""
