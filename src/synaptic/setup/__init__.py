"""Putting Synaptic in and out of a machine."""
