"""Which failure it was: the same one told differently, and different ones told alike."""

import time

import pytest

from synaptic.policies.sane.cause import MAX_SHOWN, find_cause

PYTEST = """Exit code 1
========================= test session starts =========================
rootdir: /tmp/pytest-of-u/pytest-{n}/p
tests/test_login.py F..                                         [100%]
=============================== FAILURES ===============================
    def test_login():
>       assert login("{n}") == {n}
E       assert 401 == {n}
tests/test_login.py:{n}: AssertionError
======================= short test summary info ========================
FAILED tests/test_login.py::test_login - {error}
================== 1 failed, {n} passed in 0.{n}s =================="""

SAME = {
    "a test after an edit": (
        PYTEST.format(n=12, error="assert 401 == 12"),
        PYTEST.format(n=3, error="assert 401 == 3"),
    ),
    "places": ("a.swift:10:5: bad", "b.swift:99:1: bad"),
    "folders": ("cp: cannot stat '/a/b': busy", "cp: cannot stat '/c/d/e.txt': busy"),
    "TypeScript": ("src/a.ts(12,5): error TS2322: no", "lib/b.ts(1,15): error TS2322: no"),
    "addresses": ("ValueError: bad <obj at 0x7f12ab>", "ValueError: bad <obj at 0x55aa01>"),
    "lines": ('File "/tmp/a1/x.py", line 3\nKeyError: q', 'File "/tmp/b2/x.py", line 40\nKeyError: q'),
    "durations": ("FAIL a.test.ts\n  ● login › rejects (12 ms)", "FAIL a.test.ts\n  ● login › rejects (3 ms)"),
    "what jest expected": (
        "  ● login › rejects\n\n    expect(1).toBe(2)",
        "  ● login › rejects\n\n    expect(4).toBe(5)",
    ),
    "go": ("--- FAIL: TestX (0.01s)\n  x_test.go:1: got 3", "--- FAIL: TestX (0.20s)\n  x_test.go:7: got 4"),
    "times": ("2025-01-15T10:00:00Z fatal: no", "2026-02-16 11:30:59,123 fatal: no"),
    "hashes": ("error: could not apply 1a2b3c4d", "error: could not apply 99ffee00"),
    "ids": (
        "error: job 0f8fad5b-d9cb-469f-a165-70867728950e is gone",
        "error: job 7c9e6679-7425-40de-944b-e07fc1f90ae7 is gone",
    ),
    "temporary names": ("cannot read tmpab12cd34", "cannot read tmpzz98yy76"),
    "colours": ("\x1b[31merror: no\x1b[0m", "error: no"),
    "counts": ("error: 3 problems", "error: 17 problems"),
    "the exit code": ("Exit code 1\nerror: no", "Error: Exit code 2\nerror: no"),
}
DIFFERENT = {
    "two tests": (
        PYTEST.format(n=1, error="assert 1"),
        PYTEST.format(n=1, error="assert 1").replace("test_login", "test_out"),
    ),
    "two files with a test of one name": ("FAILED tests/a.py::test_x - E", "FAILED tests/b.py::test_x - E"),
    "another error of the same test is progress": (
        PYTEST.format(n=1, error="ImportError: no module"),
        PYTEST.format(n=1, error="AssertionError: no"),
    ),
    "one test less": ("FAILED a::x - E\nFAILED a::y - E", "FAILED a::x - E"),
    "modules": ("ModuleNotFoundError: No module named 'foo'", "ModuleNotFoundError: No module named 'bar'"),
    "codes of a compiler": ("error[E0308]: no\n --> a.rs:1:1", "error[E0382]: no\n --> a.rs:1:1"),
    "names": ("error TS2304: Cannot find name 'a'", "error TS2304: Cannot find name 'b'"),
    "go": ("--- FAIL: TestX (0.01s)", "--- FAIL: TestY (0.01s)"),
    "jest": ("  ● login › rejects", "  ● login › accepts"),
    "parameters": ("FAILED a.py::test_x[1] - E", "FAILED a.py::test_x[2] - E"),
    "strings that are not there": ("String to replace not found\nfoo", "String to replace not found\nbar"),
    "long texts that begin alike": ("error: " + "x " * 60 + "a", "error: " + "x " * 60 + "b"),
}


@pytest.mark.parametrize(("one", "other"), SAME.values(), ids=SAME)
def test_the_same_failure_however_it_is_told(one: str, other: str) -> None:
    """S1-122, S1-126"""
    assert find_cause(one) == find_cause(other) != ""


@pytest.mark.parametrize(("one", "other"), DIFFERENT.values(), ids=DIFFERENT)
def test_failures_that_differ_are_not_taken_for_one(one: str, other: str) -> None:
    """S1-125"""
    assert find_cause(one) != find_cause(other)


@pytest.mark.parametrize("text", ["", "Exit code 1", "Error: Exit code 2\n", " \n "])
def test_a_failure_without_a_word_has_no_cause(text: str) -> None:
    assert find_cause(text) == ""


def test_it_is_short_and_readable() -> None:
    assert find_cause(PYTEST.format(n=1, error="assert 1")) == "tests/test_login.py::test_login assert"
    assert len(find_cause("error: " + "word " * 1000)) <= MAX_SHOWN + 10


@pytest.mark.parametrize(
    "piece", ["a/", "1 ", "tmp", "0x", "\x1b[", "a-of-", ".", "FAILED x::", "x.a:1", "\\", "error\n"]
)
def test_no_text_takes_long(piece: str) -> None:
    started = time.process_time()
    find_cause(piece * 100_000)
    assert time.process_time() - started < 10
