"""`synaptic doctor`: every cause of "my hook does not run", looked at one after another."""

from typing import Annotated

from synaptic.cli import screen, typer
from synaptic.cli.health import examine_setup, repair_setup
from synaptic.cli.place import find_place
from synaptic.cli.verbs import Json, format_examples, make_verb_app
from synaptic.setup.doctor import DoctorFinding

app = make_verb_app()

EXAMPLES = """
synaptic doctor         what is wrong, and what to type
synaptic doctor --fix   repair what is ours to repair, then look again
"""


@app.command(epilog=format_examples(EXAMPLES))
def doctor(
    fix: Annotated[
        bool, typer.Option("--fix", help="Repair entries, dispatcher, daemon, env.toml and packages.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Look at everything between an agent and a hook; exit code 1 when something fails."""
    place = find_place()
    with screen.show_progress("looking at every hook"):
        repaired = repair_setup(place, list(examine_setup(place))) if fix else []
        # Again after the repair: what is shown is how it is now.
        findings = list(examine_setup(place))
    failed = [finding for finding in findings if finding.state == "fail"]
    if as_json:
        screen.print_json({"ok": not failed, "repaired": repaired, "findings": findings})
    else:
        for line in repaired:
            screen.say(f"repaired: {line}")
        for finding in findings:
            _print_finding(finding)
        warned = sum(finding.state == "warn" for finding in findings)
        screen.say(f"{len(findings)} checks, {len(failed)} failed, {warned} warnings")
    if failed:
        raise typer.Exit(1)


def _print_finding(finding: DoctorFinding) -> None:
    # The word is padded before it is coloured: colour codes have no width.
    word = screen.paint_word(finding.state) + " " * (4 - len(finding.state))
    print(f"{word}  {screen.clean_text(finding.check)}: {screen.clean_text(finding.seen)}")
    if finding.fix:
        print(f"      {screen.clean_text(finding.fix)}")
