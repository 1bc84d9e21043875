"""Behaviour of a client as data, and its worth in words."""

import tomllib
from pathlib import Path

import msgspec
import pytest

from synaptic.verification.cases import CASES, HOOKS
from synaptic.verification.judgement import (
    CaseResult,
    ClientSession,
    Evidence,
    judge_case,
    judge_client,
)

DATA = tomllib.loads(Path(__file__).with_name("judgement.toml").read_text())["case"]
BY_NAME = {case.name: case for case in CASES}
GOOD = tuple(CaseResult(name=case.name, found="fine") for case in CASES)
SESSION = ClientSession(turns=7)


@pytest.mark.parametrize("case", DATA, ids=lambda case: case["name"])
def test_a_call_is_judged_by_what_it_left_behind(case):
    seen = msgspec.convert(case["seen"], Evidence)
    found = judge_case(BY_NAME[case["call"]], seen)
    assert (found.found, found.is_breach) == (case["found"], case.get("breach", False))
    assert (case.get("problem", "") in found.problem) and bool(found.problem) == ("problem" in case)


def test_every_call_has_a_case_in_which_it_is_as_it_should_be_and_one_in_which_it_is_not():
    fine = {case["call"] for case in DATA if "problem" not in case}
    wrong = {case["call"] for case in DATA if "problem" in case}
    assert fine | {"edit"} == set(BY_NAME) == wrong


def with_one(name: str, **changed) -> tuple[CaseResult, ...]:
    return tuple(msgspec.structs.replace(one, **changed) if one.name == name else one for one in GOOD)


def test_a_client_that_does_everything_is_guarded():
    assert judge_client(GOOD, SESSION).standing == "guarded"


def test_a_breach_outweighs_a_client_that_hung():
    results = with_one("denied", problem="a denied call ran", is_breach=True)
    verdict = judge_client(results, ClientSession(turns=3, trouble="it did not end"))
    assert (verdict.standing, verdict.words) == ("NOT guarded", "a denied call ran")


def test_lost_advice_leaves_a_client_incomplete():
    verdict = judge_client(with_one("advised", problem="advice did not reach the model"), SESSION)
    assert (verdict.standing, verdict.words) == ("incomplete", "advice did not reach the model")


def test_where_the_allowed_call_did_not_run_nothing_is_known():
    results = with_one("allowed", problem="an allowed call did not run")
    verdict = judge_client(results, ClientSession(turns=1, last_words="unknown option -p"))
    assert verdict.standing == "not verified"
    assert "unknown option -p" in verdict.words


def test_a_client_that_asks_its_model_nothing_is_not_verified():
    verdict = judge_client(GOOD, ClientSession(turns=0, last_words="please log in"))
    assert (verdict.standing, verdict.words.endswith("please log in")) == ("not verified", True)


def test_a_client_that_does_not_end_is_incomplete_at_best():
    verdict = judge_client(GOOD, ClientSession(turns=9, trouble="it did not end within 60 s and was ended"))
    assert verdict.standing == "incomplete"


def test_each_call_is_told_apart_from_the_others_and_every_word_of_a_hook_is_its_own():
    files = [name for case in CASES for name in (case.file, case.instead) if name]
    assert not [(one, other) for one in files for other in files if one != other and one in other]
    hooks = tomllib.loads(HOOKS.read_text())["hook"]
    assert all(any(case.says in hook["command"] for hook in hooks) for case in CASES if case.says)
