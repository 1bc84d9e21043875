"""`synaptic self-test`: every policy, built in or your own, against the cases that came with it."""

from collections.abc import Sequence
from typing import Annotated

import msgspec

from synaptic.cli import completion, progress, screen, typer
from synaptic.cli.hints import suggest_name
from synaptic.cli.place import find_place
from synaptic.cli.policy_cases import run_outside_cases
from synaptic.cli.verbs import Json, format_examples, make_verb_app
from synaptic.model.errors import DeclarationError
from synaptic.policies.base import Policy, load_policies
from synaptic.policies.cases import Case, evaluate_case, find_case_file, find_mismatch, load_cases
from synaptic.runners.policy_wire import CaseResult
from synaptic.work.disputed_cases import CasePlace, DisputedCase, judge_cases

app = make_verb_app()
DISPUTED_WORDS = {"deny": "refused", "ask": "asked about"}
LET_THROUGH = "let through"

EXAMPLES = """
synaptic self-test                       every policy
synaptic self-test sane.forged-state     one of them
"""


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
    """Run the cases of every policy, with nothing read and nothing written. Exit code 1 when a rule is broken.

    Calls that a person has marked as judged wrongly (`synaptic inbox wrong`, `synaptic case`) are asked too. They fail
    nothing.
    """
    known = load_policies()
    with progress.show_progress("asking every policy about its cases"):
        results = [run_cases(policy) for policy in known.values() if name in ("", policy.id)]
        if name not in known:
            results += run_outside_cases(find_place(), name)
        disputed = tuple(judge_cases(_list_places(), name))
    if not results and not disputed:
        raise DeclarationError(f"there is no policy `{name}`", hint=suggest_name(name, known, "synaptic policy list"))
    failed = sum(len(one.failed) for one in results)
    print_results(results, failed, as_json, disputed)
    if failed:
        raise typer.Exit(1)


def run_cases(policy: type[Policy]) -> CaseResult:
    """Run the cases of one policy; some case must make it fire and some must leave it quiet."""
    try:
        all_cases = load_cases(policy)
    except (OSError, msgspec.MsgspecError) as error:
        return CaseResult(policy=policy.id, failed=(f"{find_case_file(policy)} cannot be read: {error}",))
    wrong = [f"{case.name}: {why}" for case in all_cases if (why := _explain_failure(policy, case))]
    passed = len(all_cases) - len(wrong)
    # Only when every case is met: else a broken rule would be reported twice.
    if not wrong:
        verdicts = [evaluate_case(policy, case) for case in all_cases]
        wrong += [] if any(verdicts) else [f"{find_case_file(policy)}: no case fires"]
        wrong += [] if not all(verdicts) else [f"{find_case_file(policy)}: no case stays quiet"]
    return CaseResult(policy=policy.id, passed=passed, failed=tuple(wrong))


def _explain_failure(policy: type[Policy], case: Case) -> str:
    try:
        return find_mismatch(policy, case)
    except Exception as error:  # noqa: BLE001  a rule that crashes is a broken rule, and the others are still asked
        return f"{type(error).__name__}: {error}"


def _list_places() -> tuple[CasePlace, ...]:
    """Where people keep cases: their own folder, and that of the project."""
    place = find_place()
    projects = (CasePlace(place.home, place.project),) if place.project else ()
    return (CasePlace(place.home), *projects)


def print_results(
    results: Sequence[CaseResult], failed: int, as_json: bool, disputed: Sequence[DisputedCase] = ()
) -> None:
    """One line a policy, then each case that is not met, then what people say is wrong."""
    passed = sum(one.passed for one in results)
    if as_json:
        screen.print_json(
            {"ok": not failed, "passed": passed, "failed": failed, "policies": results, "disputed": disputed}
        )
        return
    rows = (("fail" if one.failed else "ok", one.policy, str(one.passed), str(len(one.failed))) for one in results)
    screen.print_table(("", "POLICY", "PASSED", "FAILED"), rows)
    for one in results:
        for line in one.failed:
            screen.say(f"{one.policy}: {line}")
    screen.say(f"{passed} cases passed, {failed} failed")
    for case in disputed:
        screen.say(_describe_disputed(case))


def _describe_disputed(one: DisputedCase) -> str:
    """What a person says, and what the policy says now."""
    if one.trouble:
        return f"{one.policy}: {one.case or one.file}: a person says: wrong; it cannot be asked: {one.trouble}"
    now = f"still {DISPUTED_WORDS.get(one.says, LET_THROUGH)}" if one.still else "judged so no more"
    return f"{one.policy}: {one.case}: a person says: wrong; {now} ({one.file})"
