"""Disks and what lies on them."""
