"""The walk of one event."""
