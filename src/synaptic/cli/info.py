"""`synaptic info`: what a package is, and what its hooks can do, before it is installed."""

from typing import Annotated

import msgspec

from synaptic.cli import plan, screen, suggestions, typer
from synaptic.cli.place import find_place
from synaptic.cli.registry_options import ChannelOption, RegistryOption
from synaptic.cli.sites import find_channel, find_installed_sites, list_project_agents, open_chosen_source
from synaptic.cli.verbs import Json, format_examples, make_verb_app
from synaptic.packages.dependencies import WantedPackage, fetch_bundle
from synaptic.packages.plan import HookLine
from synaptic.packages.rows import Bundle, HookRow

app = make_verb_app()


@app.command(epilog=format_examples("synaptic info policy-guard --channel beta"))
def info(
    name: Annotated[
        str, typer.Argument(help="A package, as NAME or NAME@VERSION.", autocompletion=suggestions.complete_packages)
    ],
    channel: ChannelOption = "",
    registry: RegistryOption = "",
    as_json: Json = False,
) -> None:
    """Show a package with its hooks, files, requirements and questions. Nothing is installed."""
    place = find_place()
    package, _, version = name.partition("@")
    wanted = WantedPackage(
        name=package, channel=find_channel(place, channel), version=version or None, agents=list_project_agents(place)
    )
    with open_chosen_source(registry, place) as source:
        bundle = fetch_bundle(source, wanted)
    here_already = [(site.scope, record.version) for site, record in find_installed_sites(place, package, None)]
    if as_json:
        screen.print_json({"ok": True, **msgspec.to_builtins(bundle), "installed": dict(here_already)})
        return
    _print_bundle(bundle)
    for scope, there in here_already:
        screen.say(f"installed    {there} ({scope})")


def _print_bundle(bundle: Bundle) -> None:
    one = bundle.package
    screen.say(f"{one.name} {one.version} (channel {bundle.channel})\n{one.description}")
    facts = {"author": one.author, "license": one.license, "tags": one.tags, "scope": one.install_scope}
    for key, value in facts.items():
        screen.say_under(f"{key:<12} ", value) if value else screen.say(key)
    for hook in bundle.hooks:
        line = _make_hook_line(hook)
        order = f"priority {hook.priority}"
        told = f"{hook.event} {hook.matcher} {order}: {hook.script_path} {plan.describe_effect(line)}"
        screen.say_under("hook         ", told)
    for dep in bundle.deps:
        brings = f", installed by `{dep.install_cmd}`" if dep.install_cmd else ""
        screen.say_under("needs        ", f"{dep.dep_type} {dep.dep_name} {dep.dep_spec}{brings}")
    for question in bundle.questions:
        screen.say_under("asks         ", f"{question.question_id}: {question.prompt}")
    for file in bundle.files:
        screen.say_under("file         ", f"{file.dest_path} ({file.file_type}, {len(file.content)} characters)")


def _make_hook_line(hook: HookRow) -> HookLine:
    return HookLine(
        event=hook.event,
        matcher=hook.matcher,
        script=hook.script_path,
        priority=hook.priority,
        blocking=hook.blocking,
        change="new",
    )
