"""`synaptic package`: what authors do, from a folder to a channel that others install from."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from synaptic.cli import screen
from synaptic.cli.sites import opened_source
from synaptic.cli.verbs import Json, verb
from synaptic.model.refusal import Refusal
from synaptic.packages import author
from synaptic.packages.compare import Comparison, compare
from synaptic.packages.export import export as export_to
from synaptic.packages.folder import read_folder
from synaptic.packages.hashes import corrupt
from synaptic.packages.published import Published
from synaptic.packages.rows import Bundle
from synaptic.packages.scaffold import scaffold
from synaptic.packages.source import channel_name

app = verb(
    "Write packages and publish them.",
    """
    synaptic package init my-guard            a folder to start from
    synaptic package import my-guard          its files and hooks, into the channel develop
    synaptic package promote my-guard --from develop --to beta
    synaptic package publish my-guard         from develop to main
    synaptic package diff my-guard --from main --to develop
    """,
)
Name = Annotated[str, typer.Argument(metavar="NAME", help="The package.")]
Registry = Annotated[str, typer.Option("--registry", metavar="URL", help="Another registry than the chosen one.")]
Channel = Annotated[str, typer.Option("--channel", metavar="NAME", help="SYNAPTIC_CHANNEL, or main, when not given.")]
From = Annotated[str, typer.Option("--from", metavar="CHANNEL", help="Where it is taken from.")]
DEVELOP = "develop"
MAIN = "main"


@app.command()
def init(folder: Annotated[Path, typer.Argument(metavar="DIR", help="A new folder.")], as_json: Json = False) -> None:
    """Make a folder with a package.toml and a hook to start from."""
    files = scaffold(folder)
    if as_json:
        screen.document({"ok": True, "files": files})
        return
    for file in files:
        screen.say(f"written: {file}")
    screen.say(f"edit it, then type: synaptic package import {folder}")


@app.command("import")
def import_folder(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder with package.toml.")],
    channel: Annotated[str, typer.Option("--channel", metavar="NAME", help="The channel it goes into.")] = DEVELOP,
    registry: Registry = "",
    as_json: Json = False,
) -> None:
    """Put a folder's package into a channel. What a version holds is never changed: raise it to change files."""
    # Before the registry is opened: a faulty folder is told even when the registry cannot be reached.
    read = read_folder(folder)
    with opened_source(registry) as source:
        done = author.import_package(source, read, channel)
    package = read.bundle.package
    if as_json:
        told = {"package": package.name, "version": package.version, "channel": channel, "sha256": package.sha256}
        screen.document({"ok": True, **told, "changed": done.changed, "commit": done.commit, "warnings": done.warnings})
        return
    for warning in done.warnings:
        screen.warn(f"{package.name}: {warning}")
    what = "imported" if done.changed else "as it was"
    screen.say(f"{what}: {package.name} {package.version} in {channel}, {len(read.bundle.files)} files")


@app.command()
def publish(
    name: Name,
    channel: Annotated[str, typer.Option("--channel", metavar="NAME", help="The channel it goes to.")] = MAIN,
    source: From = DEVELOP,
    registry: Registry = "",
    as_json: Json = False,
) -> None:
    """Move a package from develop to main, if its hashes, hooks and templates are in order."""
    _promote(name, (source, channel), registry, as_json)


@app.command()
def promote(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The package; none with --all.")] = "",
    source: From = DEVELOP,
    target: Annotated[str, typer.Option("--to", metavar="CHANNEL", help="Where it goes.")] = "beta",
    everything: Annotated[bool, typer.Option("--all", help="The whole channel, as one merge.")] = False,
    registry: Registry = "",
    as_json: Json = False,
) -> None:
    """Move a package from one channel to another, through the same gates as publish."""
    if bool(name) == everything:
        raise Refusal("invalid_args", "give one package, or --all")
    _promote(name, (source, target), registry, as_json)


@app.command()
def verify(
    names: Annotated[list[str] | None, typer.Argument(metavar="[NAME]...", help="All of the channel, if none.")] = None,
    channel: Channel = "",
    registry: Registry = "",
    as_json: Json = False,
) -> None:
    """Compare every file, and all of them together, with the hashes that were published."""
    chosen = channel_name(channel, os.environ)
    with opened_source(registry) as source:
        wanted = names or [package.name for package in source.packages(chosen)]
        bundles = [required(source, name, chosen) for name in wanted]
        orphans = source.orphans(chosen)
    rows = [row for bundle in bundles for row in _verified(bundle)]
    rows += [(one.variant_package_id, f"variant of {one.logical_id}", "ORPHAN") for one in orphans]
    bad = any(state == "CORRUPT" for *_, state in rows)
    if as_json:
        files = [{"package": name, "path": path, "state": state} for name, path, state in rows]
        screen.document({"ok": not bad, "channel": chosen, "files": files})
    else:
        screen.table(("PACKAGE", "FILE", "STATE"), rows)
    if bad:
        raise typer.Exit(1)


@app.command()
def log(name: Name, channel: Channel = "", registry: Registry = "", as_json: Json = False) -> None:
    """The commits of a channel that changed a package, newest first."""
    chosen = channel_name(channel, os.environ)
    with opened_source(registry) as source:
        required(source, name, chosen)
        commits = source.log(chosen, name)
    if as_json:
        screen.document({"ok": True, "package": name, "channel": chosen, "commits": commits})
        return
    screen.table(("COMMIT", "DATE", "AUTHOR", "MESSAGE"), ((c.hash[:12], c.date, c.author, c.message) for c in commits))


@app.command()
def diff(
    name: Name,
    source: From = MAIN,
    target: Annotated[str, typer.Option("--to", metavar="CHANNEL", help="The other side.")] = DEVELOP,
    registry: Registry = "",
    as_json: Json = False,
) -> None:
    """What is different about a package between two channels, hooks first."""
    with opened_source(registry) as opening:
        before, after = opening.bundle(name, source), opening.bundle(name, target)
    if before is None and after is None:
        raise Refusal("not_found", f"there is no package `{name}` in `{source}` or `{target}`")
    found = compare(before, after)
    if as_json:
        screen.document({"ok": True, "package": name, "from": source, "to": target, "same": found.same, "diff": found})
        return
    _tell(found, source, target)


@app.command()
def export(
    name: Name,
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A new folder.")],
    channel: Channel = "",
    registry: Registry = "",
    as_json: Json = False,
) -> None:
    """Write a published package as the folder it was imported from."""
    with opened_source(registry) as source:
        files = export_to(required(source, name, channel_name(channel, os.environ)), folder)
    if as_json:
        screen.document({"ok": True, "package": name, "files": files})
        return
    screen.say(f"{len(files)} files in {folder}")


def required(source: Published, name: str, channel: str) -> Bundle:
    """Find a package. Raises Refusal that says where it was looked for."""
    bundle = source.bundle(name, channel)
    if bundle is None:
        hint = f"type: synaptic search {name} --channel {channel}"
        raise Refusal("not_found", f"there is no package `{name}` in `{channel}`", hint=hint)
    return bundle


def _promote(name: str, way: tuple[str, str], registry: str, as_json: bool) -> None:
    with opened_source(registry) as source:
        move = author.promote(source, name, *way) if name else author.promote_all(source, *way)
    what = name or "all packages"
    if as_json:
        screen.document({"ok": True, "package": name or None, "from": way[0], "to": way[1], "commit": move})
        return
    screen.say(f"{what}: {way[0]} -> {way[1]}" + ("" if move else ", which had it already"))


def _verified(bundle: Bundle) -> Iterator[tuple[str, str, str]]:
    bad = corrupt(bundle)
    for path in (*(file.dest_path for file in bundle.files), "(aggregate)"):
        yield bundle.package.name, path, "CORRUPT" if path in bad else "OK"


def _tell(found: Comparison, source: str, target: str) -> None:
    if found.same:
        screen.say(f"the same in {source} and {target}")
        return
    if found.version_before != found.version_after:
        sides = (found.version_before or "not there", found.version_after or "not there")
        screen.say(f"version: {sides[0]} in {source}, {sides[1]} in {target}")
    rows = [(one.state, f"hook {one.event} {one.script}") for one in found.hooks]
    screen.table(("STATE", "WHAT"), [*rows, *((one.state, one.path) for one in found.files)])
