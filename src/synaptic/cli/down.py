"""`synaptic down`: everything that `up` put in is taken out; what is yours stays."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import msgspec

from synaptic.cli import screen, typer
from synaptic.cli.bootstrap import AgentsOption, print_report, read_installation
from synaptic.cli.imports import list_imports, undo_import
from synaptic.cli.place import find_place
from synaptic.cli.verbs import format_examples, make_verb_app
from synaptic.daemon import lifecycle
from synaptic.files.replace import drop_folders
from synaptic.model.errors import SynapticError
from synaptic.model.home import Home
from synaptic.setup import bootstrap as packages
from synaptic.setup.agents import check_agent_names
from synaptic.setup.options import SetupChange, SetupReport
from synaptic.setup.origin import find_way_back

app = make_verb_app()

EXAMPLES = """
synaptic down           take everything out, keep the journal
synaptic down --purge   the journal, backups and agreements too
synaptic down --agent codex   only what Codex was told; everything else stays
"""


class RemovalReport(msgspec.Struct, frozen=True):
    """What was taken out."""

    imports: tuple[str, ...]
    changes: tuple[SetupChange, ...]
    daemon: str
    """What it was doing before."""
    purged: tuple[str, ...]


@app.command(epilog=format_examples(EXAMPLES))
def down(
    purge: Annotated[bool, typer.Option("--purge", help="Delete the journal and all we wrote, too.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before a purge.")] = False,
    agent: AgentsOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
) -> None:
    """Put hooks back that were imported, remove entries, PATH line and dispatcher, stop the daemon."""
    home = find_place().home
    if agent:
        _leave_agents(check_agent_names(agent), as_json)
        return
    if purge and not yes and not _confirm_purge(home):
        raise typer.Exit(1)
    new = not home.root.exists()
    # Newest first: each undo expects the file as its own take-over left it.
    imports = list_imports(home)[::-1]
    for one in imports:
        undo_import(home, one)
    report = packages.remove_bootstrap(read_installation(find_place()))
    # After the entries are gone: the next event of an agent would start it again.
    was = lifecycle.stop_daemon(home)
    # Where there was no home, this command itself has made one for its lock: that goes again.
    purged = tuple(str(path) for path in _purge_files(home)) if purge or new else ()
    gone = RemovalReport(tuple(one.settings for one in imports), report.changes, was.state, purged)
    if as_json:
        screen.print_json({"ok": True, **msgspec.to_builtins(gone)})
    else:
        _print_removal(gone, home)


def _leave_agents(names: tuple[str, ...], as_json: bool) -> None:
    report = packages.leave_agents(read_installation(find_place()), names)
    if as_json:
        screen.print_json({"ok": True, "changes": report.changes})
        return
    print_report(report)
    screen.say(f"Back again:  synaptic bootstrap {' '.join(f'--agent {name}' for name in names)}")


def _print_removal(gone: RemovalReport, home: Home) -> None:
    for file in gone.imports:
        screen.say(f"  changed    imported hooks put back: {file}")
    print_report(SetupReport(gone.changes))
    screen.say("  the daemon was not running" if gone.daemon == "stopped" else "  changed    the daemon was stopped")
    for file in gone.purged:
        screen.say(f"  deleted    {file}")
    if home.database.exists():
        screen.say(f"The journal stays: {home.database} (`synaptic down --purge` deletes it)")
    screen.say(f"Back again:  {find_way_back(home, os.environ.get('PATH', ''))}")


def _confirm_purge(home: Home) -> bool:
    """Whether a person wants it. Where nobody can be asked, nothing is deleted."""
    if not screen.is_dialogue():
        raise SynapticError(
            f"{home.database} is deleted only when you say so, and nobody can be asked here",
            hint="type `synaptic down --purge` in a terminal, or add --yes",
        )
    return typer.confirm(f"Delete the journal in {home.database}?")


def _purge_files(home: Home) -> Iterator[Path]:
    """Delete files that we wrote, each by name: a user's config.toml and hooks stay, whatever folder this is."""
    root = home.root
    found = [
        *root.glob(f"{home.database.name}*"),
        *(root / name for name in ("token", "entry", "state.key", "bootstrap.json", "bootstrap.lock")),
    ]
    for path in (file for file in found if file.is_file()):
        path.unlink(missing_ok=True)
        yield path
    for folder in (home.run, home.described, home.history_index.parent, root / "backups"):
        # A link leads to a folder that is not ours to delete.
        if folder.is_dir() and not folder.is_symlink():
            shutil.rmtree(folder, ignore_errors=True)
            yield folder
    drop_folders((str(root / "hooks"), str(root)))
