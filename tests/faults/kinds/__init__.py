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
    "workers",
    "races",
    "registry",
    "load",
)

QUICK = (
    "kill.daemon-idle", "kill.daemon-twice", "kill.daemon-term", "kill.hook",
    "kill.background-hook", "hang.daemon-in-call", "hang.dispatcher", "hang.background-hook", "disk.full",
    "disk.nearly-full", "disk.file-limit", "db.locked", "db.read-long", "db.index-flipped-no-daemon",
    "run.spool-garbage", "run.start-lock-is-folder", "run.removed-no-daemon", "settings.config-cut",
    "settings.config-rewritten", "settings.engine-removed", "settings.python-missing", "clock.future", "hook.huge",
    "hook.exit-code", "hook.guard-killed", "hook.invalid-json", "hook.forking", "race.dispatchers",
    "race.same-session", "race.background", "registry.edited", "registry.in-burst", "load.idle-clients",
    "load.garbage", "load.many-projects", "load.half-requests", "load.odd-payloads",
)  # fmt: skip
"""Kinds of every theme that wait for nothing: what `--kinds quick` means, and what the tests inject."""


def load_kinds() -> None:
    """Enter all kinds, always in the same order."""
    for theme in THEMES:
        import_module(f"tests.faults.kinds.{theme}")
