"""Rules of other tools become ours: their files are found, read, carried over as far as they can be, and left alone."""

import glob
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from synaptic.cli import screen
from synaptic.cli.place import CommandPlace, require_root
from synaptic.cli.rule_place import choose_rule_file, describe_place, find_user_home
from synaptic.files.bounded import UnreadableFile, read_content
from synaptic.hooks.rule_drafts import find_rule_faults
from synaptic.hooks.rules_edit import RuleFile, WrittenRule, add_rules, append_rules, list_rule_tables
from synaptic.hooks.rules_import.draft import DraftedRule, ForeignRules, Leftover, join_foreign_rules
from synaptic.hooks.rules_import.formats import FORMATS, ForeignFile, make_unread_leftover
from synaptic.model.errors import SynapticError

MAX_FILES = 200
FILE_LIMIT = 1 << 20
"""Bytes of a foreign file that are read."""
CLAUDE_FOLDER = ".claude/"
LONG_KEYS = ("say", "stops", "passes")
"""Keys of a rule that its line of the overview does not show."""


class RuleImport(msgspec.Struct, frozen=True):
    """What is asked for: a format, files that are named, and for whom the rules are written."""

    name: str
    files: Sequence[Path] = ()
    in_project: bool = False
    dry_run: bool = False
    as_json: bool = False


class ImportedRules(msgspec.Struct, frozen=True):
    """What is written, what was there already, and what has to stay."""

    new: tuple[DraftedRule, ...]
    known: tuple[str, ...]
    leftovers: tuple[Leftover, ...]


def take_over_rules(place: CommandPlace, wanted: RuleImport) -> None:
    """Read the files of a format, write what can be carried over, and say what cannot."""
    files, unread = _read_files(place, wanted)
    foreign = join_foreign_rules([FORMATS[wanted.name].read(files, not wanted.in_project), *unread])
    target = choose_rule_file(place, wanted.in_project)
    outcome = sort_drafts(foreign, list_rule_tables(target.read(), str(target.path)))
    outcome = _leave_unsound(place, target, outcome)
    if outcome.new and not wanted.dry_run:
        add_rules(target, [WrittenRule(rule.keys, rule.origin) for rule in outcome.new])
    _print_outcome(outcome, target, wanted)


def sort_drafts(foreign: ForeignRules, tables: Iterable[dict[str, Any]]) -> ImportedRules:
    """Tell new rules from those that an earlier import has written, also where somebody has changed them since."""
    ids = {str(table.get("id")) for table in tables}
    new = tuple(rule for rule in foreign.rules if rule.id not in ids)
    return ImportedRules(new, tuple(rule.id for rule in foreign.rules if rule.id in ids), foreign.leftovers)


def _leave_unsound(place: CommandPlace, target: RuleFile, outcome: ImportedRules) -> ImportedRules:
    """Without the rules that the engine would complain about: they stay where they are, with its reason."""
    text = append_rules(target.read(), [WrittenRule(rule.keys) for rule in outcome.new], str(target.path))
    wrong = find_rule_faults(text, describe_place(place, target), find_user_home(place.home))
    sound = tuple(rule for rule in outcome.new if rule.id not in wrong)
    left = (Leftover(rule.origin, f"as a rule, {wrong[rule.id]}") for rule in outcome.new if rule.id in wrong)
    return msgspec.structs.replace(outcome, new=sound, leftovers=(*outcome.leftovers, *left))


def _read_files(place: CommandPlace, wanted: RuleImport) -> tuple[list[ForeignFile], list[ForeignRules]]:
    files: dict[Path, ForeignFile] = {}
    unread: list[ForeignRules] = []
    waiting = [Path(place.cwd, file.expanduser()) for file in wanted.files] or list(_find_files(place, wanted))
    if not waiting:
        raise _make_nothing_error(place, wanted)
    while waiting and len(files) < MAX_FILES:
        path = waiting.pop(0)
        if path in files:
            continue
        content, where = read_content(str(path), FILE_LIMIT), _name_file(place, path)
        if not isinstance(content, bytes):
            why = content.why if isinstance(content, UnreadableFile) else "there is no such file"
            unread.append(make_unread_leftover(where, f"it cannot be read: {why}"))
            continue
        files[path] = file = ForeignFile(where, content.decode("utf-8", "replace"))
        for pattern in FORMATS[wanted.name].list_more(file):
            # A repository's file leads to nothing outside of it.
            if not (wanted.in_project and (pattern.startswith(("/", "~")) or ".." in pattern.split("/"))):
                waiting += _expand_pattern(path.parent, pattern)
    return list(files.values()), unread


def _find_files(place: CommandPlace, wanted: RuleImport) -> Iterator[Path]:
    form = FORMATS[wanted.name]
    folder = Path(require_root(place)) if wanted.in_project else place.home.root.parent
    moved = "" if wanted.in_project else os.environ.get("CLAUDE_CONFIG_DIR", "")
    for pattern in form.in_project if wanted.in_project else form.in_home:
        if moved and pattern.startswith(CLAUDE_FOLDER):
            yield from _expand_pattern(Path(moved), pattern.removeprefix(CLAUDE_FOLDER))
        else:
            yield from _expand_pattern(folder, pattern)


def _expand_pattern(folder: Path, pattern: str) -> list[Path]:
    whole = os.path.expanduser(pattern)  # noqa: PTH111  a pattern, not a path
    return [Path(path) for path in sorted(glob.glob(os.path.join(glob.escape(str(folder)), whole)))]  # noqa: PTH118,PTH207


def _name_file(place: CommandPlace, path: Path) -> str:
    """As a reader knows it: from the project's root, or from the home."""
    for folder, sign in ((place.root, ""), (str(place.home.root.parent), "~/")):
        if folder and path.is_relative_to(folder):
            return sign + path.relative_to(folder).as_posix()
    return str(path)


def _make_nothing_error(place: CommandPlace, wanted: RuleImport) -> SynapticError:
    form = FORMATS[wanted.name]
    places = form.in_project if wanted.in_project else tuple(f"~/{path}" for path in form.in_home)
    other = "--user" if wanted.in_project else "--project"
    hint = f"name one: synaptic import {wanted.name} FILE, or look in the other place: {other}"
    return SynapticError(
        f"there is nothing of {form.tool}: none of {', '.join(places)}", where=place.utf8_cwd, hint=hint
    )


def _print_outcome(outcome: ImportedRules, target: RuleFile, wanted: RuleImport) -> None:
    if wanted.as_json:
        rules = [{**rule.keys, "origin": rule.origin} for rule in outcome.new]
        told = {"dry_run": wanted.dry_run, "file": str(target.path), "rules": rules}
        screen.print_json({"ok": True, **told, "known": outcome.known, "staying": outcome.leftovers})
        return
    count = "1 rule" if len(outcome.new) == 1 else f"{len(outcome.new)} rules"
    screen.say(f"{count} {'would be written' if wanted.dry_run else 'written'} to {target.path}")
    for rule in outcome.new:
        screen.say(f"  {rule.id}  {rule.keys['then']}  {_describe_conditions(rule)}")
    for name in outcome.known:
        screen.say(f"  there already: {name}")
    for one in outcome.leftovers:
        screen.say(f"  stays: {one.what}: {one.why}")


def _describe_conditions(rule: DraftedRule) -> str:
    shown = {key: value for key, value in rule.keys.items() if key not in (*LONG_KEYS, "id", "then")}
    return ", ".join(f"{key} {_format_value(value)}" for key, value in shown.items())


def _format_value(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return " | ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
