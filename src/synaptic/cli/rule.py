"""`synaptic rule`: rules as data, written, shown, tried and taken out."""

from collections.abc import Iterable
from typing import Annotated, Any

import msgspec

from synaptic.cli import completion, rule_view, screen, typer
from synaptic.cli.explain import find_event
from synaptic.cli.place import CommandPlace, find_place, open_journal
from synaptic.cli.rule_place import LoadedRules, load_rule_files
from synaptic.cli.rule_view import ListedRule
from synaptic.cli.rule_write import RuleRequest, write_new_rule
from synaptic.cli.verbs import Json, make_verb_app
from synaptic.hooks.nearest import make_hint
from synaptic.hooks.rule_drafts import make_keys
from synaptic.hooks.rules.compile import Rule
from synaptic.hooks.rules.examples import WrongExampleError, check_examples, tries_example
from synaptic.hooks.rules_edit import remove_rule
from synaptic.model.errors import DeclarationError, SynapticError

app = make_verb_app(
    "Write, show and try rules: what an agent is refused, asked about or told, as data.",
    """
    synaptic rule add --run 'npm publish' --ask 'Releases go through CI.'
    synaptic rule add --edit package-lock.json --deny 'Run npm install instead.' --project
    synaptic rule list
    synaptic rule test                                 every example of every rule
    synaptic rule test --command 'npm publish'         which rules a command meets
    synaptic rule from-event 42 --deny 'Not by hand.'  out of a call that was made
    synaptic rule remove npm.publish
    """,
)
RuleName = Annotated[str, typer.Argument(metavar="ID", help="The rule.", autocompletion=completion.complete_rules)]
ForProject = Annotated[bool, typer.Option("--project", help="In this project's rules.toml instead of your own.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only show what would be written.")]
Texts = list[str] | None
ACTIONS = ("deny", "ask", "advise", "remind")


class ChosenAction(msgspec.Struct, frozen=True):
    """What happens, and what is said: the one option of four that was given."""

    then: str
    say: str


@app.command()
def add(
    run: Annotated[Texts, typer.Option("--run", metavar="WORDS", help="Program and leading words.")] = None,
    flags: Annotated[Texts, typer.Option("--flags", metavar="OPTION", help="An option of that command.")] = None,
    args: Annotated[Texts, typer.Option("--args", metavar="GLOB", help="An argument of that command.")] = None,
    edit: Annotated[Texts, typer.Option("--edit", metavar="GLOB", help="A file that is changed.")] = None,
    write: Annotated[Texts, typer.Option("--write", metavar="GLOB", help="A file that is changed or made.")] = None,
    delete: Annotated[Texts, typer.Option("--delete", metavar="GLOB", help="A file that is removed.")] = None,
    read: Annotated[Texts, typer.Option("--read", metavar="GLOB", help="A file that is read.")] = None,
    tool: Annotated[Texts, typer.Option("--tool", metavar="GLOB", help="A tool, such as mcp__github__*.")] = None,
    host: Annotated[Texts, typer.Option("--host", metavar="GLOB", help="A machine that is talked to.")] = None,
    branch: Annotated[Texts, typer.Option("--branch", metavar="GLOB", help="Only on this branch.")] = None,
    content: Annotated[Texts, typer.Option("--content", metavar="REGEX", help="New text of a file.")] = None,
    prompt: Annotated[Texts, typer.Option("--prompt", metavar="REGEX", help="Your prompt.")] = None,
    event: Annotated[
        Texts, typer.Option("--event", help="When it is asked.", autocompletion=completion.complete_events)
    ] = None,
    after: Annotated[Texts, typer.Option("--after", metavar="PHRASE", help="Only once this has happened.")] = None,
    before: Annotated[Texts, typer.Option("--before", metavar="PHRASE", help="Only until this has happened.")] = None,
    deny: Annotated[str, typer.Option("--deny", metavar="TEXT", help="Refuse it, and say this.")] = "",
    ask: Annotated[str, typer.Option("--ask", metavar="TEXT", help="Ask you about it, and say this.")] = "",
    advise: Annotated[str, typer.Option("--advise", metavar="TEXT", help="Let it pass, and tell the agent.")] = "",
    remind: Annotated[str, typer.Option("--remind", metavar="TEXT", help="Tell the agent once a session.")] = "",
    instead: Annotated[str, typer.Option("--instead", metavar="CMD", help="What to type instead.")] = "",
    name: Annotated[str, typer.Option("--id", help="Its id; made from its conditions without one.")] = "",
    stops: Annotated[Texts, typer.Option("--stops", metavar="CMD", help="A command that it must stop.")] = None,
    passes: Annotated[Texts, typer.Option("--passes", metavar="CMD", help="One that it must let pass.")] = None,
    project: ForProject = False,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Write one rule; comments and everything else in the file stay. Most options may be given several times.

    It is tried on its own examples first, and refused where they fail; without --stops an example is derived.
    """
    conditions = {
        "event": event, "run": run, "flags": flags, "args": args, "tool": tool, "edit": edit, "write": write,
        "delete": delete, "read": read, "host": host, "branch": branch, "content": content, "prompt": prompt,
        "after": after, "before": before,
    }  # fmt: skip
    chosen = _choose_action({"deny": deny, "ask": ask, "advise": advise, "remind": remind})
    ending = {"then": chosen.then, "say": chosen.say, "instead": instead, "stops": stops, "passes": passes}
    keys = make_keys({"id": name, **conditions, **ending})
    if not any(conditions.values()):
        raise typer.BadParameter("say when it speaks: --run, --edit, --read, --tool, --host, --prompt or --event")
    write_new_rule(find_place(), RuleRequest(keys, project, dry_run, as_json))


@app.command("from-event")
def from_event(
    number: Annotated[str, typer.Argument(metavar="NUMBER", help="The call, as `synaptic tail` shows it.")],
    deny: Annotated[str, typer.Option("--deny", metavar="TEXT", help="Refuse it, and say this.")] = "",
    ask: Annotated[str, typer.Option("--ask", metavar="TEXT", help="Ask you about it; so it is without any.")] = "",
    advise: Annotated[str, typer.Option("--advise", metavar="TEXT", help="Let it pass, and tell the agent.")] = "",
    remind: Annotated[str, typer.Option("--remind", metavar="TEXT", help="Tell the agent once a session.")] = "",
    name: Annotated[str, typer.Option("--id", help="Its id; made from its conditions without one.")] = "",
    project: ForProject = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Write it without a question.")] = False,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Make a rule out of a call that was made: its program and leading words, or the file that it changed."""
    place = find_place()
    given = {"deny": deny, "ask": ask, "advise": advise, "remind": remind}
    keys, others = _draft_from_entry(place, number)
    if not any(given.values()):
        given["ask"] = f"`{next(iter(keys.values()))}` is asked about here."
    chosen = _choose_action(given)
    if others and not as_json:
        screen.note(f"the call is also about {', '.join(others)}; for one of those: synaptic rule add")
    if not (yes or dry_run or screen.is_dialogue()):
        raise SynapticError("nobody can be asked here", hint=f"type: synaptic rule from-event {number} --yes")
    wanted = make_keys({"id": name, **keys, "then": chosen.then, "say": chosen.say})
    write_new_rule(place, RuleRequest(wanted, project, dry_run, as_json, asks=not yes))


@app.command("list")
def list_all(as_json: Json = False) -> None:
    """Every rule that holds here: yours, then the project's; also those that are off or unusable."""
    files = load_rule_files(find_place())
    rules, problems = rule_view.list_rules(files), list(rule_view.iter_file_problems(files))
    problems += map(str, check_examples(rule for file in files for rule in file.found.rules))
    if as_json:
        screen.print_json({"rules": list(map(rule_view.rule_to_json, rules)), "problems": problems})
        return
    rule_view.print_list(rules, problems)


@app.command()
def show(name: RuleName, as_json: Json = False) -> None:
    """One rule as it is written, where it stands, and what is wrong with it."""
    found = _find_rules(load_rule_files(find_place()), name)
    if as_json:
        screen.print_json({"rules": list(map(rule_view.rule_to_json, found))})
        return
    for number, rule in enumerate(found):
        if number:
            screen.say()
        rule_view.print_rule(rule)


@app.command("test")
def try_rules(
    name: Annotated[
        str, typer.Argument(metavar="[ID]", help="Only this rule.", autocompletion=completion.complete_rules)
    ] = "",
    command: Annotated[str, typer.Option("--command", metavar="CMD", help="Which rules this command meets.")] = "",
    as_json: Json = False,
) -> None:
    """Try the examples of rules, and say which rules a command meets. Exit code 1 when an example fails."""
    files = load_rule_files(find_place())
    chosen = _find_rules(files, name) if name else rule_view.list_rules(files)
    rules = [rule for one in chosen if (rule := one.file.find_rule(one.number)) is not None]
    unusable = [problem for one in chosen if one.state == "unusable" for problem in one.problems]
    failed = [*unusable, *map(str, check_examples(rules))]
    met = [rule for rule in rules if command and _meets(rule, command)]
    if as_json:
        count = sum(len(rule.entry.stops) + len(rule.entry.passes) for rule in rules)
        told = [{"id": rule.id, "then": rule.entry.then, "source": rule.where} for rule in met]
        screen.print_json({"ok": not failed, "rules": len(rules), "examples": count, "failed": failed, "meets": told})
    else:
        _print_trial(rules, failed)
        if command:
            _print_met(command, met)
    if failed:
        raise typer.Exit(1)


@app.command()
def remove(
    name: RuleName,
    project: ForProject = False,
    as_json: Json = False,
) -> None:
    """Take one rule out, with the comment above it; everything else in the file stays."""
    files = load_rule_files(find_place())
    scope = "project" if project else "user"
    mine = [one for one in _find_rules(files, name) if one.file.place.scope == scope]
    if not mine:
        other = "without --project" if project else "with --project"
        raise DeclarationError(f"`{name}` is no rule of this file", hint=f"type it {other}")
    # The nearest one: a folder's rules stand behind those of the folders above it.
    rule = mine[-1]
    remove_rule(rule.file.file, name)
    if as_json:
        screen.print_json({"ok": True, "removed": name, "file": rule.file.place.file})
    else:
        screen.say(f"rule {name} taken out of {rule.file.place.file}")


def _choose_action(given: dict[str, str]) -> ChosenAction:
    chosen = [(then, say) for then, say in given.items() if say]
    if len(chosen) != 1:
        raise typer.BadParameter("give one of --deny, --ask, --advise and --remind, each with the text that is said")
    return ChosenAction(*chosen[0])


def _draft_from_entry(place: CommandPlace, which: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    # Dialects of all agents, which the other verbs of a rule need not pay for.
    from synaptic.agents.shared.discover import find_adapter  # noqa: PLC0415
    from synaptic.hooks.rule_from_call import draft_from_call  # noqa: PLC0415
    from synaptic.model.call import Request  # noqa: PLC0415

    with open_journal(place.home) as store:
        entry = find_event(store, which)
    if not entry.payload:
        hint = "only events that are kept with their contents can be used: synaptic config get journal"
        raise SynapticError(f"the journal has event {which} without its payload", hint=hint)
    request = Request(agent=entry.agent, event=entry.event, stdin=entry.payload.encode(), id=entry.call)
    event = find_adapter(entry.agent).decode(request).event
    draft = draft_from_call(event, entry.root or place.root, str(place.home.root.parent))
    return draft.keys, draft.others


def _find_rules(files: Iterable[LoadedRules], name: str) -> list[ListedRule]:
    rules = rule_view.list_rules(files)
    found = [rule for rule in rules if rule.id == name]
    if not found:
        known = list(filter(None, (rule.id for rule in rules)))
        raise DeclarationError(f"there is no rule `{name}`", hint=make_hint(name, known) if known else "none is there")
    return found


def _meets(rule: Rule, command: str) -> bool:
    try:
        return "PreToolUse" in rule.events and tries_example(rule, command)
    except WrongExampleError:
        return False


def _print_trial(rules: list[Rule], failed: list[str]) -> None:
    for text in failed:
        screen.warn(text)
    count = sum(len(rule.entry.stops) + len(rule.entry.passes) for rule in rules)
    told = "1 rule" if len(rules) == 1 else f"{len(rules)} rules"
    ending = f"{len(failed)} of them wrong" if failed else "all as they say"
    screen.say(f"{told}, {count} examples: {ending}")


def _print_met(command: str, met: list[Rule]) -> None:
    for rule in met:
        screen.say(f"  {rule.entry.then}  {rule.id}  ({rule.where})")
    if not met:
        screen.say("  no rule speaks about it")
    screen.say(f"everything that is asked about it, with things as they are: synaptic check '{command}'")
