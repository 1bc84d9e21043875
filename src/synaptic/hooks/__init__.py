"""Declarations in, an ordered immutable catalog out."""
