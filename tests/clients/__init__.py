"""A real agent client against a scripted model, in a throw-away home."""
