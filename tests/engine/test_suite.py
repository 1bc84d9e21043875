"""Background runs of real tests."""

import asyncio
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest

from synaptic.engine.suite import SuiteRun, count_failures
from synaptic.model.errand import RunTests
from synaptic.model.home import Home
from synaptic.model.project import TestStatus
from synaptic.model.state import Change
from synaptic.policies.facts import Facts
from synaptic.policies.practice.records import parse_status_line
from synaptic.policies.practice.sections import STRIKES, TESTS, read_test_status
from synaptic.store import state
from synaptic.store.db import Store

PYTEST = (sys.executable, "-m", "pytest", "-q", "--tb=short", "-p", "no:cacheprovider")


class Place:
    """A project with one test, and the home of its user."""

    def __init__(self, folder: Path) -> None:
        self.home = Home(folder / "home" / ".synaptic")
        self.home.root.mkdir(parents=True)
        self.root = folder / "project"
        (self.root / "tests").mkdir(parents=True)
        self.claude = self.root / ".claude"

    def test(self, body: str) -> None:
        (self.root / "tests" / "test_a.py").write_text(f"def test_a():\n    {body}\n")

    def run(self, argv: tuple[str, ...] = PYTEST, **more: float) -> RunTests:
        options = {"timeout": 30.0, "debounce": 0.05, "cooldown": 0.0, **more}
        return RunTests(name="pytest", argv=argv, cwd=str(self.root), **options)

    def works(self, run: RunTests) -> str:
        return asyncio.run(SuiteRun(self.home, str(self.root), run).work())

    def status(self) -> list[str]:
        return (self.claude / ".test-status").read_text().strip().split("|")

    def section(self, name: str) -> dict[str, object]:
        store = Store.open(self.home)
        try:
            return dict(state.read_state(store, state.SectionOwner(str(self.root)), (name,)).read_section(name))
        finally:
            store.close()

    def strikes(self, count: int) -> None:
        store = Store.open(self.home)
        state.write_change(store, state.SectionOwner(str(self.root)), Change(section=STRIKES, put={"strikes": count}))
        store.close()
        self.claude.mkdir(exist_ok=True)
        (self.claude / ".test-gate-strikes").write_text(f"{count}|1\n")


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_a_failing_suite_is_a_failure(place: Place):
    """S4-127, S4-180, S4-D03"""
    place.test("assert 1 == 2")
    told = place.works(place.run())
    assert told.startswith("Tests FAILED (pytest, exit 1): 1 failure(s).")
    assert "assert 1 == 2" in told
    result, failures, at = place.status()
    assert (result, failures) == ("fail", "1")
    assert abs(int(at) - time.time()) < 30
    assert place.section(TESTS)["result"] == "fail"
    assert (place.claude / ".audit-log").read_text().strip().endswith("|test_fail|pytest: 1 failure(s)")
    assert "1 failed" in (place.claude / ".test-runner.out").read_text()
    assert (place.claude / ".test-runner.last-run").read_text().strip().isdigit()
    assert (place.claude / ".test-runner.lock").read_text() == f"{os.getpid()}\n"


def test_a_passing_suite_releases_the_gate(place: Place):
    """S4-082, S4-127"""
    place.strikes(2)
    place.test("pass")
    assert place.works(place.run()) == "Tests passed (pytest)."
    assert place.status()[:2] == ["pass", "0"]
    assert place.section(STRIKES) == {}
    assert not (place.claude / ".test-gate-strikes").exists()
    assert not (place.claude / ".audit-log").exists()


def test_a_suite_without_tests_or_without_an_end_has_no_result(place: Place):
    assert place.works(place.run()) == ""
    told = place.works(place.run(("/bin/sleep", "30"), timeout=0.3))
    assert "no answer within 0.3 s" in told
    assert not (place.claude / ".test-status").exists()


@pytest.mark.parametrize(
    ("argv", "more"),
    [
        (("/bin/sleep", "30"), {"timeout": 0.3}),
        (("/nowhere/npm", "test"), {}),
        (("/bin/sh", "-c", "echo 'sh: 1: vitest: not found'; exit 127"), {}),
        (("/bin/sh", "-c", "echo 'sh: 1: vitest: not found'; echo ' ELIFECYCLE  Test failed.'; exit 1"), {}),
    ],
    ids=["no end", "no runner", "no program", "no program, and another exit code"],
)
def test_a_run_that_never_comes_about_holds_nobody_to_an_older_result(place: Place, argv: tuple[str, ...], more: dict):
    """A project is not locked for ten minutes by tests that nobody can run."""
    place.claude.mkdir()
    place.works(place.run(("/bin/sh", "-c", "echo '2 failed'; exit 1")))
    assert read_status(place) is not None
    told = place.works(msgspec.structs.replace(place.run(argv, **more), name="npm test"))
    assert "there is no result" in told
    assert read_status(place) is None
    place.works(place.run(("/bin/sh", "-c", "echo '2 failed'; exit 1")))
    assert read_status(place) is not None


def read_status(place: Place) -> TestStatus | None:
    """What the gates believe."""
    store = Store.open(place.home)
    try:
        known = state.read_state(store, state.SectionOwner(str(place.root)), (TESTS,))
    finally:
        store.close()
    return read_test_status(Facts(state=known, tests=parse_status_line((place.claude / ".test-status").read_text())))


def test_a_script_that_would_watch_for_changes_is_told_that_nobody_does(place: Place):
    script = ("/bin/sh", "-c", 'test "$CI" = true')
    assert place.works(msgspec.structs.replace(place.run(script), name="npm test")) == "Tests passed (npm test)."


def test_two_quick_writes_are_one_run(place: Place):
    """S4-126"""
    script = ("/bin/sh", "-c", "echo ran >> ran; sleep 0.3")

    async def both() -> list[str]:
        first = SuiteRun(place.home, str(place.root), place.run(script, debounce=0.5))
        second = SuiteRun(place.home, str(place.root), place.run(script, debounce=0.5))
        second._token = "another\n"
        early = asyncio.create_task(first.work())
        await asyncio.sleep(0.1)
        return list(await asyncio.gather(early, second.work()))

    assert asyncio.run(both()) == ["", "Tests passed (pytest)."]
    assert (place.root / "ran").read_text().split() == ["ran"]


def test_a_newer_run_ends_an_older_one_with_what_it_started(place: Place):
    """S4-126"""
    slow = ("/bin/sh", "-c", "echo started >> ran; (sleep 2; touch late) & sleep 20; echo ended >> ran")

    async def both() -> list[str]:
        older = SuiteRun(place.home, str(place.root), place.run(slow))
        newer = SuiteRun(place.home, str(place.root), place.run(("/bin/true",)))
        newer._token = "another\n"
        early = asyncio.create_task(older.work())
        while not (place.root / "ran").exists():
            await asyncio.sleep(0.02)
        return list(await asyncio.gather(early, newer.work()))

    assert asyncio.run(both()) == ["", "Tests passed (pytest)."]
    assert (place.root / "ran").read_text().split() == ["started"]
    time.sleep(2)
    assert not (place.root / "late").exists()


def test_the_next_run_waits_for_the_cooldown(place: Place):
    """S4-126"""
    place.claude.mkdir()
    (place.claude / ".test-runner.last-run").write_text(f"{int(time.time())}\n")
    started = time.monotonic()
    place.works(place.run(("/bin/true",), cooldown=2.0))
    assert time.monotonic() - started > 0.9


@pytest.mark.parametrize("left", ["garbage", "-1", "9" * 300, "\u0663"])
def test_a_malformed_last_run_is_no_reason_to_wait(place: Place, left: str):
    place.claude.mkdir()
    (place.claude / ".test-runner.last-run").write_text(left)
    assert place.works(place.run(("/bin/true",), cooldown=0.2)) == "Tests passed (pytest)."


@pytest.mark.parametrize(
    ("output", "count"),
    [
        ("2 failed, 3 passed in 0.1s", 2),
        ("FAILED a\nFAILED b\n", 2),
        ("--- FAIL: TestA\nFAIL\n", 2),
        ("Tests:       4 failed, 1 passed", 4),
        ("crashed", 1),
        ("", 1),
        ("1 error in 0.1s", 1),
        ("0 failed; something else broke", 1),
    ],
)
def test_failures_are_counted_from_the_output(output: str, count: int):
    """S4-127"""
    assert count_failures(output) == count


def test_the_program_answers_in_the_agent_s_own_form(place: Place):
    """S4-001, S4-011"""
    place.test("pass")
    run = msgspec.json.encode(place.run()).decode()
    command = [sys.executable, "-I", "-m", "synaptic.engine.suite", str(place.home.root), str(place.root), run]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=dict(os.environ))
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {"systemMessage": "Tests passed (pytest)."}
