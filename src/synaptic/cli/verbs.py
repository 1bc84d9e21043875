"""Which verbs there are. One is imported when it is asked for, so that no verb pays for the others."""

import os
from collections.abc import Callable, Mapping
from functools import wraps
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Annotated, Any, TypeVar, cast

import typer
from typer.core import TyperGroup

from synaptic.agents.shared.lineage import require_person
from synaptic.daemon.lifecycle import find_home
from synaptic.model.errors import DaemonError
from synaptic.model.home import Home
from synaptic.policies.self.verbs import FOR_PEOPLE

Function = TypeVar("Function", bound=Callable[..., Any])

VERBS = {
    "up": ("up", "Set everything up and see one event go through."),
    "down": ("down", "Take everything out again."),
    "bootstrap": ("bootstrap", "Install the dispatcher and its entries only."),
    "agents": ("agents", "Coding agents: here, wired, what they can do."),
    "daemon": ("daemon", "Start, stop and look at the daemon."),
    "list": ("list", "Every hook, in the order in which it runs."),
    "explain": ("explain", "Why an event ended as it did."),
    "tail": ("tail", "Events as they happen."),
    "check": ("check", "What the policies say about a call."),
    "try": ("rehearse", "Any event through every hook, nothing written."),
    "trust": ("trust", "Agree to the hooks that a project brings."),
    "config": ("config", "What is set, where, and whether it is right."),
    "policy": ("policy", "Built-in policies, shown and switched."),
    "import": ("take_over", "Take over the hooks an agent already has."),
    "hook": ("hook", "Write, register, validate and try hooks."),
    "emit": ("emit", "An orchestrator's event, the merged result back."),
    "ability": ("ability", "Abilities: found, run, checked."),
    "follow-ups": ("follow_ups", "Actions that hooks asked for."),
    "usage": ("usage", "What is used, what fails, what never runs."),
    "install": ("install", "Packages into a project, or for all."),
    "upgrade": ("upgrade", "Packages as their channel has them now."),
    "remove": ("remove", "A package out again."),
    "outdated": ("outdated", "What an upgrade would bring."),
    "verify": ("verify", "Whether packages are as installed."),
    "search": ("search", "Packages by words."),
    "info": ("info", "What a package is and what it can do."),
    "freeze": ("freeze", "What is installed, exactly."),
    "diff": ("diff", "What was changed in a package here."),
    "skill": ("skill", "The package verbs, as agents call them."),
    "package": ("package", "Write packages and publish them."),
    "registry": ("registry", "Registries of packages: make, choose, serve."),
    "doctor": ("doctor", "Why a hook does not run."),
    "prune": ("prune", "Forget old events."),
    "state": ("state", "What is remembered about a project."),
    "loop": ("loop", "A big task in counted steps."),
    "effort": ("effort", "A skill's run: phases, log, hand-over."),
    "task": ("task", "Tasks, and what was done on them."),
    "session": ("session", "Context windows of efforts."),
    "agent": ("agent", "Who works: registered, looked at."),
    "messages": ("messages", "What was asked, answered, and what failed."),
    "run": ("run", "An agent, started again when it has to be."),
    "fleet": ("fleet", "Who works where, and how it goes."),
    "self-test": ("self_test", "Every policy against its cases."),
    "rpc": ("rpc", "One call on the daemon's socket."),
}
"""Verb to its file, which keeps its Typer app in `app`, and to its line in the overview."""

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]


class VerbGroup(TyperGroup):
    """A command group that knows the names of all verbs and imports one only when it is used."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = dict.fromkeys(VERBS)  # type: ignore[assignment]  # names only: get_command loads the rest

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The verb, imported now; None for a word that is none."""
        if cmd_name not in VERBS:
            return None
        file, summary = VERBS[cmd_name]
        command = typer.main.get_command(import_module(f"synaptic.cli.{file}").app)
        command.name, command.short_help = cmd_name, summary
        return command


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
    verb = next((verb for verb, (place, _) in VERBS.items() if place == file), file)
    word = name or function.__name__.replace("_", "-")
    rule = FOR_PEOPLE.get(f"{verb} {word}") or FOR_PEOPLE.get(verb)
    if rule is None:
        return function

    @wraps(function)
    def ask_first(*args: Any, **given: Any) -> Any:
        if rule.applies(_list_given_options(function, given)):
            require_person(_find_home_or_none(), rule.what)
        return function(*args, **given)

    return cast(Function, ask_first)


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
        add_completion=False,
        rich_markup_mode=None,
        no_args_is_help=True,
    )


def format_examples(examples: str) -> str:
    """Format examples for the end of a help page, kept line by line."""
    lines = "\n".join(f"  {line.strip()}" for line in examples.strip().splitlines())
    return f"\b\nExamples:\n{lines}" if lines else ""
