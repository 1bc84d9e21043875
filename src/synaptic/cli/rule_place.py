"""The files that hold rules: the user's config.toml, and rules.toml of every folder from the project's root down."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from synaptic.cli.place import CommandPlace, require_root
from synaptic.files.bounded import UnreadableFile, read_content
from synaptic.hooks.config import CONFIG_LIMIT
from synaptic.hooks.declaration import DeclarationFile
from synaptic.hooks.project import has_foreign_owner, list_folders
from synaptic.hooks.rules.compile import Rule
from synaptic.hooks.rules.parse import PROJECT_RULES_BYTES, RuleDeclarations, parse_rules
from synaptic.hooks.rules.problems import RuleProblem
from synaptic.hooks.rules_edit import RuleFile, list_rule_tables
from synaptic.hooks.sources import RULES_NAME
from synaptic.model.errors import DeclarationError
from synaptic.model.home import Home


class LoadedRules(msgspec.Struct, frozen=True):
    """One file with rules: as it is written, and as it is understood."""

    file: RuleFile
    place: DeclarationFile
    text: str
    found: RuleDeclarations

    @property
    def tables(self) -> list[dict[str, Any]]:
        """Every rule as it stands there, also those that are off; none where the file cannot be read at all."""
        try:
            return list_rule_tables(self.text)
        except DeclarationError:
            return []

    def find_rule(self, number: int) -> Rule | None:
        """The rule at this place, if it is on."""
        return next((rule for rule in self.found.rules if rule.number == number), None)

    def list_problems(self, number: int) -> list[RuleProblem]:
        return [problem for problem in self.found.problems if problem.number == number]


def choose_rule_file(place: CommandPlace, in_project: bool) -> RuleFile:
    """Where a rule is written: the project's rules.toml, or the user's config.toml."""
    if not in_project:
        return RuleFile(place.home.config, _locate_lock(place.home))
    root = Path(require_root(place))
    return RuleFile(root / ".synaptic" / RULES_NAME, _locate_lock(place.home), root)


def describe_place(place: CommandPlace, file: RuleFile) -> DeclarationFile:
    """The file as the engine knows it: whose it is, and where its relative paths begin."""
    root = str(file.project) if file.project else place.root
    return DeclarationFile(str(file.path), "project" if file.project else "user", root)


def load_rule_files(place: CommandPlace) -> list[LoadedRules]:
    """Every file whose rules hold here: the user's own first, then the project's from its root down."""
    return [_load_file(place, file) for file in _iter_files(place)]


def find_user_home(home: Home) -> str:
    return str(home.root.parent)


def _iter_files(place: CommandPlace) -> Iterator[RuleFile]:
    yield choose_rule_file(place, in_project=False)
    for folder in map(Path, list_folders(place.root, place.cwd, find_user_home(place.home))):
        file = folder / ".synaptic" / RULES_NAME
        if file.exists() and not has_foreign_owner(str(folder)):
            yield RuleFile(file, _locate_lock(place.home), folder)


def _load_file(place: CommandPlace, file: RuleFile) -> LoadedRules:
    where = describe_place(place, file)
    content = read_content(str(file.path), PROJECT_RULES_BYTES if file.project else CONFIG_LIMIT)
    if isinstance(content, UnreadableFile):
        problem = RuleProblem(where=where.file, what=f"{content.why}; nothing in it counts")
        return LoadedRules(file, where, "", RuleDeclarations(problems=(problem,)))
    found = parse_rules(content or b"", where, find_user_home(place.home))
    return LoadedRules(file, where, (content or b"").decode("utf-8", "replace"), found)


def _locate_lock(home: Home) -> Path:
    return home.run / "rules.lock"
