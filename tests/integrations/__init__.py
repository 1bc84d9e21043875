"""Frameworks that run an agent inside a program: the true ones, offline."""
