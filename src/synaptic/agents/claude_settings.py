"""Claude Code's settings files: where they are, and our entries put into and taken out of their text."""

import sys
from pathlib import Path

from synaptic.agents import settings
from synaptic.agents.claude_entries import Plan, entries
from synaptic.agents.settings import Edited, Registration, Shape, Undo, Wanted

SHAPE = Shape()


def settings_file(user_home: Path, claude_dir: Path | None = None) -> Path:
    """The user's own settings; `claude_dir` is CLAUDE_CONFIG_DIR."""
    return (claude_dir or user_home / ".claude") / "settings.json"


def managed_folder() -> Path:
    """Where this machine's administrator keeps settings that no repository can switch off."""
    if sys.platform == "darwin":
        return Path("/Library/Application Support/ClaudeCode")
    return Path("/etc/claude-code")


def managed_file(folder: Path) -> Path:
    return folder / "managed-settings.d" / "synaptic.json"


def wanted(plan: Plan) -> Wanted:
    """What the file should hold of ours. Raises SettingsError for a plan that cannot be written."""
    return Wanted(SHAPE, plan.dispatch, entries(plan))


def registration(text: str | None, plan: Plan) -> Registration:
    """Which events lack our entry or hold another one of ours. Raises SettingsError for a text that is no settings."""
    return settings.registration(text, wanted(plan))


def install(text: str | None, plan: Plan, undo: Undo | None = None) -> Edited | None:
    """The text with exactly the planned entries, older ones replaced; None when it already is that text."""
    return settings.install(text, wanted(plan), undo)


def uninstall(text: str, dispatch: str, undo: Undo | None = None) -> str | None:
    """The text without our entries; None when the file was made for them and holds nothing else."""
    return settings.uninstall(text, Wanted(SHAPE, dispatch, {}), undo)
