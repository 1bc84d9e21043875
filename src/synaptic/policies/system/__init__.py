"""The machine as a whole."""
