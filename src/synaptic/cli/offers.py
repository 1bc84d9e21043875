"""What `up` offers after it has set everything up: hooks that the agent already has, and other agents that are here."""

import msgspec

from synaptic.agents.shared.lineage import find_own_agent
from synaptic.agents.shared.wired import list_wired_agents
from synaptic.cli import screen, typer
from synaptic.cli.bootstrap import print_report
from synaptic.cli.imports import ImportScope, take_over_hooks
from synaptic.model.errors import SettingsError
from synaptic.model.home import Home
from synaptic.setup import agents
from synaptic.setup import bootstrap as packages
from synaptic.setup.bootstrap import explain_agent_refusal, recall_choices
from synaptic.setup.options import SetupOptions


class Offers(msgspec.Struct, frozen=True):
    """What was found and could be taken in."""

    hooks: int
    """Hooks in the agent's own settings that could be moved."""
    agents: tuple[str, ...]
    """Other agents on this machine that are not told yet."""


def find_offers(options: SetupOptions) -> Offers:
    """Look for hooks and agents. A settings file that cannot be read offers nothing; `doctor` speaks of it."""
    told = set(list_wired_agents(options.home))
    others = [name for name in agents.list_found_agents(options) if name not in told]
    fit = tuple(name for name in others if not explain_agent_refusal(options, name))
    try:
        moved = take_over_hooks(options.home, _make_scope(options), dry_run=True).moved
    except SettingsError:
        moved = None
    return Offers(len(moved.entries) if moved else 0, fit)


def make_offers(options: SetupOptions, command: str, *, may_ask: bool) -> None:
    """Ask about each where somebody can be asked; elsewhere say what to type."""
    found = find_offers(options)
    if not found.hooks and not found.agents:
        return
    screen.say("\nAlso found here")
    if found.hooks:
        _offer_hooks(options, found.hooks, f"{command} import claude" if not may_ask else "")
    if found.agents:
        names = " ".join(f"--agent {name}" for name in found.agents)
        _offer_agents(options, found.agents, f"{command} bootstrap {names}" if not may_ask else "")


def can_ask(home: Home) -> bool:
    """Whether a person is there to say yes: an agent can have a terminal, too."""
    return screen.is_dialogue() and not find_own_agent(home)


def _offer_hooks(options: SetupOptions, count: int, command: str) -> None:
    what = f"{count} {'hook' if count == 1 else 'hooks'} of your own in {options.settings}"
    if command:
        screen.say(f"  {what}; to have them run in the known order, too: {command}")
    elif typer.confirm(f"  {what}. Take them over (`synaptic import claude --undo` puts them back)?"):
        taken = take_over_hooks(options.home, _make_scope(options)).moved
        moved = len(taken.entries) if taken else 0
        screen.say(f"  changed    {moved} {'hook is' if moved == 1 else 'hooks are'} now in {options.home.registry}")


def _offer_agents(options: SetupOptions, names: tuple[str, ...], command: str) -> None:
    what = f"{', '.join(names)}: not told about the guard yet"
    if command:
        screen.say(f"  {what}; to tell: {command}")
    elif typer.confirm(f"  {what}. Tell {'it' if len(names) == 1 else 'them'} now?"):
        known = recall_choices(options).choices
        if known is not None:
            wanted = agents.check_agent_names({*known.agents, *list_wired_agents(options.home), *names})
            choices = msgspec.structs.replace(known, agents=wanted)
            report = packages.run_bootstrap(msgspec.structs.replace(options, choices=choices))
            print_report(msgspec.structs.replace(report, changes=report.done_changes))


def _make_scope(options: SetupOptions) -> ImportScope:
    return ImportScope(options.settings, options.home.registry)
