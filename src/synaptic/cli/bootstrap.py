"""`synaptic bootstrap`: tell the agent about the dispatcher, once per machine."""

import os
from typing import Annotated, Literal

import msgspec

from synaptic.agents.shared.discover import list_agent_names as known_agents
from synaptic.agents.shared.record import SetupChoices, load_record
from synaptic.agents.shared.wired import list_wired_agents
from synaptic.cli import completion, screen, typer
from synaptic.cli.place import CommandPlace, find_place
from synaptic.cli.verbs import format_examples, make_verb_app
from synaptic.daemon.http import read_loopback_token
from synaptic.hooks.catalog import HookCatalogs
from synaptic.hooks.edit import set_value
from synaptic.model.errors import SettingsError
from synaptic.model.home import Home
from synaptic.model.hook import HttpEndpoint
from synaptic.setup import agents
from synaptic.setup import bootstrap as packages
from synaptic.setup.options import SetupChange, SetupOptions, SetupReport, read_setup_options
from synaptic.setup.profile import remove_path
from synaptic.setup.slash import install_command

app = make_verb_app()
FailChoice = Literal["open", "closed"]

EXAMPLES = """
synaptic bootstrap                 one entry per event in the agent's settings
synaptic bootstrap --managed       in the administrator's settings, which no repository can switch off
synaptic bootstrap --fail closed   an event that cannot be checked is refused
synaptic bootstrap --slash         also the command /skill inside the agent
synaptic bootstrap --agent codex   also Codex; say it several times for several agents
synaptic bootstrap --all           every agent that is on this machine
"""


AgentsOption = Annotated[
    list[str] | None,
    typer.Option("--agent", metavar="NAME", help="Another agent.", autocompletion=completion.complete_agent_names),
]


@app.command(epilog=format_examples(EXAMPLES))
def bootstrap(
    managed: Annotated[
        bool | None, typer.Option("--managed/--no-managed", help="Use the agent's managed settings.")
    ] = None,
    http: Annotated[bool | None, typer.Option("--http/--no-http", help="Let the agent post its events.")] = None,
    fail: Annotated[FailChoice | None, typer.Option(help="What an event means that cannot be checked.")] = None,
    agent: AgentsOption = None,
    every: Annotated[bool, typer.Option("--all", help="Every agent that is found on this machine.")] = False,
    trust: Annotated[
        bool | None, typer.Option("--trust/--no-trust", help="Agree to our entries in the name of the user.")
    ] = None,
    profile: Annotated[bool, typer.Option(help="Put our folder on PATH in the shell's profile.")] = True,
    slash: Annotated[bool, typer.Option("--slash", help="Add the command /skill to the agent.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
) -> None:
    """Install the dispatcher and one entry per event; twice changes nothing the second time.

    What is not said stays as it was chosen last time; at first, the agent is Claude Code. `synaptic down` undoes it.
    """
    place = find_place()
    choices = merge_choices(place.home, managed, http, fail)
    plain = read_installation(place)
    named, left = _choose_agents(plain, agent or [], every)
    choices = msgspec.structs.replace(choices, agents=named, trust=choices.trust if trust is None else trust)
    options = msgspec.structs.replace(plain, choices=choices)
    report = packages.run_bootstrap(options)
    report = msgspec.structs.replace(report, notes=(*report.notes, *left))
    if not profile:
        report = _drop_path_line(options, report)
    if fail is not None:
        report = _add_change(report, set_engine_fail(place.home, fail))
    if slash:
        report = _add_change(report, install_command(options))
    if as_json:
        screen.print_json({"ok": not left, "changes": report.changes, "notes": report.notes})
    else:
        print_report(report)
    if left:
        raise typer.Exit(1)


def _add_change(report: SetupReport, change: SetupChange) -> SetupReport:
    return msgspec.structs.replace(report, changes=(*report.changes, change))


def _choose_agents(options: SetupOptions, names: list[str], every: bool) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Choose the agents that are wired from now on, and say why one that was found is left out."""
    asked = agents.check_agent_names(names)
    before = list_wired_agents(options.home)
    if not every:
        return agents.check_agent_names({*asked, *before}) if asked else load_record(options.home).choices.agents, ()
    found = agents.list_found_agents(options)
    if not found and not asked:
        hint = f"name one: --agent {'|'.join(known_agents())}"
        raise SettingsError("no agent is found on this machine", where=str(options.user_home), hint=hint)
    # An agent that was named is refused with an error; one that --all found only gets a note.
    left = {name: why for name in found if name not in asked and (why := packages.explain_agent_refusal(options, name))}
    taken = {name for name in found if name not in left}
    notes = tuple(f"left out: {name}: {why}" for name, why in left.items())
    return agents.check_agent_names({*asked, *before, *taken}), notes


def read_installation(place: CommandPlace) -> SetupOptions:
    """Read the installation from the environment, for the project of this folder."""
    return msgspec.structs.replace(read_setup_options(os.environ, place.home), project=place.project)


def merge_choices(home: Home, managed: bool | None, http: bool | None, fail: FailChoice | None) -> SetupChoices:
    """Merge the choices of last time with those that are made now."""
    before = packages.load_choices(home)
    endpoint = before.http if http is None else (_make_endpoint(home) if http else None)
    return msgspec.structs.replace(
        before, managed=before.managed if managed is None else managed, fail=fail or before.fail, http=endpoint
    )


def print_report(report: SetupReport) -> None:
    """Print what was changed, file by file."""
    for change in report.changes:
        mark = "changed" if change.done else "as it was"
        detail = f" ({change.detail})" if change.detail else ""
        screen.say_under(f"  {mark:<9}  ", f"{change.what}: {change.path}{detail}")
    for note in report.notes:
        screen.say_under("  note       ", note)


def set_engine_fail(home: Home, fail: FailChoice) -> SetupChange:
    """Set `fail` in the engine's config too: dispatcher and engine must treat what they cannot check alike."""
    done = HookCatalogs(home).get("").config.fail != fail and set_value(home.config, "fail", fail)
    return SetupChange(
        what="config", path=str(home.config), done=done, detail=f"fail = {fail}", undo="synaptic config set"
    )


def _drop_path_line(options: SetupOptions, report: SetupReport) -> SetupReport:
    """Take out the PATH line that was added just now; one that was there before stays."""
    # Only one of this run: `--no-profile` is no request to take out what an earlier run added.
    added = [change for change in report.done_changes if change.what == "PATH line"]
    if added:
        remove_path(options.home, options.profile.file)
    kept = tuple(change for change in report.changes if change.what != "PATH line")
    return msgspec.structs.replace(report, changes=kept)


def _make_endpoint(home: Home) -> HttpEndpoint:
    http = HookCatalogs(home).get("").config.http
    if not http.enabled or not http.port:
        hint = "type: synaptic config set http.enabled true; synaptic daemon restart"
        raise SettingsError("events cannot be posted: the daemon does not listen", where=str(home.config), hint=hint)
    headers = {"Authorization": f"Bearer {read_loopback_token(home)}"}
    return HttpEndpoint(f"http://127.0.0.1:{http.port}/hook/claude", headers)
