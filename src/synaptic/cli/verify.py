"""`synaptic verify`: whether files, hooks and lockfile of the installed packages agree."""

from typing import Annotated

import msgspec

from synaptic.cli import progress, screen, typer
from synaptic.cli.completion import complete_installed_packages
from synaptic.cli.place import find_place
from synaptic.cli.sites import ScopeOption, find_installed_sites, list_sites
from synaptic.cli.verbs import Json, format_examples, make_verb_app
from synaptic.model.refusal import Refusal
from synaptic.packages.verify_install import VerifyFinding, verify_site

app = make_verb_app()

EXAMPLES = """
synaptic verify
synaptic verify policy-guard
synaptic doctor --fix          restores what was changed
"""


@app.command(epilog=format_examples(EXAMPLES))
def verify(
    name: Annotated[
        str, typer.Argument(help="One package; without it all of them.", autocompletion=complete_installed_packages)
    ] = "",
    scope: ScopeOption = None,
    as_json: Json = False,
) -> None:
    """Look at every installed file and hook; exit code 1 when one is missing, or changed so that it cannot run."""
    place = find_place()
    sites = list_sites(place, scope)
    if name and not find_installed_sites(place, name, scope):
        raise Refusal("not_found", f"{name} is not installed here", where=place.cwd, hint="type: synaptic freeze")
    with progress.show_progress("comparing files"):
        found = [one for site in sites for one in verify_site(site, name)]
    failed = [one for one in found if one.has_failed]
    if as_json:
        screen.print_json({"ok": not failed, "found": [_finding_to_json(one) for one in found]})
    else:
        _print_findings(found)
    if failed:
        raise typer.Exit(1)


def _finding_to_json(found: VerifyFinding) -> dict[str, str]:
    return {**msgspec.structs.asdict(found), "severity": found.severity}


def _print_findings(found: list[VerifyFinding]) -> None:
    for one in found:
        if one.kind != "ok":
            screen.say(f"{one.severity}: {one.package} ({one.scope}) {one.kind} {one.path} {one.message}".rstrip())
    packages = {(one.package, one.scope) for one in found}
    good = sum(one.kind == "ok" for one in found)
    screen.say(f"{len(packages)} packages, {good} files as installed, {len(found) - good} findings")
