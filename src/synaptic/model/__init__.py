"""The shared words: frozen values without I/O."""
