"""`synaptic down`: everything that `up` put in is taken out; what is yours stays."""

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from synaptic.cli import screen
from synaptic.cli.bootstrap import installation, tell
from synaptic.cli.imports import done, put_back
from synaptic.cli.place import here
from synaptic.cli.verbs import shown, verb
from synaptic.daemon import lifecycle
from synaptic.model.home import Home
from synaptic.packages import bootstrap as packages
from synaptic.packages.rewrite import drop_folders

app = verb()

EXAMPLES = """
synaptic down           take everything out, keep the journal
synaptic down --purge   the journal, backups and agreements too
"""


@app.command(epilog=shown(EXAMPLES))
def down(
    purge: Annotated[bool, typer.Option("--purge", help="Delete the journal and all we wrote, too.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before a purge.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
) -> None:
    """Put hooks back that were imported, remove entries, PATH line and dispatcher, stop the daemon."""
    place = here()
    if purge and not (yes or as_json) and not _agreed(place.home):
        raise typer.Exit(1)
    new = not place.home.root.exists()
    imports = done(place.home)[::-1]
    for one in imports:
        put_back(place.home, one)
    returned = [one.settings for one in imports]
    report = packages.remove(installation(place))
    was = lifecycle.stop(place.home)
    gone = [str(path) for path in _purge(place.home)] if purge or new else []
    if as_json:
        told = {"changes": report.changes, "imports": returned, "daemon": was.state, "purged": gone}
        screen.document({"ok": True, **told})
        return
    for file in returned:
        screen.say(f"  changed    imported hooks put back: {file}")
    tell(report)
    screen.say(
        "  the daemon was not running" if was.state == "stopped" else f"  stopped the daemon (process {was.pid})"
    )
    for file in gone:
        screen.say(f"  deleted    {file}")
    if not purge and place.home.database.exists():
        screen.say(f"The journal stays: {place.home.database} (`synaptic down --purge` deletes it)")
    screen.say("Back again:  synaptic up")


def _agreed(home: Home) -> bool:
    return not sys.stdin.isatty() or typer.confirm(f"Delete the journal in {home.database}?")


def _purge(home: Home) -> Iterator[Path]:
    """What we wrote ourselves, by name: a person's config.toml and hooks stay, whatever folder this is."""
    root = home.root
    found = [*root.glob(f"{home.database.name}*"), *(root / name for name in ("token", "bootstrap.lock"))]
    for path in (file for file in found if file.is_file()):
        path.unlink(missing_ok=True)
        yield path
    for folder in (home.run, root / "backups"):
        if folder.is_dir() and not folder.is_symlink():
            shutil.rmtree(folder, ignore_errors=True)
            yield folder
    drop_folders((str(root / "hooks"), str(root)))
