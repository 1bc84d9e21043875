"""`synaptic install`: packages into a project or for all projects, after a look at everything they bring."""

from typing import Annotated

import msgspec
import typer

from synaptic.cli import plan as plans
from synaptic.cli import screen
from synaptic.cli.bootstrap import installation, tell
from synaptic.cli.place import Here, here
from synaptic.cli.sites import (
    Channel,
    DryRun,
    Force,
    Registry,
    Scope,
    ScopeOption,
    Yes,
    agents_here,
    channel_here,
    chosen_sites,
    opened_source,
)
from synaptic.cli.verbs import Json, shown, verb
from synaptic.model.refusal import Refusal
from synaptic.packages import lock
from synaptic.packages.dependencies import Wanted
from synaptic.packages.install import Order, Prepared, apply, prepare
from synaptic.packages.plan import Item
from synaptic.packages.restore import prepare_locked
from synaptic.packages.source import Source
from synaptic.setup import bootstrap
from synaptic.setup.options import Change, Report

app = verb()

EXAMPLES = """
synaptic install policy-guard                    look at the plan, then say yes
synaptic install policy-guard@1.2.0 --channel beta --yes
synaptic install audit-logger --scope global     for every project of this user
synaptic install                                 exactly what manifest.lock says
"""


@app.command(epilog=shown(EXAMPLES))
def install(
    names: Annotated[list[str] | None, typer.Argument(help="Packages, as NAME or NAME@VERSION.")] = None,
    channel: Channel = "",
    scope: ScopeOption = None,
    registry: Registry = "",
    answer: Annotated[list[str] | None, typer.Option(help="ID=TEXT, the answer to a package's question.")] = None,
    force: Force = False,
    yes: Yes = False,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Show what packages bring, and after a yes write it: files, hooks, lockfile, all or nothing."""
    place = here()
    options = installation(place)
    # Before anything is fetched or asked: without entries in the settings the packages would never run.
    bootstrap.refuse_early(options)
    with opened_source(registry, place) as source:
        order = Order(
            wanted=Wanted(name="", channel=channel_here(place, channel), agents=agents_here(place)),
            sites=chosen_sites(place, scope or "project"),
            given=_given(answer or ()),
            ask=plans.asked,
            force=force,
            channel=_first_channel(place, channel, scope or "project"),
        )
        prepared = _prepared(source, order, tuple(names or ()))
    if not carried_out(place, prepared, Consent(yes=yes, dry_run=dry_run, as_json=as_json)):
        raise typer.Exit(1)


class Consent(msgspec.Struct, frozen=True, kw_only=True):
    """How far a command may go, and how it answers."""

    yes: bool = False
    dry_run: bool = False
    as_json: bool = False


def carried_out(place: Here, prepared: Prepared, consent: Consent) -> bool:
    """Show the plan, ask, apply it, and bootstrap the agent if needed; False when the user said no."""
    plan = prepared.shown()
    if not consent.as_json:
        plans.tell(plan)
        screen.say("" if plan else "nothing to install")
    if consent.dry_run or not plan:
        if consent.as_json:
            screen.document({"ok": True, "plan": plan, "written": False})
        return True
    if not plans.agreed(consent.yes, "Install this?"):
        return False
    told = apply(place.home, prepared)
    report = bootstrap.ensure(installation(place))
    _answer(prepared, told, report.done if report else (), consent.as_json)
    return True


def _answer(prepared: Prepared, told: tuple[str, ...], changes: tuple[Change, ...], as_json: bool) -> None:
    if as_json:
        screen.document({"ok": True, "plan": prepared.shown(), "written": True, "told": told, "bootstrap": changes})
        return
    for line in told:
        screen.say(line)
    if changes:
        screen.say("The agent is told about the dispatcher:")
        tell(Report(changes))
    for item in prepared.items:
        screen.say(f"installed {item.name} {item.material.bundle.package.version} ({item.site.scope})")
    screen.say("see it: synaptic list   check it: synaptic verify   take it out: synaptic remove NAME")


def _prepared(source: Source, order: Order, names: tuple[str, ...]) -> Prepared:
    if not names:
        locked = (prepare_locked(source, site, lock.load(site).install) for site in order.sites)
        return Prepared(items=tuple(item for one in locked for item in one.items), force=order.force)
    items: dict[tuple[str, str], Item] = {}
    for text in names:
        name, _, version = text.partition("@")
        wanted = msgspec.structs.replace(order.wanted, name=name, version=version or None)
        for item in prepare(source, msgspec.structs.replace(order, wanted=wanted)).items:
            # What two of the packages need is installed once.
            items.setdefault((item.site.scope, item.name), item)
    return Prepared(items=tuple(items.values()), force=order.force, channel=order.channel)


def _first_channel(place: Here, flag: str, scope: Scope) -> str | None:
    """The channel of the first package becomes the project's; later ones do not change it."""
    if scope == "global" or not flag:
        return None
    return flag if not lock.load(chosen_sites(place, "project")[0]).install else None


def _given(pairs: tuple[str, ...] | list[str]) -> dict[str, str]:
    given = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals:
            raise Refusal("invalid_args", f"`{pair}` is no answer", hint="write --answer ID=TEXT")
        given[name] = text
    return given
