"""`synaptic registry`: registries of packages, made, chosen, served and kept in step."""

import os
import signal
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated
from urllib.parse import unquote, urlsplit

from synaptic.cli import progress, screen, typer
from synaptic.cli.package import Channel, Registry, require_package
from synaptic.cli.place import find_place
from synaptic.cli.sites import open_chosen_source
from synaptic.cli.verbs import Json, make_verb_app
from synaptic.files.replace import make_folders, replace_file
from synaptic.model.environment import DEFAULT_CHANNEL
from synaptic.model.refusal import Refusal
from synaptic.packages import author, remote
from synaptic.packages.catalog import load_catalog, locate_catalog, refresh_catalog
from synaptic.packages.create import clone_registry_file, create_on_server, create_registry_file
from synaptic.packages.database import hide_password
from synaptic.packages.dolt import DoltDatabase
from synaptic.packages.published import PublishedRegistry
from synaptic.packages.scan import scan_files
from synaptic.packages.source import choose_channel, choose_registry_url, locate_url_note, open_source

app = make_verb_app(
    "Registries of packages: make, choose, serve.",
    """
    synaptic registry init                                  one of your own
    synaptic registry push file:///mnt/team/registry.db     copy it to where others read it
    synaptic registry use file:///mnt/team/registry.db      install from there
    synaptic registry serve --port 8650                     offer it over http on this machine
    """,
)
RemoteUrl = Annotated[str, typer.Argument(metavar="URL", help="file:///path or http://127.0.0.1:PORT/name.")]
ChannelsOption = Annotated[
    list[str] | None, typer.Option("--channel", metavar="NAME", help="Only this one; may be given more than once.")
]


@app.command()
def init(
    if_missing: Annotated[bool, typer.Option("--if-missing", help="Be content with one that is there.")] = False,
    origin: Annotated[str, typer.Option("--from", metavar="URL", help="With the history of this remote.")] = "",
    registry: Registry = "",
    as_json: Json = False,
) -> None:
    """Make the registry: its tables and the channels develop, beta and main, or a copy of another with its history."""
    url = choose_registry_url(registry, os.environ, find_place().home)
    with progress.show_progress("copying the registry" if origin else "making the registry"):
        made = _create_registry(url, origin, if_missing)
    if as_json:
        screen.print_json({"ok": True, "registry": hide_password(url), "created": made})
        return
    screen.say(f"{'created' if made else 'there already'}: {hide_password(url)}")


@app.command()
def use(
    url: Annotated[str, typer.Argument(metavar="URL", help="Any kind of registry.")], as_json: Json = False
) -> None:
    """Choose the registry that packages come from; it is opened first."""
    home = find_place().home
    # Before it is noted down: a mistyped URL would break every later command.
    with progress.show_progress("opening the registry"), open_source(url, home) as source:
        channels = source.list_channels()
    file = locate_url_note(home)
    make_folders(file.parent, 0o700)
    # The URL may hold a password.
    replace_file(file, f"{url}\n".encode(), 0o600)
    if as_json:
        screen.print_json({"ok": True, "registry": hide_password(url), "channels": channels})
        return
    screen.say(f"packages come from {hide_password(url)} (channels: {', '.join(channels)})")


@app.command()
def channels(registry: Registry = "", as_json: Json = False) -> None:
    """The channels of the registry, with the commit each is at and how many packages it has."""
    with open_chosen_source(registry) as source:
        found = [(name, source.read_head(name), len(source.list_packages(name))) for name in source.list_channels()]
    if as_json:
        rows = [{"channel": name, "commit": commit, "packages": count} for name, commit, count in found]
        screen.print_json({"ok": True, "registry": hide_password(source.url), "channels": rows})
        return
    screen.print_table(
        ("CHANNEL", "COMMIT", "PACKAGES"), ((name, commit[:12], str(count)) for name, commit, count in found)
    )


@app.command()
def push(url: RemoteUrl, channel: ChannelsOption = None, registry: Registry = "", as_json: Json = False) -> None:
    """Send channels to a remote; one that has moved on there is refused, never overwritten."""
    with open_chosen_source(registry, doing=f"sending to {hide_password(url)}") as source:
        sent = tuple(channel or source.list_channels())
        remote.push_channels(_get_own_database(source), url, sent)
    _print_move("sent to", url, sent, as_json)


@app.command()
def pull(url: RemoteUrl, channel: ChannelsOption = None, registry: Registry = "", as_json: Json = False) -> None:
    """Bring channels up to what a remote has."""
    with open_chosen_source(registry, doing=f"taking from {hide_password(url)}") as source:
        taken = remote.pull_channels(_get_own_database(source), url, tuple(channel or ()))
    _print_move("taken from", url, taken, as_json)


@app.command()
def rollback(
    channel: Annotated[str, typer.Argument(metavar="CHANNEL", help="Whose last commit is taken back.")],
    registry: Registry = "",
    as_json: Json = False,
) -> None:
    """Take back a channel's last commit: an import, a promotion, a merge."""
    with open_chosen_source(registry) as source:
        commit = author.undo_commit(source, channel)
    if as_json:
        screen.print_json({"ok": True, "channel": channel, "commit": commit})
        return
    screen.say(f"{channel} is at {commit[:12]} again")


@app.command()
def catalog(channel: Channel = "", registry: Registry = "", as_json: Json = False) -> None:
    """Keep the hashes of a channel on this machine, so that files can be checked without the registry."""
    chosen = choose_channel(channel, os.environ)
    with open_chosen_source(registry) as source:
        bundles = [require_package(source, package.id, chosen) for package in source.list_packages(chosen)]
    file = locate_catalog(find_place().home.root / "registry", chosen)
    known = refresh_catalog(file, chosen, bundles).known
    if as_json:
        screen.print_json({"ok": True, "file": file, "versions": len(known)})
        return
    screen.say(f"{len(known)} versions in {file}")


@app.command("scan")
def scan_folder(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where to look.")] = Path(),
    channel: Channel = "",
    as_json: Json = False,
) -> None:
    """List files that are files of a known package, told by the catalog alone; nothing is changed."""
    chosen = choose_channel(channel, os.environ)
    known = load_catalog(locate_catalog(find_place().home.root / "registry", chosen))
    found = scan_files(folder, known)
    problems = (*known.warnings, *found.problems)
    if as_json:
        screen.print_json({"ok": not found.problems, "files": found.matches, "problems": problems})
    else:
        screen.print_table(
            ("FILE", "PACKAGE", "VERSION"), ((one.path, one.package, one.version) for one in found.matches)
        )
        for problem in problems:
            screen.warn(problem)
    if found.problems:
        raise typer.Exit(1)


@app.command()
def serve(
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="0 takes any that is free.")] = 0,
    registry: Registry = "",
) -> None:
    """Offer the registry over http on this machine until it is interrupted.

    Whoever can reach the port on this machine can read it and push to it: where others work on the same machine,
    share a file remote and let the file's permissions decide.
    """
    with open_chosen_source(registry) as source:
        database = _get_own_database(source)
    # As KeyboardInterrupt, so that the `with` below ends the server.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with ExitStack() as serving:
        with progress.show_progress("starting the server"):
            url = serving.enter_context(remote.serve_registry(database.path, port))
        screen.say_exactly(url)
        sys.stdout.flush()
        signal.pause()


def _create_registry(url: str, origin: str, if_missing: bool) -> bool:
    parts = urlsplit(url)
    if parts.scheme == "dolt":
        return _create_file(Path(unquote(parts.path)), origin, if_missing)
    if parts.scheme != "mysql" or origin:
        problem = "only a file of your own can be made" if origin else "is a remote"
        raise Refusal("unsupported_backend", problem, where=hide_password(url), hint="write --registry dolt:///path")
    with open_source(url, find_place().home) as source:
        if if_missing and _is_registry(source):
            return False
        create_on_server(source.database)
    return True


def _create_file(path: Path, origin: str, if_missing: bool) -> bool:
    if if_missing and path.exists():
        return False
    if origin:
        clone_registry_file(origin, path)
    else:
        create_registry_file(path)
    return True


def _is_registry(source: PublishedRegistry) -> bool:
    try:
        source.list_packages(DEFAULT_CHANNEL)
    except Refusal as refusal:
        if refusal.code != "validation_failed":
            raise
        return False
    return True


def _get_own_database(source: PublishedRegistry) -> DoltDatabase:
    """Get the database file of the user's own registry. Raises Refusal for any other: it cannot be sent or served."""
    database = source.database
    if isinstance(database, DoltDatabase) and not database.remote:
        return database
    raise Refusal(
        "unsupported_backend", "is no database file of your own", where=hide_password(source.url), hint="dolt:///path"
    )


def _print_move(what: str, url: str, names: tuple[str, ...], as_json: bool) -> None:
    if as_json:
        screen.print_json({"ok": True, "remote": hide_password(url), "channels": names})
        return
    screen.say(f"{', '.join(names)}: {what} {hide_password(url)}")
