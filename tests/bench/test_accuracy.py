"""How accuracy is counted, and that the guard holds to its figures on the case sets of this repository."""

import asyncio
from pathlib import Path

import msgspec
import pytest
from bench.accuracy import FALSE, RECALL, Result, encode, report
from bench.case_sets import CASE_SETS, UNJUDGED_WEIGHT, CaseSet, Row, read_rows
from bench.judging import Judged, PolicyCases, count_right, judge

COMMANDS, _, REAL = CASE_SETS
SOME = CaseSet("some", "made up")
TRANSCRIPTS = CaseSet("ran", "made up", is_real=True)


def judged(expect: str, decision: str, policy: str | None = None) -> Judged:
    return Judged(Row("cmd", expect, "topic"), decision, policy)


def ran(verdict: str, decision: str, policy: str | None = None) -> Judged:
    return Judged(Row("cmd", verdict_by_eye=verdict), decision, policy)


@pytest.mark.parametrize(
    ("expect", "decision", "right"),
    [
        ("block", "deny", True),
        ("block", "ask", True),
        ("block", "rewrite", True),
        ("block", "allow", False),
        ("allow", "allow", True),
        ("allow", "rewrite", True),
        ("allow", "ask", False),
        ("allow", "deny", False),
    ],
)
def test_only_an_allow_misses_a_danger_and_only_a_refusal_stops_work(expect: str, decision: str, right: bool) -> None:
    assert judged(expect, decision).right is right


def test_the_report_names_every_miss_and_who_stopped_what() -> None:
    rows = [judged("block", "allow"), judged("block", "deny"), judged("allow", "deny", "git.clean")]
    text = report([Result(SOME, "essentials", rows)], topics=True)
    assert "some: 3 rows, made up; essentials" in text
    assert "1 of 2  50.00 %" in text
    assert "MISSED" in text
    assert "STOPPED by git.clean  [topic, core]  'cmd'" in text


def test_an_empty_set_has_no_percentage() -> None:
    assert "0 of 0  -" in report([Result(SOME, "essentials", [])])


def test_an_alarm_that_nobody_looked_at_counts_as_wrong_until_somebody_has() -> None:
    quiet = [ran("", "allow")] * 999
    assert Result(TRANSCRIPTS, "essentials", [*quiet, ran("right", "deny", "git.clean")]).is_met
    new = Result(TRANSCRIPTS, "essentials", [*quiet, ran("", "deny", "git.clean")])
    assert not new.is_met
    assert "git.clean  [real, core]  'cmd'" in report([new])


def test_a_right_alarm_that_is_lost_is_never_met() -> None:
    lost = Result(TRANSCRIPTS, "essentials", [ran("right", "allow"), *[ran("", "allow")] * 999])
    assert not lost.is_met
    assert "right ones lost    1 of 1" in report([lost])
    assert "MISSED" in report([lost])


def test_a_wrong_rewrite_is_as_wrong_as_a_wrong_alarm() -> None:
    assert ran("wrong", "rewrite").is_wrong_by_eye
    assert not ran("wrong", "allow").is_wrong_by_eye
    assert not ran("debatable", "ask").is_wrong_by_eye


def test_alarms_are_counted_by_policy_with_their_precision() -> None:
    rows = [ran("right", "deny", "git.clean"), ran("wrong", "ask", "git.clean"), ran("", "allow")]
    result = Result(TRANSCRIPTS, "essentials", rows)
    assert result.commands == 2 + UNJUDGED_WEIGHT
    assert "400.00 per 1,000   precision 50.00 %    1 right, 1 wrong" in report([result])


def test_a_policy_case_that_fails_is_named() -> None:
    text = report([], [PolicyCases("git.clean", "essentials", 2, 3, ("force: wanted deny, got none",))])
    assert "5 cases of 1 policies" in text
    assert "FAILED  git.clean: force: wanted deny, got none" in text


def test_the_figures_can_be_read_by_a_program() -> None:
    result = Result(TRANSCRIPTS, "strict", [ran("right", "deny", "git.clean")])
    told = msgspec.json.decode(encode([result], [PolicyCases("git.clean", "essentials", 1, 1)]))
    assert told["sets"][0]["alarms"] == {"git.clean": 1}
    assert told["sets"][0]["met"] is False
    assert told["policies"][0]["policy"] == "git.clean"


def test_rows_are_read_line_by_line(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text(
        '{"cmd": "ls", "expect": "allow"}\n\n{"cmd": "x", "expect": "block", "topic": "t", "tier": "opinion"}\n'
    )
    assert read_rows(file) == [Row("ls", "allow"), Row("x", "block", "t", "opinion")]


def test_the_guard_holds_to_its_numbers_on_the_core_rows() -> None:
    rows = [row for row in read_rows(COMMANDS.path) if row.tier == "core"]
    results = asyncio.run(judge(rows, COMMANDS.cwd))
    (stopped, dangerous), (free, harmless) = count_right(results, "block"), count_right(results, "allow")
    told = report([Result(COMMANDS, "essentials", results)])
    assert stopped >= RECALL * dangerous, told
    assert harmless - free <= FALSE * harmless, told


def test_no_right_alarm_about_what_agents_truly_ran_is_lost() -> None:
    rows = [row for row in read_rows(REAL.path) if row.verdict_by_eye == "right"]
    results = asyncio.run(judge(rows, REAL.cwd))
    assert [one.row.cmd for one in results if one.is_lost] == []


def test_strict_leaves_most_of_what_agents_truly_ran_alone() -> None:
    rows = read_rows(REAL.path)[::4]
    result = Result(REAL, "strict", asyncio.run(judge(rows, REAL.cwd, "strict")))
    assert result.is_met, report([result])
