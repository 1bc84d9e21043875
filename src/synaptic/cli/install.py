"""`synaptic install`: packages into a project or for all projects, after a look at everything they bring."""

from typing import Annotated

import msgspec

from synaptic.cli import plan as plans
from synaptic.cli import progress, screen, suggestions, typer
from synaptic.cli.bootstrap import print_report, read_installation
from synaptic.cli.place import CommandPlace, find_place
from synaptic.cli.registry_options import ChannelOption, RegistryOption
from synaptic.cli.sites import (
    DowngradeOption,
    DryRunOption,
    ForceOption,
    ScopeChoice,
    ScopeOption,
    YesOption,
    choose_sites,
    find_channel,
    list_project_agents,
    open_chosen_source,
)
from synaptic.cli.verbs import Json, format_examples, make_verb_app
from synaptic.model.refusal import Refusal
from synaptic.packages import lock
from synaptic.packages.answers import refuse_unasked
from synaptic.packages.dependencies import WantedPackage
from synaptic.packages.install import InstallOrder, InstallPlan, apply_install, prepare_installs
from synaptic.packages.restore import prepare_restore
from synaptic.packages.source import PackageSource
from synaptic.setup import bootstrap
from synaptic.setup.options import SetupChange, SetupReport

app = make_verb_app()

EXAMPLES = """
synaptic install policy-guard                    look at the plan, then say yes
synaptic install policy-guard@1.2.0 --channel beta --yes
synaptic install audit-logger --scope global     for every project of this user
synaptic install                                 exactly what manifest.lock says
"""


@app.command(epilog=format_examples(EXAMPLES))
def install(
    names: Annotated[
        list[str] | None,
        typer.Argument(help="Packages, as NAME or NAME@VERSION.", autocompletion=suggestions.complete_packages),
    ] = None,
    channel: ChannelOption = "",
    scope: ScopeOption = None,
    registry: RegistryOption = "",
    answer: Annotated[
        list[str] | None, typer.Option(help="ID=TEXT or PACKAGE.ID=TEXT, the answer to a package's question.")
    ] = None,
    force: ForceOption = False,
    allow_downgrade: DowngradeOption = False,
    yes: YesOption = False,
    dry_run: DryRunOption = False,
    as_json: Json = False,
) -> None:
    """Show what packages bring, and after a yes write it: files, hooks, lockfile, all or nothing."""
    place = find_place()
    options = read_installation(place)
    # Before anything is fetched or asked: without entries in the settings the packages would never run.
    bootstrap.refuse_early(options)
    with open_chosen_source(registry, place) as source:
        order = InstallOrder(
            wanted=WantedPackage(name="", channel=find_channel(place, channel), agents=list_project_agents(place)),
            sites=choose_sites(place, scope or "project"),
            given=_parse_answers(answer or ()),
            ask=plans.ask_question,
            force=force,
            channel=_choose_first_channel(place, channel, scope or "project"),
            allow_downgrade=allow_downgrade,
        )
        prepared = _prepare_packages(source, order, tuple(names or ()))
    if not carry_out_plan(place, prepared, Consent(yes=yes, dry_run=dry_run, as_json=as_json)):
        raise typer.Exit(1)


class Consent(msgspec.Struct, frozen=True, kw_only=True):
    """How far a command may go, and how it answers."""

    yes: bool = False
    dry_run: bool = False
    as_json: bool = False


def carry_out_plan(place: CommandPlace, prepared: InstallPlan, consent: Consent) -> bool:
    """Show the plan, ask, apply it, and bootstrap the agent if needed; False when the user said no."""
    plan = prepared.summarise()
    if not consent.as_json:
        plans.print_plans(plan)
        screen.say("" if plan else "nothing to install")
    if consent.dry_run or not plan:
        if consent.as_json:
            screen.print_json({"ok": True, "plan": plan, "written": False})
        return True
    if not plans.confirm_plan(consent.yes, "Install this?"):
        return False
    with progress.show_progress("installing"):
        told = apply_install(place.home, prepared)
        report = bootstrap.ensure_bootstrap(read_installation(place))
    _print_outcome(prepared, told, report.done_changes if report else (), consent.as_json)
    return True


def _print_outcome(
    prepared: InstallPlan, told: tuple[str, ...], changes: tuple[SetupChange, ...], as_json: bool
) -> None:
    if as_json:
        screen.print_json(
            {"ok": True, "plan": prepared.summarise(), "written": True, "told": told, "bootstrap": changes}
        )
        return
    for line in told:
        screen.say(line)
    if changes:
        screen.say("The agent is told about the dispatcher:")
        print_report(SetupReport(changes))
    for item in prepared.items:
        screen.say(f"installed {item.name} {item.material.bundle.package.version} ({item.site.scope})")
    screen.say("see it: synaptic list   check it: synaptic verify   take it out: synaptic remove NAME")


def _prepare_packages(source: PackageSource, order: InstallOrder, names: tuple[str, ...]) -> InstallPlan:
    if not names:
        refuse_unasked(order.given, {})
        back = order.allow_downgrade
        locked = (prepare_restore(source, site, lock.load_lockfile(site).install, back) for site in order.sites)
        return InstallPlan(items=tuple(item for one in locked for item in one.items), force=order.force)
    return prepare_installs(source, order, (_parse_name(order.wanted, text) for text in names))


def _parse_name(wanted: WantedPackage, text: str) -> WantedPackage:
    name, _, version = text.partition("@")
    return msgspec.structs.replace(wanted, name=name, version=version or None)


def _choose_first_channel(place: CommandPlace, flag: str, scope: ScopeChoice) -> str | None:
    """The channel of the first package becomes the project's; later ones do not change it."""
    if scope == "global" or not flag:
        return None
    return flag if not lock.load_lockfile(choose_sites(place, "project")[0]).install else None


def _parse_answers(pairs: tuple[str, ...] | list[str]) -> dict[str, str]:
    given = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals:
            raise Refusal("invalid_args", f"`{pair}` is no answer", hint="write --answer ID=TEXT")
        given[name] = text
    return given
