"""`synaptic hook`: the project's YAML hooks, written, registered for an orchestrator, validated and tried."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import msgspec

from synaptic.cli import completion, hook_new, hook_test, screen, suggestions, typer
from synaptic.cli.event import make_rehearsal_story
from synaptic.cli.place import find_place, require_root
from synaptic.cli.registered import load_hook_catalog
from synaptic.cli.verbs import Json, make_verb_app
from synaptic.hooks import abilities
from synaptic.hooks.faults import SwitchedOff, find_faults, iter_switched_off
from synaptic.hooks.nearest import make_hint
from synaptic.hooks.registration import build_registration as registration
from synaptic.hooks.scaffold import HookRequest, scaffold_hook
from synaptic.hooks.sources import CatalogSources
from synaptic.model.hook import Hook, OutsidePolicy
from synaptic.pipeline.explain import explain_event

LIST_HEAD = ("ID", "EVENTS", "STATE", "BLOCKING", "MATCH", "SOURCE")

app = make_verb_app(
    "Write, register, validate and try the hooks of this project.",
    """
    synaptic hook new my_check --event PreAbilityCall --language python
    synaptic hook list                  also those that are switched off
    synaptic hook test my_check         what it says to a sample event
    synaptic hook test my_check --recorded 17
    synaptic hook register              JSON by event, as an orchestrator reads it
    SYNAPTIC_ENV=dev synaptic hook register
    synaptic hook validate              exit code 1 with every fault, before a session finds it
    """,
)


@app.command()
def new(
    name: Annotated[str, typer.Argument(metavar="ID", help="Made of a-z, 0-9, _ and -.")],
    event: Annotated[str, typer.Option(help="The event it runs for.", autocompletion=completion.complete_events)],
    language: Annotated[
        str,
        typer.Option(
            help="python, bash or typescript.",
            autocompletion=suggestions.complete_words("python", "bash", "typescript"),
        ),
    ] = "python",
    summary: Annotated[str, typer.Option(help="What it is for.")] = "",
    blocking: Annotated[bool, typer.Option("--blocking", help="Its failure stops the act.")] = (False),
    ability_scope: Annotated[str, typer.Option(help="Only for abilities that this glob matches.")] = "",
    as_json: Json = False,
) -> None:
    """Write `.system/hooks/ID.yaml` and an executable stub in `scripts/hooks`, and check both."""
    place = find_place()
    root = require_root(place)
    match: dict[str, object] = {"ability_scope": ability_scope} if ability_scope else {}
    wanted = HookRequest(id=name, event=event, language=language, summary=summary, blocking=blocking, match=match)
    written = scaffold_hook(Path(root), wanted)
    doubt = hook_new.trust_written(place, written)
    warnings = [*_warn_unknown_ability(root, ability_scope), *hook_new.warn_language(root, language)]
    if as_json:
        files = (written.definition, written.script)
        told = {
            "summary": f"{name}: {event}",
            "trusted": not doubt,
            "warnings": [*warnings, *([doubt] if doubt else [])],
        }
        screen.print_json({"status": "created", "changed_files": files, **told})
        return
    for warning in warnings:
        screen.warn(warning)
    screen.say(f"wrote {written.definition} and {written.script}")
    if doubt:
        screen.warn(doubt)
        return
    screen.say(f"it is trusted as it was written; try it: synaptic hook test {name}")
    screen.say("after you have changed it: synaptic trust")


@app.command("list")
def list_definitions(as_json: Json = False) -> None:
    """The YAML and registry hooks of this project and of the user, in their order, then what is switched off."""
    place = find_place()
    catalog = load_hook_catalog(place)
    hooks = [hook for hook in catalog.hooks if hook.scope != "builtin" and not isinstance(hook.handler, OutsidePolicy)]
    off = tuple(iter_switched_off(place.home, place.root, catalog))
    if as_json:
        rows = [*map(_hook_to_json, hooks), *map(_off_to_json, off)]
        screen.print_json({"hooks": rows, "problems": catalog.problems})
        return
    if hooks or off:
        screen.print_table(LIST_HEAD, (*map(_make_row, hooks), *map(_make_off_row, off)))
    else:
        screen.say("no hook is declared here; write one: synaptic hook new ID --event PreToolUse")
    for problem in catalog.problems:
        screen.warn(problem)


@app.command("test")
def try_one(
    name: Annotated[str, typer.Argument(metavar="ID", help="The hook.", autocompletion=suggestions.complete_hooks)],
    event: Annotated[
        str, typer.Option(help="Which of its events; the first without it.", autocompletion=completion.complete_events)
    ] = "",
    recorded: Annotated[
        int,
        typer.Option(
            metavar="N",
            help="An event of the journal instead of a sample.",
            autocompletion=suggestions.complete_event_numbers,
        ),
    ] = 0,
    as_json: Json = False,
) -> None:
    """Run one hook alone on a sample or on an event that happened, and show what it says. Nothing is written."""
    place = find_place()
    hook = hook_test.find_hook(load_hook_catalog(place), name)
    request = (
        hook_test.make_recorded_request(place, recorded)
        if recorded
        else hook_test.make_sample_request(place, hook, event)
    )
    decided, micros = hook_test.rehearse_hook(place.home, hook, request)
    if as_json:
        screen.print_json({"hook": name, "decision": decided.decision, "stdout": decided.answer.stdout.decode()})
        return
    first, *rest = explain_event(make_rehearsal_story(decided, micros))
    screen.say(first.replace("Event 0", "Rehearsal, nothing is written", 1))
    for line in rest:
        screen.say(line)


@app.command()
def register(
    extended: Annotated[bool, typer.Option("--extended", help="Add match, blocking, awaited and priority.")] = False,
) -> None:
    """Print the YAML hooks that are switched on, grouped by event; faults go to stderr."""
    place = find_place()
    config = load_hook_catalog(place).config
    found = registration(CatalogSources(place.home, require_root(place)), config, extended=extended)
    print(found.to_json())
    for problem in found.problems:
        screen.warn(problem)


@app.command()
def validate(as_json: Json = False) -> None:
    """Check every declaration of this project and of the user: it parses, and what it runs is there and runs."""
    catalog = load_hook_catalog(find_place())
    declared = [hook for hook in catalog.hooks if hook.scope != "builtin"]
    faults = (*catalog.problems, *(f"{hook.source}: {fault}" for hook in declared for fault in find_faults(hook)))
    if as_json:
        screen.print_json({"ok": not faults, "hooks": len(declared), "problems": faults})
    else:
        for fault in faults:
            screen.warn(fault)
        if not faults:
            screen.say(f"{len(declared)} hooks are valid")
    if faults:
        raise typer.Exit(1)


def _make_row(hook: Hook) -> tuple[str, ...]:
    conditions = {**({"matcher": hook.matcher} if hook.matcher else {}), **_read_match(hook)}
    blocking = "yes" if hook.blocking else "no"
    return hook.id, ",".join(hook.events), "on", blocking, _describe_match(conditions), hook.source


def _make_off_row(one: SwitchedOff) -> tuple[str, ...]:
    said = _off_to_json(one)
    match = said["match"] if isinstance(said["match"], dict) else {}
    blocking = "yes" if said["blocking"] is True else "no"
    return one.id, ",".join(map(str, said["events"])), "off", blocking, _describe_match(match), one.why


def _hook_to_json(hook: Hook) -> dict[str, object]:
    names = ("id", "events", "blocking", "awaited", "priority", "protocol", "scope", "source", "matcher")
    known = {name: getattr(hook, name) for name in names}
    return {**known, "match": _read_match(hook), "enabled": True, "faults": list(find_faults(hook))}


def _off_to_json(one: SwitchedOff) -> dict[str, Any]:
    events = one.table.get("event_type", one.table.get("event", ()))
    listed = [events] if isinstance(events, str) else list(events) if isinstance(events, list) else []
    said = {"events": listed, "blocking": one.table.get("blocking") is True, "match": one.table.get("match") or {}}
    return {"id": one.id, **said, "enabled": False, "why": one.why}


def _read_match(hook: Hook) -> dict[str, Any]:
    """The conditions that are set, as they are written in the declaration."""
    found = msgspec.to_builtins(hook.match) if hook.match else {}
    return {key: list(value) if isinstance(value, tuple) else value for key, value in found.items()}


def _describe_match(conditions: Mapping[str, Any]) -> str:
    parts = (f"{key}={','.join(map(str, one)) if isinstance(one, list) else one}" for key, one in conditions.items())
    return " ".join(parts)


def _warn_unknown_ability(root: str, scope: str) -> list[str]:
    """A scope that names one ability should name one that is there."""
    if not scope or "*" in scope or "?" in scope:
        return []
    known = {one.id for one in abilities.read_pool(root, abilities.find_ability_files(root)).abilities}
    return [] if scope in known else [f"no ability `{scope}` is described here ({make_hint(scope, known)})"]
