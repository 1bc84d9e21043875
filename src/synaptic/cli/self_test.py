"""`synaptic self-test`: every policy of the installed program against the cases it was shipped with."""

from typing import Annotated

import msgspec

from synaptic.cli import completion, progress, screen, typer
from synaptic.cli.hints import suggest_name
from synaptic.cli.verbs import Json, format_examples, make_verb_app
from synaptic.model.errors import DeclarationError
from synaptic.policies.base import Policy, load_policies
from synaptic.policies.cases import Case, evaluate_case, find_case_file, find_mismatch, load_cases

app = make_verb_app()

EXAMPLES = """
synaptic self-test                       every policy
synaptic self-test sane.forged-state     one of them
"""


class PolicyResult(msgspec.Struct, frozen=True):
    """How one policy did."""

    policy: str
    passed: int
    failed: tuple[str, ...] = ()
    """Each case that is not met, and why."""


@app.command("self-test", epilog=format_examples(EXAMPLES))
def self_test(
    name: Annotated[
        str,
        typer.Argument(
            metavar="[POLICY]", help="One policy; all without it.", autocompletion=completion.complete_policies
        ),
    ] = "",
    as_json: Json = False,
) -> None:
    """Run the cases of every policy, with nothing read and nothing written. Exit code 1 when a rule is broken."""
    known = load_policies()
    if name and name not in known:
        raise DeclarationError(f"there is no policy `{name}`", hint=suggest_name(name, known, "synaptic policy list"))
    with progress.show_progress("asking every policy about its cases"):
        results = [run_cases(policy) for policy in ([known[name]] if name else known.values())]
    failed = sum(len(one.failed) for one in results)
    _print_results(results, failed, as_json)
    if failed:
        raise typer.Exit(1)


def run_cases(policy: type[Policy]) -> PolicyResult:
    """Run the cases of one policy; some case must make it fire and some must leave it quiet."""
    try:
        all_cases = load_cases(policy)
    except (OSError, msgspec.MsgspecError) as error:
        return PolicyResult(policy.id, 0, (f"{find_case_file(policy)} cannot be read: {error}",))
    wrong = [f"{case.name}: {why}" for case in all_cases if (why := _explain_failure(policy, case))]
    passed = len(all_cases) - len(wrong)
    # Only when every case is met: else a broken rule would be reported twice.
    if not wrong:
        verdicts = [evaluate_case(policy, case) for case in all_cases]
        wrong += [] if any(verdicts) else [f"{find_case_file(policy)}: no case fires"]
        wrong += [] if not all(verdicts) else [f"{find_case_file(policy)}: no case stays quiet"]
    return PolicyResult(policy.id, passed, tuple(wrong))


def _explain_failure(policy: type[Policy], case: Case) -> str:
    try:
        return find_mismatch(policy, case)
    except Exception as error:  # noqa: BLE001  a rule that crashes is a broken rule, and the others are still asked
        return f"{type(error).__name__}: {error}"


def _print_results(results: list[PolicyResult], failed: int, as_json: bool) -> None:
    passed = sum(one.passed for one in results)
    if as_json:
        screen.print_json({"ok": not failed, "passed": passed, "failed": failed, "policies": results})
        return
    rows = (("fail" if one.failed else "ok", one.policy, str(one.passed), str(len(one.failed))) for one in results)
    screen.print_table(("", "POLICY", "PASSED", "FAILED"), rows)
    for one in results:
        for line in one.failed:
            screen.say(f"{one.policy}: {line}")
    screen.say(f"{passed} cases passed, {failed} failed")
