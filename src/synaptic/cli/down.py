"""`synaptic down`: everything that `up` put in is taken out; what is yours stays."""

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from synaptic.cli import screen
from synaptic.cli.bootstrap import Agents, installation, tell
from synaptic.cli.imports import done, put_back
from synaptic.cli.place import here
from synaptic.cli.verbs import shown, verb
from synaptic.daemon import lifecycle
from synaptic.files.replace import drop_folders
from synaptic.model.home import Home
from synaptic.setup import bootstrap as packages
from synaptic.setup.agents import check_names
from synaptic.setup.options import Change, Report

app = verb()

EXAMPLES = """
synaptic down           take everything out, keep the journal
synaptic down --purge   the journal, backups and agreements too
synaptic down --agent codex   only what Codex was told; everything else stays
"""


class Gone(msgspec.Struct, frozen=True):
    """What was taken out."""

    imports: tuple[str, ...]
    changes: tuple[Change, ...]
    daemon: str
    """What it was doing before."""
    purged: tuple[str, ...]


@app.command(epilog=shown(EXAMPLES))
def down(
    purge: Annotated[bool, typer.Option("--purge", help="Delete the journal and all we wrote, too.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before a purge.")] = False,
    agent: Agents = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
) -> None:
    """Put hooks back that were imported, remove entries, PATH line and dispatcher, stop the daemon."""
    home = here().home
    if agent:
        _leave(check_names(agent), as_json)
        return
    if purge and not (yes or as_json) and not _agreed(home):
        raise typer.Exit(1)
    new = not home.root.exists()
    # Newest first: each undo expects the file as its own take-over left it.
    imports = done(home)[::-1]
    for one in imports:
        put_back(home, one)
    report = packages.remove(installation(here()))
    # After the entries are gone: the next event of an agent would start it again.
    was = lifecycle.stop(home)
    # Where there was no home, this command itself has made one for its lock: that goes again.
    purged = tuple(str(path) for path in _purge(home)) if purge or new else ()
    gone = Gone(tuple(one.settings for one in imports), report.changes, was.state, purged)
    if as_json:
        screen.document({"ok": True, **msgspec.to_builtins(gone)})
    else:
        _tell(gone, home)


def _leave(names: tuple[str, ...], as_json: bool) -> None:
    report = packages.leave(installation(here()), names)
    if as_json:
        screen.document({"ok": True, "changes": report.changes})
        return
    tell(report)
    screen.say(f"Back again:  synaptic bootstrap {' '.join(f'--agent {name}' for name in names)}")


def _tell(gone: Gone, home: Home) -> None:
    for file in gone.imports:
        screen.say(f"  changed    imported hooks put back: {file}")
    tell(Report(gone.changes))
    screen.say("  the daemon was not running" if gone.daemon == "stopped" else "  changed    the daemon was stopped")
    for file in gone.purged:
        screen.say(f"  deleted    {file}")
    if home.database.exists():
        screen.say(f"The journal stays: {home.database} (`synaptic down --purge` deletes it)")
    screen.say("Back again:  synaptic up")


def _agreed(home: Home) -> bool:
    return not sys.stdin.isatty() or typer.confirm(f"Delete the journal in {home.database}?")


def _purge(home: Home) -> Iterator[Path]:
    """Delete files that we wrote, each by name: a user's config.toml and hooks stay, whatever folder this is."""
    root = home.root
    found = [
        *root.glob(f"{home.database.name}*"),
        *(root / name for name in ("token", "entry", "state.key", "bootstrap.json", "bootstrap.lock")),
    ]
    for path in (file for file in found if file.is_file()):
        path.unlink(missing_ok=True)
        yield path
    for folder in (home.run, root / "backups"):
        # A link leads to a folder that is not ours to delete.
        if folder.is_dir() and not folder.is_symlink():
            shutil.rmtree(folder, ignore_errors=True)
            yield folder
    drop_folders((str(root / "hooks"), str(root)))
