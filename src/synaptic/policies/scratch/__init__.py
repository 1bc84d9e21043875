"""Scratch files: where they may be written."""
