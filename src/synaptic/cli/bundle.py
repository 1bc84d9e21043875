"""`synaptic bundle`: an organisation's policy: made, signed, tried on what happened, published, and in force here."""

import os
from pathlib import Path
from typing import Annotated, Any, Literal

from synaptic.cli import bundle_trial, bundle_view, screen, suggestions, typer
from synaptic.cli.place import find_place
from synaptic.cli.verbs import Json, make_verb_app
from synaptic.files.replace import replace_file
from synaptic.model.errors import SynapticError

app = make_verb_app(
    "An organisation's policy as one signed file: it tightens, and what it locks holds on managed machines.",
    """
    synaptic bundle build policy/ --out bundle.toml   check everything, and write it as one file
    synaptic bundle test bundle.toml                  how many calls of last week would change
    synaptic bundle key new ~/acme.key                once; keep it away from the hub
    synaptic bundle sign bundle.toml --key ~/acme.key
    synaptic bundle publish bundle.toml --hub https://hub.example
    synaptic bundle status                            what is in force here
    """,
)
FileArgument = Annotated[
    str, typer.Argument(metavar="FILE", help="A bundle.", autocompletion=suggestions.complete_files)
]


@app.command()
def build(
    path: Annotated[
        str,
        typer.Argument(
            metavar="PATH",
            help="bundle.toml, or a folder with it and rules*.toml.",
            autocompletion=suggestions.complete_files,
        ),
    ],
    out: Annotated[str, typer.Option("--out", metavar="FILE", help="Where it is written, as it is signed.")] = "",
    as_json: Json = False,
) -> None:
    """Check everything in a bundle: keys, values, locks, rules and their examples. Exit code 1 with every fault."""
    from synaptic.hub.bundles.source_files import assemble_bundle  # noqa: PLC0415 - only a bundle's author needs it

    text = assemble_bundle(Path(path).expanduser())
    checked = _check_text(text, as_json)
    if out:
        replace_file(Path(out).expanduser().absolute(), text, 0o644)
    if as_json:
        screen.print_json({"ok": True, **bundle_view.describe_checked(checked), "file": out})
        return
    for line in bundle_view.list_checked(checked):
        screen.say(line)
    for one in checked.notes:
        screen.note(one)
    screen.say(f"written: {out}" if out else "nothing was written (--out FILE)")


@app.command()
def key(
    action: Annotated[Literal["new"], typer.Argument(metavar="new", help="`new`: make one.")],
    path: Annotated[str, typer.Argument(metavar="PATH", help="The file; one that is there is never replaced.")],
    as_json: Json = False,
) -> None:
    """Make the key that bundles are signed with. Its public half is what hosts pin. Only for people."""
    from synaptic.hub.keys import SecretKey  # noqa: PLC0415 - as above

    made, file = SecretKey.make(), Path(path).expanduser()
    try:
        made.write(file)
    except FileExistsError:
        raise SynapticError("there is a file already, and a key is never replaced", where=str(file)) from None
    if as_json:
        screen.print_json({"ok": True, "file": str(file), "public": made.public.text})
        return
    screen.say(f"written: {file} (whoever has it signs for all of you)")
    screen.say_exactly(made.public.text)


@app.command()
def sign(
    file: FileArgument,
    key: Annotated[str, typer.Option("--key", metavar="PATH", help="The secret key.")],
    as_json: Json = False,
) -> None:
    """Sign a bundle: FILE.minisig, which minisign verifies as well. Only for people."""
    from synaptic.hub.bundles.source_files import read_part  # noqa: PLC0415 - as above
    from synaptic.hub.keys import SecretKey  # noqa: PLC0415

    path = Path(file).expanduser()
    text = read_part(path)
    checked = _check_text(text, as_json)
    try:
        secret = SecretKey.read(Path(key).expanduser())
    except (OSError, UnicodeDecodeError) as error:
        raise SynapticError(f"the key cannot be read: {error}"[:300], where=key) from error
    beside = path.with_name(f"{path.name}.minisig").absolute()
    replace_file(beside, secret.sign(text, checked.bundle.label).encode(), 0o644)
    bundle_view.say_done(as_json, f"written: {beside}", file=str(beside), public=secret.public.text)


@app.command()
def verify(
    file: FileArgument,
    key: Annotated[str, typer.Option("--key", metavar="RW...", help="The public key, or the file it is in.")],
    signature: Annotated[str, typer.Option(metavar="FILE", help="Without it FILE.minisig.")] = "",
    as_json: Json = False,
) -> None:
    """Whether a bundle is whole and signed with a key, by us or by minisign itself."""
    from synaptic.hub.bundles.source_files import read_part, read_signed  # noqa: PLC0415 - as above
    from synaptic.hub.keys import PublicKey  # noqa: PLC0415

    beside = Path(signature).expanduser() if signature else None
    signed = read_signed(Path(file).expanduser(), beside)
    text = key if key.startswith("RW") else read_part(Path(key).expanduser(), 4096).decode("utf-8", "replace")
    comment = PublicKey.parse(text).verify(signed.text.encode(), signed.signature)
    checked = _check_text(signed.text.encode(), as_json)
    label = checked.bundle.label
    bundle_view.say_done(as_json, f"{label}: signed by this key ({comment})", bundle=label, comment=comment)


@app.command("test")
def try_bundle(
    file: FileArgument,
    since: Annotated[str, typer.Option(metavar="WHEN", help="From then on, such as 7d.")] = "7d",
    home: Annotated[
        list[str] | None, typer.Option("--home", metavar="PATH", help="A home with a journal; without it yours.")
    ] = None,
    managed: Annotated[bool, typer.Option("--managed", help="As on machines where its locks count.")] = False,
    samples: Annotated[int, typer.Option(min=0, max=1000, help="How many of each kind are shown.")] = 3,
    max_new_denials: Annotated[
        int | None, typer.Option(min=0, metavar="N", help="Exit code 1 when more would be denied that were not.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Decide what happened again with a bundle beneath every user's settings: what would change, and by which rule."""
    from synaptic.hub.bundles.source_files import assemble_bundle  # noqa: PLC0415 - as above

    text = assemble_bundle(Path(file).expanduser())
    _check_text(text, as_json)
    trial = bundle_trial.BundleTrial(text.decode(), since, managed, samples)
    summary, change = trial.run(home or [str(find_place().home.root)])
    bundle_trial.print_trial(summary, change, as_json)
    if max_new_denials is not None and summary.new_denials > max_new_denials:
        screen.warn(f"{summary.new_denials} calls would be denied that were not; at most {max_new_denials} may be")
        raise typer.Exit(1)


@app.command()
def publish(
    file: FileArgument,
    hub: Annotated[str, typer.Option("--hub", metavar="URL", help="A hub, as an administrator.")] = "",
    git: Annotated[
        str, typer.Option("--git", metavar="REMOTE", help="A repository: git+https://host/x.git@branch#folder.")
    ] = "",
    as_json: Json = False,
) -> None:
    """Put a signed bundle where hosts fetch it from. Only for people."""
    from synaptic.hub.bundles.source_files import read_signed  # noqa: PLC0415 - as above

    if bool(hub) == bool(git):
        raise SynapticError("say where: one of --hub and --git")
    signed = read_signed(Path(file).expanduser())
    label = _check_text(signed.text.encode(), as_json).bundle.label
    if hub:
        from synaptic.hub.bundles.from_hub import publish_to_hub  # noqa: PLC0415 - as above

        publish_to_hub(find_place().home, hub, signed, os.environ.get("SYNAPTIC_HUB_TOKEN", ""))
        changed = True
    else:
        from synaptic.hub.bundles.publish import publish_to_git  # noqa: PLC0415 - as above

        changed = publish_to_git(git, signed, label)
    told = f"{label} is published at {hub or git}" if changed else f"{label} is there already"
    bundle_view.say_done(as_json, told, bundle=label, changed=changed)


@app.command()
def status(as_json: Json = False) -> None:
    """What is in force here, from where, what is locked, who may answer, and why the last one was refused."""
    found = bundle_view.describe_standing(find_place().home)
    if as_json:
        screen.print_json({"ok": not found["problems"], **found})
        return
    for line in bundle_view.list_standing(found):
        screen.say(line)


@app.command()
def pull(as_json: Json = False) -> None:
    """Fetch the newest bundle now, and take it in; exit code 1 where it is refused: then the last good one stays."""
    from synaptic.hub.bundles.pull import pull_bundle  # noqa: PLC0415 - as above

    result = pull_bundle(find_place().home)
    if as_json:
        screen.print_json({"ok": result.state != "refused", **bundle_view.to_json(result)})
    elif result.state == "refused":
        screen.warn(f"refused, and nothing has changed: {result.why}")
    else:
        screen.say(f"{result.label}: {result.state}")
    if result.state == "refused":
        raise typer.Exit(1)


@app.command()
def follow(
    url: Annotated[str, typer.Argument(metavar="URL", help="git+https://host/x.git@branch#folder, or dolt+http://...")],
    key: Annotated[str, typer.Option("--key", metavar="RW...", help="The organisation's public key.")],
    managed: Annotated[
        bool, typer.Option("--managed", help="Its locked keys count against your own settings.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Believe bundles of this key, and fetch them from there, without a hub. Only for people."""
    from synaptic.hub.bundles.from_dolt import is_dolt_url  # noqa: PLC0415 - as above
    from synaptic.hub.bundles.from_git import GitPlace, is_git_url  # noqa: PLC0415
    from synaptic.hub.bundles.pin import BundleSource, write_source  # noqa: PLC0415

    if not is_dolt_url(url):
        url = GitPlace.parse(url if is_git_url(url) else f"git+{url}").url
    write_source(find_place().home, BundleSource(url=url, organisation_key=key, is_managed=managed))
    bundle_view.say_done(as_json, f"bundles come from {url} now; fetch one: synaptic bundle pull", url=url)


@app.command()
def drop(as_json: Json = False) -> None:
    """Have no bundle in force any more, and follow no source. A hub that was joined brings its own again."""
    from synaptic.hub.bundles.install import drop_bundle  # noqa: PLC0415 - as above

    drop_bundle(find_place().home)
    bundle_view.say_done(as_json, "no bundle is in force here")


def _check_text(text: bytes, as_json: bool) -> Any:
    """The bundle as it was checked; where something is wrong with it, that is told, and it is the end."""
    from synaptic.hub.bundles.check import check_bundle  # noqa: PLC0415 - as above

    checked = check_bundle(text)
    if not checked.problems:
        return checked
    if as_json:
        screen.print_json({"ok": False, "problems": checked.problems})
    else:
        for problem in checked.problems:
            screen.warn(problem)
    raise typer.Exit(1)
