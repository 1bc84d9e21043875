"""`synaptic policy`: policies, built in and your own: shown, switched, written and tested."""

import inspect
from typing import Annotated, Any

import msgspec

from synaptic.cli import completion, policy_rows, progress, screen, typer
from synaptic.cli.place import choose_config_file, find_place
from synaptic.cli.policy_cases import run_outside_cases
from synaptic.cli.policy_change import tell_change
from synaptic.cli.policy_new import write_policy
from synaptic.cli.policy_rows import PolicyFilter
from synaptic.cli.registered import load_hook_catalog
from synaptic.cli.self_test import print_results
from synaptic.cli.verbs import Json, make_verb_app
from synaptic.hooks import edit
from synaptic.hooks.catalog import HookCatalog
from synaptic.hooks.nearest import make_hint
from synaptic.model.errors import DeclarationError
from synaptic.model.hook import Mode
from synaptic.model.presets import PRESETS
from synaptic.policies.base import load_policies
from synaptic.work import policy_standing
from synaptic.work.policy_modes import change_modes
from synaptic.work.policy_standing import list_options

app = make_verb_app(
    "Show policies, switch them on and off, and write your own.",
    """
    synaptic policy list --on
    synaptic policy list --fired                      what had something to say, and how often
    synaptic policy show @sane                        what a preset switches on
    synaptic policy show paths.outside-project
    synaptic policy enable @sane                      a preset
    synaptic policy disable audit.tool-use
    synaptic policy shadow @practice                  only watched: what would it have said?
    synaptic policy new acme.no-friday-deploys        one of your own, with its cases
    synaptic policy test                              the cases of all of your own
    """,
)
PolicyNames = Annotated[
    list[str],
    typer.Argument(
        metavar="NAME...",
        help="Policy ids, and presets as @name.",
        autocompletion=completion.complete_policies_and_presets,
    ),
]
ProjectFlag = Annotated[bool, typer.Option("--project", help="In this project's config.toml instead of yours.")]


@app.command("list")
def list_policies(
    on: Annotated[bool, typer.Option("--on", help="Only those that are on here.")] = False,
    preset: Annotated[
        str, typer.Option(metavar="NAME", help="Only those of a preset.", autocompletion=completion.complete_presets)
    ] = "",
    fired: Annotated[bool, typer.Option("--fired", help="Only those that had something to say, with counts.")] = False,
    as_json: Json = False,
) -> None:
    """Every policy on one line: on or off here, its preset, what it is about. Counts are of the last 30 days."""
    place = find_place()
    with progress.show_progress("counting what the journal holds"):
        presets, rows = policy_rows.collect_rows(place)
    if preset and preset.removeprefix("@") not in PRESETS:
        raise DeclarationError(f"there is no preset `{preset}`", hint=make_hint(preset, PRESETS))
    wanted = PolicyFilter(on=on, preset=preset.removeprefix("@"), fired=fired)
    found = [row for row in rows if wanted.takes(row)]
    if as_json:
        screen.print_json({"presets": presets, "policies": found})
        return
    policy_rows.print_rows(found, with_counts=fired)
    screen.say(f"\n{policy_rows.describe_rows(found, rows)}; presets that are on: {', '.join(presets) or 'none'}")
    if silent := sum(bool(row["enabled"] and not row["asked"]) for row in found):
        screen.say(f"on and never asked yet: {silent}")
    screen.say("one of them: synaptic policy show ID    a preset: synaptic policy show @NAME")


@app.command()
def show(
    name: Annotated[
        str,
        typer.Argument(metavar="ID|@PRESET", autocompletion=completion.complete_policies_and_presets),
    ],
    as_json: Json = False,
) -> None:
    """What one policy does, why, and its options as they are set here; or what a preset switches on."""
    if name.startswith("@"):
        _show_preset(name[1:], as_json)
        return
    catalog, policy = load_hook_catalog(find_place()), load_policies().get(name)
    if policy is None:
        _show_outside(name, catalog, as_json)
        return
    config = catalog.config
    summary = {
        **policy_standing.summarise_policy(policy, config),
        "doc": inspect.getdoc(policy),
        "options": list_options(policy, config),
    }
    if as_json:
        screen.print_json(summary)
        return
    screen.say(f"{policy.id} is {_describe_standing(summary)} (preset {policy.preset})\n")
    screen.say_prose(str(summary["doc"]))
    for option in list_options(policy, config):
        screen.say(f"\n{option['name']} = {msgspec.json.encode(option['value']).decode()}\n  {option['about']}")


def _describe_standing(summary: dict[str, Any]) -> str:
    if not summary["enabled"]:
        return "off"
    words = {
        "enforce": "on",
        "advise": "on, and only advises",
        "shadow": "in shadow, and decides nothing",
    }
    would = policy_standing.describe_would(policy_rows.read_would(find_place()).get(summary["id"], {}))
    return words[summary["mode"]] + (f"; it {would}" if would else "")


def _show_outside(name: str, catalog: HookCatalog, as_json: bool) -> None:
    entry = next((one for one in catalog.outside if one.policy.id == name), None)
    if entry is None:
        known = (*load_policies(), *(one.policy.id for one in catalog.outside))
        raise DeclarationError(f"there is no policy `{name}`", hint=make_hint(name, known))
    policy, place = entry.policy, f"{entry.source.file}:{entry.policy.line}"
    if as_json:
        told = {"doc": policy.doc, "source": place, "options": policy.options, "needs": policy.needs}
        screen.print_json({**policy_standing.summarise_outside(entry), **told})
        return
    screen.say(f"{name} is {'on' if entry.is_on else 'off'} ({place})\n")
    if entry.broken:
        means = "is denied" if policy.on_error == "deny" else "goes on, with a warning"
        screen.say(f"It fails: {entry.broken}\nWhat it is about {means}.\n")
    screen.say(policy.doc)
    for option in policy.options:
        screen.say(f"\n{option.name} = {msgspec.json.encode(option.value).decode()}\n  {option.about}")


@app.command("new")
def write_new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Its id, such as acme.no-friday-deploys.")],
    project: Annotated[bool, typer.Option("--project", help="In this project, for everybody who works on it.")] = False,
    as_json: Json = False,
) -> None:
    """Write a policy of your own and its cases: a file that works, to be changed."""
    written = write_policy(find_place(), name, project)
    told = {"code": str(written.code), "cases": str(written.cases), "doubt": written.doubt}
    if as_json:
        screen.print_json({"ok": True, **told})
        return
    screen.say(f"wrote {written.code} and {written.cases}")
    if written.doubt:
        screen.warn(written.doubt)
    screen.say(f"change both, then run its cases: synaptic policy test {name}")


@app.command("test")
def test_outside(
    name: Annotated[str, typer.Argument(metavar="[ID]", help="One policy; all of your own without it.")] = "",
    as_json: Json = False,
) -> None:
    """Run the cases of your own policies, each file's beside it. Exit code 1 when one is not met."""
    place = find_place()
    results = run_outside_cases(place, name)
    if not results:
        for problem in load_hook_catalog(place).problems:
            screen.warn(problem)
        what = f"no policy `{name}` of your own has cases here" if name else "no policy of your own has cases here"
        raise DeclarationError(what, hint="cases are in a .toml file beside the policy's .py; synaptic policy new")
    failed = sum(len(one.failed) for one in results)
    print_results(results, failed, as_json)
    if failed:
        raise typer.Exit(1)


def _list_outside_ids() -> tuple[str, ...]:
    return tuple(entry.policy.id for entry in load_hook_catalog(find_place()).outside)


def _show_preset(name: str, as_json: bool) -> None:
    if name not in PRESETS:
        known = [f"@{preset}" for preset in PRESETS]
        raise DeclarationError(f"there is no preset `@{name}`", hint=make_hint(f"@{name}", known))
    presets, rows = policy_rows.collect_rows(find_place())
    found = [row for row in rows if PolicyFilter(preset=name).takes(row)]
    is_on = name in presets
    if as_json:
        screen.print_json({"preset": name, "enabled": is_on, "policies": found})
        return
    verb = "disable" if is_on else "enable"
    screen.say(f"@{name} is {'on' if is_on else 'off'}; to change that: synaptic policy {verb} @{name}\n")
    policy_rows.print_rows(found, with_counts=False)
    screen.say(f"\n{policy_rows.describe_rows(found, rows)}")


@app.command()
def enable(names: PolicyNames, project: ProjectFlag = False, as_json: Json = False) -> None:
    """Switch policies or presets on."""
    path, root = choose_config_file(find_place(), project)
    tell_change(lambda: edit.enable_policies(path, names, root, _list_outside_ids()), path, names, as_json)


@app.command()
def disable(names: PolicyNames, project: ProjectFlag = False, as_json: Json = False) -> None:
    """Switch policies or presets off. A project cannot switch off what the user has on."""
    path, root = choose_config_file(find_place(), project)
    tell_change(lambda: edit.disable_policies(path, names, root, _list_outside_ids()), path, names, as_json)


@app.command()
def shadow(names: PolicyNames, project: ProjectFlag = False, as_json: Json = False) -> None:
    """Only watch policies or presets: they are asked after the answer, and what they would have said is kept.

    What is off is switched on for it. `synaptic policy list --on` and `synaptic explain` tell what that was.
    """
    _change_mode(names, "shadow", project, as_json)


@app.command()
def advise(names: PolicyNames, project: ProjectFlag = False, as_json: Json = False) -> None:
    """Let policies or presets advise: what they would refuse, ask or rewrite is told, and the call goes on."""
    _change_mode(names, "advise", project, as_json)


@app.command()
def enforce(names: PolicyNames, project: ProjectFlag = False, as_json: Json = False) -> None:
    """Let the word of policies or presets count, as it does unless they were set to advise or to shadow."""
    _change_mode(names, "enforce", project, as_json)


def _change_mode(names: list[str], mode: Mode, project: bool, as_json: bool) -> None:
    path, root = choose_config_file(find_place(), project)
    tell_change(lambda: change_modes(path, root, names, mode, _list_outside_ids()), path, names, as_json)
