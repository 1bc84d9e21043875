"""`synaptic doctor`: every cause of "my hook does not run", looked at one after another."""

from typing import Annotated

import typer

from synaptic.cli import screen
from synaptic.cli.health import examine, repair
from synaptic.cli.place import here
from synaptic.cli.verbs import Json, shown, verb
from synaptic.setup.doctor import Finding

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
    as_json: Json = False,
) -> None:
    """Look at everything between an agent and a hook; exit code 1 when something fails."""
    place = here()
    repaired = repair(place, list(examine(place))) if fix else []
    # Again after the repair: what is shown is how it is now.
    findings = list(examine(place))
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
