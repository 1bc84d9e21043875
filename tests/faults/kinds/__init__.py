"""The kinds of faults, by theme: each module enters its functions in the table when it is imported."""

from importlib import import_module

THEMES = (
    "kills",
    "hangs",
    "disks",
    "database",
    "run_folder",
    "settings",
    "clocks",
    "hooks",
    "races",
    "registry",
    "load",
)


def load_kinds() -> None:
    """Enter all kinds, always in the same order."""
    for theme in THEMES:
        import_module(f"tests.faults.kinds.{theme}")
