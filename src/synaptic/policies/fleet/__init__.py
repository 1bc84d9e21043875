"""The state layers at work: one file per hook method, the same for an agent's own events and for calls by name."""
