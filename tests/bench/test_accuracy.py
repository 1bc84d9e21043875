"""How accuracy is counted, and that the guard holds to its two numbers on the case set of this repository."""

import asyncio
from pathlib import Path

import pytest
from bench.accuracy import CORPUS, FALSE, RECALL, Judged, Row, judge, read, report, share

CWD = "/home/dev/project"


def judged(expect: str, decision: str, policy: str | None = None) -> Judged:
    return Judged(Row("cmd", expect, "topic"), decision, policy)


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
    text = report(
        [judged("block", "allow"), judged("block", "deny"), judged("allow", "deny", "git.clean")], topics=True
    )
    assert "1 of 2  50.00 %" in text
    assert "MISSED" in text
    assert "STOPPED by git.clean  [topic, core]  'cmd'" in text


def test_an_empty_set_has_no_percentage() -> None:
    assert "0 of 0  -" in report([])


def test_rows_are_read_line_by_line(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text(
        '{"cmd": "ls", "expect": "allow"}\n\n{"cmd": "x", "expect": "block", "topic": "t", "tier": "opinion"}\n'
    )
    assert read(file) == [Row("ls", "allow"), Row("x", "block", "t", "opinion")]


def test_the_guard_holds_to_its_numbers_on_the_core_rows() -> None:
    rows = [row for row in read(CORPUS) if row.tier == "core"]
    results = asyncio.run(judge(rows, CWD))
    (stopped, dangerous), (free, harmless) = share(results, "block"), share(results, "allow")
    assert stopped >= RECALL * dangerous, report(results)
    assert harmless - free <= FALSE * harmless, report(results)
