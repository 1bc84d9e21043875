"""`synaptic completion`, and what a shell offers after TAB: ids, names and phases that exist. Trouble offers nothing.

Whoever presses TAB waits for every import here, so each is made by the function that needs it.
"""

# ruff: noqa: PLC0415  as said above

from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from click.shell_completion import ShellComplete, get_completion_class

import synaptic
from synaptic.cli import typer
from synaptic.cli.help_pages import HelpedCommand
from synaptic.cli.verbs import format_examples, make_verb_app
from synaptic.model.errors import SynapticError
from synaptic.model.presets import PRESETS

if TYPE_CHECKING:
    from synaptic.cli.place import CommandPlace
    from synaptic.store.db import Store

Suggestions = Iterable[tuple[str, str]]
"""Values, each with a few words about it."""
Shell = Literal["bash", "zsh", "fish"]
Name = Literal["synaptic", "syn"]

app = make_verb_app()
EXAMPLES = """
eval "$(synaptic completion bash)"                       in ~/.bashrc
eval "$(synaptic completion zsh)"                        in ~/.zshrc, after compinit
synaptic completion fish > ~/.config/fish/completions/synaptic.fish
eval "$(synaptic completion bash --name syn)"            for the short name as well
"""


@app.command(epilog=format_examples(EXAMPLES))
def completion(
    shell: Annotated[Shell, typer.Argument(help="bash, zsh or fish.")],
    name: Annotated[Name, typer.Option(help="The command to complete.")] = "synaptic",
) -> None:
    """Print the lines that let your shell complete verbs, options and names after TAB. No file is changed."""
    kind = get_completion_class(shell)
    if kind is None:
        raise SynapticError(f"nothing is known about {shell}", hint="bash, zsh or fish")
    found = kind(HelpedCommand(name), {}, name, f"_{name.upper()}_COMPLETE")
    # The base class's: that of bash would start one to see how old it is.
    print(ShellComplete.source(found))


def make_completion(find: "Callable[[Store, CommandPlace], Suggestions]") -> Callable[[str], list[tuple[str, str]]]:
    """What is offered out of the database, where there is one."""

    @wraps(find)
    def complete(incomplete: str) -> list[tuple[str, str]]:
        from synaptic.cli.place import find_place, open_database

        with suppress(SynapticError, OSError):
            place = find_place()
            # A TAB must not make a database.
            if place.home.database.exists():
                with open_database(place.home) as store:
                    return keep_matching(find(store, place), incomplete)
        return []

    complete.__annotations__ = {"incomplete": str}  # what the parser looks at to call it
    # Left there, `inspect.signature` would follow it to a function with other parameters.
    del complete.__wrapped__
    return complete


def keep_matching(pairs: Suggestions, incomplete: str) -> list[tuple[str, str]]:
    """Those that begin with what is typed already."""
    return [pair for pair in pairs if pair[0].startswith(incomplete)]


def _find_project(store: "Store", place: "CommandPlace") -> int | None:
    from synaptic.store import layers

    return layers.resolve_layers(store, layers.EventOrigin(place.root or place.cwd)).project


@make_completion
def complete_effort_ids(store: "Store", place: "CommandPlace") -> Suggestions:
    from synaptic.store import efforts

    found = efforts.list_efforts(store, _find_project(store, place) or 0, every=True)
    return [(str(one.id), f"{one.skill}, {one.task.rpartition('/')[2]}") for one in found]


@make_completion
def complete_session_ids(store: "Store", place: "CommandPlace") -> Suggestions:
    from synaptic.store import efforts, windows

    numbers = [one.id for one in efforts.list_efforts(store, _find_project(store, place) or 0, every=True)]
    return [(str(one.id), f"effort {one.effort}") for one in windows.list_sessions(store, numbers)]


@make_completion
def complete_phases(store: "Store", place: "CommandPlace") -> Suggestions:
    from synaptic.cli.caller import find_caller
    from synaptic.work.command import CommandContext

    return [(phase, "") for phase in CommandContext(store, find_caller(place)).find_effort().phases]


@make_completion
def complete_agent_ids(store: "Store", place: "CommandPlace") -> Suggestions:
    from synaptic.store import layers

    return [(one.id, one.label or one.status) for one in layers.list_agents(store)]


@make_completion
def complete_task_names(store: "Store", place: "CommandPlace") -> Suggestions:
    from synaptic.store import tasks

    return [
        (one.folder.rpartition("/")[2], one.title) for one in tasks.list_tasks(store, _find_project(store, place) or 0)
    ]


def complete_skill_names(incomplete: str) -> list[tuple[str, str]]:
    """Skills need no database."""
    from synaptic.cli.place import find_place
    from synaptic.hooks import skill_files

    with suppress(SynapticError, OSError):
        found = skill_files.list_skills(find_place().root).skills
        return [(one.name, one.description) for one in found if one.name.startswith(incomplete)]
    return []


def complete_agent_names(incomplete: str) -> list[tuple[str, str]]:
    """Coding agents that are known."""
    from synaptic.agents.shared.discover import list_agent_names

    return keep_matching([(name, "") for name in list_agent_names()], incomplete)


def complete_driven_agents(incomplete: str) -> list[tuple[str, str]]:
    """Coding agents that can be verified."""
    from synaptic.verification.driver import list_driven_agents

    return keep_matching([(name, "") for name in list_driven_agents()], incomplete)


def complete_events(incomplete: str) -> list[tuple[str, str]]:
    """Events, by name."""
    from synaptic.model.event import EVENTS

    return keep_matching([(name, "") for name in EVENTS], incomplete)


def complete_policies(incomplete: str) -> list[tuple[str, str]]:
    """Ids of policies. Read from their files: to import them all takes most of a second."""
    folder = Path(synaptic.__file__).parent / "policies"
    with suppress(OSError):
        files = sorted(folder.glob("*/*.py"))
        ids = {file: f"{file.parent.name}.{file.stem.replace('_', '-')}" for file in files}
        real = [(name, "") for file, name in ids.items() if f'id = "{name}"' in file.read_text()]
        return keep_matching(real, incomplete)
    return []


def complete_rules(incomplete: str) -> list[tuple[str, str]]:
    """Ids of rules that hold here, yours and the project's."""
    from synaptic.cli.place import find_place
    from synaptic.cli.rule_place import load_rule_files

    with suppress(SynapticError, OSError):
        tables = (table for file in load_rule_files(find_place()) for table in file.tables)
        return keep_matching([(str(table.get("id", "")), str(table.get("then", ""))) for table in tables], incomplete)
    return []


def complete_presets(incomplete: str) -> list[tuple[str, str]]:
    """Presets as they are given to `--preset`."""
    return keep_matching([(name, "preset") for name in PRESETS], incomplete)


def complete_policies_and_presets(incomplete: str) -> list[tuple[str, str]]:
    """Ids of policies, and presets as `@name`."""
    presets = [(f"@{name}", "preset") for name in PRESETS]
    return keep_matching(presets, incomplete) + complete_policies(incomplete)


def complete_installed_packages(incomplete: str) -> list[tuple[str, str]]:
    """Packages that are installed here, or for all projects."""
    from synaptic.cli.place import find_place
    from synaptic.cli.sites import list_all_sites
    from synaptic.packages.lock import load_lockfile

    with suppress(SynapticError, OSError):
        found = [record for site in list_all_sites(find_place()) for record in load_lockfile(site).install]
        return keep_matching(((one.package, one.version) for one in found), incomplete)
    return []
