"""Efforts, tasks, sessions and agents."""
