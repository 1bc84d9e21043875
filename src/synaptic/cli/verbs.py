"""Which verbs there are. One is imported when it is asked for, so that no verb pays for the others."""

import os
from collections.abc import Callable, Mapping
from functools import wraps
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Annotated, Any, TypeVar, cast

from synaptic.cli import typer
from synaptic.cli.help_pages import HelpedGroup
from synaptic.files.home import find_home
from synaptic.model.errors import DaemonError
from synaptic.model.home import Home
from synaptic.policies.self.verbs import FOR_PEOPLE

Function = TypeVar("Function", bound=Callable[..., Any])

VERB_GROUPS: dict[str, dict[str, tuple[str, str]]] = {
    "Start": {
        "up": ("up", "Set everything up and see one event go through."),
        "status": ("status", "What runs here, what is on, and what to type next."),
        "doctor": ("doctor", "Why a hook does not run."),
        "agents": ("agents", "Coding agents: here, wired, verified, what they can do."),
        "daemon": ("daemon", "Start, stop and look at the daemon."),
        "bootstrap": ("bootstrap", "Install the dispatcher and its entries only."),
        "completion": ("completion", "Let your shell complete names after TAB."),
        "down": ("down", "Take everything out again."),
    },
    "See": {
        "web": ("web", "Your agents in a browser."),
        "top": ("top", "Agents at work, live, on a whole terminal."),
        "tail": ("tail", "Events as they happen."),
        "explain": ("explain", "Why an event ended as it did."),
        "replay": ("replay", "Past events decided again, with a change."),
        "sessions": ("sessions", "The agents' sessions; `session show` tells one."),
        "search": ("search", "Past events by words; packages too."),
        "inbox": ("inbox", "What was refused, for you to answer."),
        "report": ("report", "Refusals, those not obeyed, questions unanswered."),
        "witness": ("witness", "Whether agents did what they were told."),
        "list": ("list", "Every hook, in the order in which it runs."),
        "check": ("check", "What the hooks say about a call, nothing written."),
        "try": ("rehearse", "Any event through every hook, nothing written."),
        "usage": ("usage", "What is used, what fails, what never runs."),
        "prune": ("prune", "Forget old events."),
    },
    "Saying yes": {
        "allow": ("allow", "Let one refused call through, or those like it."),
        "grants": ("grants", "Exceptions that you have made; taken back."),
        "pin": ("pin", "The PIN for when nobody can see who asks."),
    },
    "Rules": {
        "rule": ("rule", "Your own rules, written, shown and tried."),
        "policy": ("policy", "Policies, shown and switched; your own."),
        "config": ("config", "What is set, where, and whether it is right."),
        "trust": ("trust", "Agree to the hooks that a project brings."),
        "state": ("state", "What is remembered about a project."),
        "case": ("case", "A past event as a case for self-test."),
        "suggest": ("suggest", "What the last weeks speak for."),
        "self-test": ("self_test", "Every policy against its cases."),
    },
    "Your hooks": {
        "hook": ("hook", "Write, register, validate and try hooks."),
        "import": ("take_over", "Take over an agent's hooks, and others' rules."),
        "ability": ("ability", "Abilities: found, run, checked."),
        "follow-ups": ("follow_ups", "Actions that hooks asked for."),
    },
    "Packages": {
        "info": ("info", "What a package is and what it can do."),
        "install": ("install", "Packages into a project, or for all."),
        "outdated": ("outdated", "What an upgrade would bring."),
        "upgrade": ("upgrade", "Packages as their channel has them now."),
        "remove": ("remove", "A package out again."),
        "verify": ("verify", "Whether packages are as installed."),
        "diff": ("diff", "What was changed in a package here."),
        "freeze": ("freeze", "What is installed, exactly."),
        "package": ("package", "Write packages and publish them."),
        "registry": ("registry", "Registries of packages: make, choose, serve."),
    },
    "Long work": {
        "effort": ("effort", "A skill's run: phases, log, hand-over."),
        "task": ("task", "Tasks, and what was done on them."),
        "session": ("session", "Context windows of efforts."),
        "loop": ("loop", "A big task in counted steps."),
        "run": ("run", "An agent, started again when it has to be."),
        "fleet": ("fleet", "Who works where, and how it goes."),
        "agent": ("agent", "Who works: registered, looked at."),
        "messages": ("messages", "What was asked, answered, and what failed."),
    },
    "Beyond one machine": {
        "bundle": ("bundle", "An organisation's policy, signed: made, tried, in force."),
        "export": ("export", "Events for a file, a collector or syslog."),
        "join": ("join", "Ship to a team's hub, and get what is signed."),
        "leave": ("leave", "Ship nothing to it any more."),
        "ship": ("ship", "What leaves this machine, and how far it is."),
        "person": ("person", "Your key for answers to other machines."),
        "hub": ("hub", "The server of a team, on PostgreSQL."),
    },
    "For programs": {
        "appeal": ("appeal", "Say why a refused call was meant well."),
        "mcp": ("mcp", "A server of tools that read and file."),
        "emit": ("emit", "An orchestrator's event, the merged result back."),
        "rpc": ("rpc", "One call on the daemon's socket."),
        "skill": ("skill", "The package verbs, as agents call them."),
    },
}
"""Groups of the overview, each with its verbs: a verb's file, which keeps its app in `app`, and its line."""
VERBS = {verb: entry for group in VERB_GROUPS.values() for verb, entry in group.items()}

NAME_WIDTH = max(map(len, VERBS))
"""All groups of the overview are aligned with each other."""

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Hub = Annotated[bool, typer.Option("--hub", help="At the team's hub, over all hosts.")]


class VerbGroup(HelpedGroup):
    """A command group that knows the names of all verbs and imports one only when it is used."""

    def __init__(self, *given: Any, **settings: Any) -> None:
        super().__init__(*given, **settings)
        self.commands = dict.fromkeys(VERBS)  # type: ignore[assignment]  # names only: get_command loads the rest

    def get_command(self, ctx: typer.Context, cmd_name: str) -> Any:
        """The verb, imported now; None for a word that is none."""
        if cmd_name not in VERBS:
            return None
        file, summary = VERBS[cmd_name]
        command = typer.get_command(import_module(f"synaptic.cli.{file}").app)
        command.name, command.short_help = cmd_name, summary
        return command

    def format_commands(self, ctx: typer.Context, formatter: Any) -> None:
        """The verbs in their groups, from the list alone: no verb is imported for its line."""
        for title, verbs in VERB_GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(verb.ljust(NAME_WIDTH), summary) for verb, (_, summary) in verbs.items()])


class VerbApp(typer.Typer):
    """The app of one verb file. Commands that are for people only are refused to agents, however they are started."""

    def command(self, name: str | None = None, **settings: Any) -> Callable[[Function], Function]:
        """Typer's own, around a function that looks first who asks."""
        add = super().command(name, **settings)

        def register(function: Function) -> Function:
            guarded = _guard_function(function, name)
            add(guarded)
            return guarded

        return register


def _guard_function(function: Function, name: str | None) -> Function:
    file = function.__module__.rpartition(".")[2]
    verb = _find_verb(file) or _find_verb(file.partition("_")[0]) or file  # `hub_login` holds commands of `hub`
    word = name or function.__name__.replace("_", "-")
    rule = FOR_PEOPLE.get(f"{verb} {word}") or FOR_PEOPLE.get(verb)
    if rule is None:
        return function

    @wraps(function)
    def ask_first(*args: Any, **given: Any) -> Any:
        if rule.applies(_list_given_options(function, given)):
            # Who asks is worked out from all agents that are known: 0.1 s that verbs for everybody need not pay.
            from synaptic.agents.shared.lineage import require_person  # noqa: PLC0415

            require_person(_find_home_or_none(), rule.what)
        return function(*args, **given)

    return cast(Function, ask_first)


def _find_verb(file: str) -> str:
    return next((verb for verb, (place, _) in VERBS.items() if place == file), "")


def _find_home_or_none() -> Home:
    """The home; where a user has none, as in some containers, a folder that is not there: only processes tell then."""
    try:
        return find_home(os.environ)
    except DaemonError:
        return Home(Path("/nonexistent"))


def _list_given_options(function: Function, given: Mapping[str, object]) -> list[str]:
    """The options that were given, as they are written on a command line."""
    found: list[str] = []
    for name, parameter in signature(function).parameters.items():
        if given.get(name):
            declared = getattr(parameter.annotation, "__metadata__", ())
            spelled = [word for one in declared for word in getattr(one, "param_decls", None) or ()]
            found += spelled or [f"--{name.replace('_', '-')}"]
    return found


def make_verb_app(summary: str = "", examples: str = "") -> typer.Typer:
    """Make the Typer app of one verb file: plain help, with examples as they are written."""
    return VerbApp(
        help=summary or None,
        epilog=format_examples(examples) or None,
        no_args_is_help=True,
    )


def format_examples(examples: str) -> str:
    """Format examples for the end of a help page, kept line by line."""
    lines = "\n".join(f"  {line.strip()}" for line in examples.strip().splitlines())
    return f"\b\nExamples:\n{lines}" if lines else ""
