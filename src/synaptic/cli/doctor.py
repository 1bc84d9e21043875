"""`synaptic doctor`: every cause of "my hook does not run", looked at one after another."""

from typing import Annotated

from synaptic.cli import progress, screen, typer
from synaptic.cli.health import examine_setup, repair_setup
from synaptic.cli.place import find_place
from synaptic.cli.verbs import Json, format_examples, make_verb_app
from synaptic.policies.base import load_policies
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
    with progress.show_progress("looking at every hook"):
        repaired = repair_setup(place, list(examine_setup(place))) if fix else []
        # Again after the repair: what is shown is how it is now.
        findings = list(examine_setup(place))
    failed = [finding for finding in findings if finding.state == "fail"]
    if as_json:
        screen.print_json({"ok": not failed, "repaired": repaired, "findings": findings})
    else:
        for line in repaired:
            screen.say(f"repaired: {line}")
        _print_findings(findings)
        warned = sum(finding.state == "warn" for finding in findings)
        screen.say(f"{len(findings)} checks, {len(failed)} failed, {warned} warning{'' if warned == 1 else 's'}")
    if failed:
        raise typer.Exit(1)


def _print_findings(findings: list[DoctorFinding]) -> None:
    """Policies that are in order on one line: there are fifty of them, and what is wrong must not drown."""
    quiet = [finding for finding in findings if finding.state == "ok" and finding.check in _list_policy_checks()]
    for finding in findings:
        if finding not in quiet:
            _print_finding(finding)
        elif finding is quiet[0]:
            seen = f"{len(quiet)} are on and run (synaptic policy list --on names them)"
            _print_finding(DoctorFinding(check="policies", state="ok", seen=seen))


def _list_policy_checks() -> frozenset[str]:
    return frozenset(f"hook {name}" for name in load_policies())


def _print_finding(finding: DoctorFinding) -> None:
    screen.say_under(f"{finding.state:<4}  ", f"{finding.check}: {finding.seen}")
    if finding.fix:
        screen.say_exactly(f"      {finding.fix}")
