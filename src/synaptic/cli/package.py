"""`synaptic package`: what authors do, from a folder to a channel that others install from."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

from synaptic.cli import screen, suggestions, typer
from synaptic.cli.sites import open_chosen_source
from synaptic.cli.verbs import Json, make_verb_app
from synaptic.model.refusal import Refusal
from synaptic.packages import author
from synaptic.packages.compare import BundleComparison, compare_bundles
from synaptic.packages.export import export_package as export_to
from synaptic.packages.folder import read_folder
from synaptic.packages.hashes import find_corrupt
from synaptic.packages.published import PublishedRegistry
from synaptic.packages.rows import Bundle
from synaptic.packages.scaffold import scaffold_package
from synaptic.packages.source import choose_channel

app = make_verb_app(
    "Write packages and publish them.",
    """
    synaptic package init my-guard            a folder to start from
    synaptic package import my-guard          its files and hooks, into the channel develop
    synaptic package promote my-guard --from develop --to beta
    synaptic package publish my-guard         from develop to main
    synaptic package diff my-guard --from main --to develop
    """,
)
PackageName = Annotated[
    str, typer.Argument(metavar="NAME", help="The package.", autocompletion=suggestions.complete_packages)
]
Registry = Annotated[str, typer.Option("--registry", metavar="URL", help="Another registry than the chosen one.")]
Channel = Annotated[
    str,
    typer.Option(
        "--channel",
        metavar="NAME",
        help="SYNAPTIC_CHANNEL, or main, when not given.",
        autocompletion=suggestions.complete_words(*suggestions.CHANNELS),
    ),
]
From = Annotated[
    str,
    typer.Option(
        "--from",
        metavar="CHANNEL",
        help="Where it is taken from.",
        autocompletion=suggestions.complete_words(*suggestions.CHANNELS),
    ),
]
DEVELOP_CHANNEL = "develop"
MAIN_CHANNEL = "main"


@app.command()
def init(folder: Annotated[Path, typer.Argument(metavar="DIR", help="A new folder.")], as_json: Json = False) -> None:
    """Make a folder with a package.toml and a hook to start from."""
    files = scaffold_package(folder)
    if as_json:
        screen.print_json({"ok": True, "files": files})
        return
    for file in files:
        screen.say(f"written: {file}")
    screen.say(f"edit it, then type: synaptic package import {folder}")


@app.command("import")
def import_folder(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder with package.toml.")],
    channel: Annotated[
        str, typer.Option("--channel", metavar="NAME", help="The channel it goes into.")
    ] = DEVELOP_CHANNEL,
    registry: Registry = "",
    as_json: Json = False,
) -> None:
    """Put a folder's package into a channel. What a version holds is never changed: raise it to change files."""
    # Before the registry is opened: a faulty folder is told even when the registry cannot be reached.
    read = read_folder(folder)
    with open_chosen_source(registry, doing=f"importing {read.bundle.package.name}") as source:
        done = author.import_package(source, read, channel)
    package = read.bundle.package
    if as_json:
        told = {"package": package.name, "version": package.version, "channel": channel, "sha256": package.sha256}
        screen.print_json(
            {"ok": True, **told, "changed": done.changed, "commit": done.commit, "warnings": done.warnings}
        )
        return
    for warning in done.warnings:
        screen.warn(f"{package.name}: {warning}")
    what = "imported" if done.changed else "as it was"
    screen.say(f"{what}: {package.name} {package.version} in {channel}, {len(read.bundle.files)} files")


@app.command()
def publish(
    name: PackageName,
    channel: Annotated[str, typer.Option("--channel", metavar="NAME", help="The channel it goes to.")] = MAIN_CHANNEL,
    source: From = DEVELOP_CHANNEL,
    registry: Registry = "",
    as_json: Json = False,
) -> None:
    """Move a package from develop to main, if its hashes, hooks and templates are in order."""
    _promote_and_print(name, (source, channel), registry, as_json)


@app.command()
def promote(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The package; none with --all.")] = "",
    source: From = DEVELOP_CHANNEL,
    target: Annotated[str, typer.Option("--to", metavar="CHANNEL", help="Where it goes.")] = "beta",
    everything: Annotated[bool, typer.Option("--all", help="The whole channel, as one merge.")] = False,
    registry: Registry = "",
    as_json: Json = False,
) -> None:
    """Move a package from one channel to another, through the same gates as publish."""
    if bool(name) == everything:
        raise Refusal("invalid_args", "give one package, or --all")
    _promote_and_print(name, (source, target), registry, as_json)


@app.command()
def verify(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME]...", help="All of the channel, if none.", autocompletion=suggestions.complete_packages
        ),
    ] = None,
    channel: Channel = "",
    registry: Registry = "",
    as_json: Json = False,
) -> None:
    """Compare every file, and all of them together, with the hashes that were published."""
    chosen = choose_channel(channel, os.environ)
    with open_chosen_source(registry, doing="comparing files") as source:
        wanted = names or [package.name for package in source.list_packages(chosen)]
        bundles = [require_package(source, name, chosen) for name in wanted]
        orphans = source.find_orphans(chosen)
    rows = [row for bundle in bundles for row in _verify_bundle(bundle)]
    rows += [(one.variant_package_id, f"variant of {one.logical_id}", "ORPHAN") for one in orphans]
    bad = any(state == "CORRUPT" for *_, state in rows)
    if as_json:
        files = [{"package": name, "path": path, "state": state} for name, path, state in rows]
        screen.print_json({"ok": not bad, "channel": chosen, "files": files})
    else:
        screen.print_table(("PACKAGE", "FILE", "STATE"), rows)
    if bad:
        raise typer.Exit(1)


@app.command()
def log(name: PackageName, channel: Channel = "", registry: Registry = "", as_json: Json = False) -> None:
    """The commits of a channel that changed a package, newest first."""
    chosen = choose_channel(channel, os.environ)
    with open_chosen_source(registry) as source:
        require_package(source, name, chosen)
        commits = source.read_log(chosen, name)
    if as_json:
        screen.print_json({"ok": True, "package": name, "channel": chosen, "commits": commits})
        return
    screen.print_table(
        ("COMMIT", "DATE", "AUTHOR", "MESSAGE"), ((c.hash[:12], c.date, c.author, c.message) for c in commits)
    )


@app.command()
def diff(
    name: PackageName,
    source: From = MAIN_CHANNEL,
    target: Annotated[str, typer.Option("--to", metavar="CHANNEL", help="The other side.")] = DEVELOP_CHANNEL,
    registry: Registry = "",
    as_json: Json = False,
) -> None:
    """What is different about a package between two channels, hooks first."""
    with open_chosen_source(registry) as opening:
        before, after = opening.find_bundle(name, source), opening.find_bundle(name, target)
    if before is None and after is None:
        raise Refusal("not_found", f"there is no package `{name}` in `{source}` or `{target}`")
    found = compare_bundles(before, after)
    if as_json:
        screen.print_json(
            {"ok": True, "package": name, "from": source, "to": target, "same": found.is_same, "diff": found}
        )
        return
    _print_comparison(found, source, target)


@app.command()
def export(
    name: PackageName,
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A new folder.")],
    channel: Channel = "",
    registry: Registry = "",
    as_json: Json = False,
) -> None:
    """Write a published package as the folder it was imported from."""
    with open_chosen_source(registry) as source:
        files = export_to(require_package(source, name, choose_channel(channel, os.environ)), folder)
    if as_json:
        screen.print_json({"ok": True, "package": name, "files": files})
        return
    screen.say(f"{len(files)} files in {folder}")


def require_package(source: PublishedRegistry, name: str, channel: str) -> Bundle:
    """Find a package. Raises Refusal that says where it was looked for."""
    bundle = source.find_bundle(name, channel)
    if bundle is None:
        hint = f"type: synaptic skill search {name} --channel {channel}"
        raise Refusal("not_found", f"there is no package `{name}` in `{channel}`", hint=hint)
    return bundle


def _promote_and_print(name: str, way: tuple[str, str], registry: str, as_json: bool) -> None:
    with open_chosen_source(registry, doing=f"moving {name or 'all packages'} to {way[1]}") as source:
        move = author.promote_package(source, name, *way) if name else author.promote_channel(source, *way)
    what = name or "all packages"
    if as_json:
        screen.print_json({"ok": True, "package": name or None, "from": way[0], "to": way[1], "commit": move})
        return
    screen.say(f"{what}: {way[0]} -> {way[1]}" + ("" if move else ", which had it already"))


def _verify_bundle(bundle: Bundle) -> Iterator[tuple[str, str, str]]:
    bad = find_corrupt(bundle)
    for path in (*(file.dest_path for file in bundle.files), "(aggregate)"):
        yield bundle.package.name, path, "CORRUPT" if path in bad else "OK"


def _print_comparison(found: BundleComparison, source: str, target: str) -> None:
    if found.is_same:
        screen.say(f"the same in {source} and {target}")
        return
    if found.version_before != found.version_after:
        sides = (found.version_before or "not there", found.version_after or "not there")
        screen.say(f"version: {sides[0]} in {source}, {sides[1]} in {target}")
    rows = [(one.state, f"hook {one.event} {one.script}") for one in found.hooks]
    screen.print_table(("STATE", "WHAT"), [*rows, *((one.state, one.path) for one in found.files)])
