"""The files that hold rules: the user's config.toml, and rules.toml of a project."""

from pathlib import Path

from synaptic.cli.place import CommandPlace, require_root
from synaptic.hooks.rules_edit import RuleFile

RULES_NAME = "rules.toml"


def choose_rule_file(place: CommandPlace, in_project: bool) -> RuleFile:
    """Where a rule is written: the project's rules.toml, or the user's config.toml."""
    lock = place.home.run / "rules.lock"
    if not in_project:
        return RuleFile(place.home.config, lock)
    root = Path(require_root(place))
    return RuleFile(root / ".synaptic" / RULES_NAME, lock, root)
