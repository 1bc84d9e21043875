"""`synaptic doctor`: every cause of "my hook does not run", looked at one after another."""

from typing import Annotated

import typer

from synaptic.cli import daemon, health, screen
from synaptic.cli.bootstrap import installation
from synaptic.cli.health import Finding
from synaptic.cli.place import Here, here
from synaptic.cli.restore import restored
from synaptic.cli.verbs import shown, verb
from synaptic.model.errors import SynapticError
from synaptic.setup import bootstrap as packages
from synaptic.setup.env import write_env

app = verb()

EXAMPLES = """
synaptic doctor         what is wrong, and what to type
synaptic doctor --fix   repair what is ours to repair, then look again
"""


@app.command(epilog=shown(EXAMPLES))
def doctor(
    fix: Annotated[
        bool, typer.Option("--fix", help="Repair entries, dispatcher, daemon, env.toml and packages.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Look at everything between an agent and a hook; exit code 1 when something fails."""
    place = here()
    repaired = _repaired(place, health.examine(place)) if fix else []
    findings = health.examine(place)
    failed = [finding for finding in findings if finding.state == "fail"]
    if as_json:
        screen.document({"ok": not failed, "repaired": repaired, "findings": findings})
    else:
        for line in repaired:
            screen.say(f"repaired: {line}")
        for finding in findings:
            _print(finding)
        warned = sum(finding.state == "warn" for finding in findings)
        screen.say(f"{len(findings)} checks, {len(failed)} failed, {warned} warnings")
    if failed:
        raise typer.Exit(1)


def _print(finding: Finding) -> None:
    # The word is padded before it is coloured: colour codes have no width.
    word = screen.painted(finding.state) + " " * (4 - len(finding.state))
    print(f"{word}  {screen.clean(finding.check)}: {screen.clean(finding.seen)}")
    if finding.fix:
        print(f"      {screen.clean(finding.fix)}")


def _repaired(place: Here, findings: list[Finding]) -> list[str]:
    """What was done. Only things of our own are touched: nobody is trusted, no script but a package's is changed."""
    broken = {finding.repair for finding in findings if finding.state != "ok" and finding.repair}
    done: list[str] = []
    if "bootstrap" in broken:
        done += (f"{change.what} ({change.path})" for change in packages.bootstrap(installation(place)).done)
    if "env" in broken and place.project is not None:
        done.append(f"project variables ({write_env(place.project)})")
    if "packages" in broken:
        done += restored(place)
    if "socket" in broken:
        place.home.socket.chmod(0o600)
        done.append(f"permissions ({place.home.socket})")
    if "daemon" in broken:
        done.append(f"daemon {_daemon(place)}")
    return done


def _daemon(place: Here) -> str:
    try:
        return daemon.ensure(place.home)
    except SynapticError as error:
        return f"could not be started: {error}"
