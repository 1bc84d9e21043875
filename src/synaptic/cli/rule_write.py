"""A new rule on its way into a file: proved by its own examples, shown, and asked about where a person is there."""

from collections.abc import Mapping
from typing import Any

import msgspec

from synaptic.cli import rule_view, screen, typer
from synaptic.cli.place import CommandPlace
from synaptic.cli.rule_place import choose_rule_file, describe_place, find_user_home
from synaptic.hooks.rule_drafts import choose_id, derive_examples, find_rule_faults, prove_rule
from synaptic.hooks.rules_edit import RuleFile, WrittenRule, add_rules, append_rules, list_rule_tables, write_rule
from synaptic.model.errors import DeclarationError

LAST_KEYS = ("then", "say", "instead", "once", "stops", "passes")


class RuleRequest(msgspec.Struct, frozen=True):
    """A rule that somebody wants, and how it is written."""

    keys: Mapping[str, Any]
    in_project: bool = False
    dry_run: bool = False
    as_json: bool = False
    asks: bool = False
    """Whether a person has to agree first."""


def write_new_rule(place: CommandPlace, wanted: RuleRequest) -> None:
    """Prove the rule, show what it stops and lets pass, and append it. DeclarationError for one that is wrong."""
    file = choose_rule_file(place, wanted.in_project)
    keys = complete_rule(place, file, wanted.keys)
    if wanted.asks and not wanted.dry_run:
        _show_draft(keys, file)
        if not typer.confirm(f"Write it to {file.path}?", default=False):
            raise typer.Exit(1)
    if not wanted.dry_run:
        add_rules(file, [WrittenRule(keys)])
    _print_outcome(keys, file, wanted)


def complete_rule(place: CommandPlace, file: RuleFile, given: Mapping[str, Any]) -> dict[str, Any]:
    """The keys with an id and examples, in the order of a rule that a person would write."""
    text = file.read()
    tables = list_rule_tables(text, str(file.path))
    taken = [str(table.get("id")) for table in tables]
    keys = {"id": given.get("id") or choose_id(given, taken), **given}
    if keys["id"] in taken:
        number, hint = taken.index(keys["id"]) + 1, f"give another with --id, or look: synaptic rule show {keys['id']}"
        raise DeclarationError(
            f"there is a rule `{keys['id']}` already (rule {number})", where=str(file.path), hint=hint
        )
    where, home = describe_place(place, file), find_user_home(place.home)
    proof = prove_rule(keys, where, home)
    if proof.rule is None:
        raise DeclarationError(f"not written: {'; '.join(proof.problems)}", hint="synaptic rule add --help")
    derived = derive_examples(keys, proof.rule)
    keys |= {key: derived[key] for key in ("stops", "passes") if key in derived and key not in keys}
    ordered = {key: value for key, value in keys.items() if key not in LAST_KEYS}
    ordered |= {key: keys[key] for key in LAST_KEYS if key in keys}
    wrong = find_rule_faults(append_rules(text, [WrittenRule(ordered)]), where, home).get(keys["id"])
    if wrong:
        raise DeclarationError(
            f"rule `{keys['id']}` is not written: {wrong}", where=where.file, hint="correct it and type it again"
        )
    return ordered


def _show_draft(keys: Mapping[str, Any], file: RuleFile) -> None:
    screen.say(write_rule(WrittenRule(keys)).rstrip())
    screen.say()


def _print_outcome(keys: Mapping[str, Any], file: RuleFile, wanted: RuleRequest) -> None:
    if wanted.as_json:
        screen.print_json({"ok": True, "dry_run": wanted.dry_run, "file": str(file.path), "rule": keys})
        return
    if wanted.dry_run:
        screen.say(f"would be written to {file.path}:\n")
        screen.say(write_rule(WrittenRule(keys)).rstrip())
        return
    screen.say(f"rule {keys['id']} written to {file.path}")
    rule_view.print_examples(keys)
    if "stops" not in keys:
        screen.warn("no example follows from its conditions: give one with --stops, so that a change of it is noticed")
    if file.project:
        screen.say("commit it: whoever clones the project is guarded by it at once")
