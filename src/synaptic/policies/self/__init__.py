"""The engine's own files and its daemon."""
