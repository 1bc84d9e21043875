"""Files that policies look at."""

import os
from pathlib import Path

import pytest

from synaptic.facts import files as facts
from synaptic.model.project import TargetFile, TestStatus
from synaptic.model.state import Change
from synaptic.policies.practice.sections import CHANGES
from synaptic.store import state
from tests.facts.places import call, gathered, means


def test_the_file_of_a_call(tmp_path: Path):
    (tmp_path / "a.py").write_text("x\n")
    found = gathered(facts.gather_target, call(tmp_path, "a.py"), tmp_path)
    assert found == TargetFile(path=f"{tmp_path}/a.py", exists=True, folder=True, text="x\n")
    missing = gathered(facts.gather_target, call(tmp_path, f"{tmp_path}/no/b.py"), tmp_path)
    assert missing == TargetFile(path=f"{tmp_path}/no/b.py")
    assert gathered(facts.gather_target, call(tmp_path), tmp_path) == TargetFile()


def test_a_pipe_in_place_of_a_file_blocks_nobody(tmp_path: Path):
    os.mkfifo(tmp_path / "a.py")
    assert gathered(facts.gather_target, call(tmp_path, "a.py"), tmp_path).text == ""


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("fail|3|1700000000\n", TestStatus(result="fail", failures=3, at=1700000000)),
        ("pass|0|1700000000", TestStatus(result="pass", failures=0, at=1700000000)),
        ("garbage", None),
        ("", None),
        ("fail|x|1", None),
        ("fail|1|-5", None),
        ("maybe|1|5", None),
        ("fail|1|5|6", None),
        ("fail|1|" + "9" * 400, None),
        ("fail|\u0663|5", None),
        ("\0\0", None),
    ],
)
def test_a_test_status_or_nothing(tmp_path: Path, text: str, want: TestStatus | None):
    """S4-080, S4-085, S4-180"""
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude" / ".test-status").write_text(text)
    assert gathered(facts.gather_tests, call(tmp_path), tmp_path) == want


def test_what_the_session_wrote_and_the_decisions_of_the_code(tmp_path: Path):
    """S4-160, S4-D08"""
    using = means(tmp_path)
    (tmp_path / "src" / "node_modules").mkdir(parents=True)
    (tmp_path / "src" / "a.py").write_text("# @decision DEC-CALC-001\n")
    (tmp_path / "src" / "node_modules" / "b.js").write_text("// @decision DEC-OTHER-001\n")
    (tmp_path / "c.py").write_text("# @decision DEC-ROOT-001\n")
    assert gathered(facts.gather_code, call(tmp_path, event="Stop"), tmp_path, using).decisions == {}
    change = Change(section=CHANGES, put={"files": [f"{tmp_path}/src/a.py", f"{tmp_path}/gone.py"], "edits": 2})
    state.write_change(using.store, state.SectionOwner(str(tmp_path), "s1"), change)
    (only,) = gathered(facts.gather_changed, call(tmp_path, event="Stop"), tmp_path, using)
    assert only.path == f"{tmp_path}/src/a.py"
    assert gathered(facts.gather_code, call(tmp_path, event="Stop"), tmp_path, using).decisions == {"DEC-CALC-001": 1}


def test_the_audit_log_and_what_sessions_left(tmp_path: Path):
    folder = tmp_path / ".claude"
    assert gathered(facts.gather_audit_tail, call(tmp_path), tmp_path) == ()
    assert gathered(facts.gather_leftovers, call(tmp_path), tmp_path) == ()
    folder.mkdir()
    (folder / ".audit-log").write_text("".join(f"line {n}\n" for n in range(3000)))
    (folder / ".session-changes-old").write_text("")
    assert gathered(facts.gather_audit_tail, call(tmp_path), tmp_path) == tuple(f"line {n}" for n in range(2995, 3000))
    assert gathered(facts.gather_leftovers, call(tmp_path), tmp_path) == (".session-changes-old",)


def test_a_file_that_was_changed_is_read_again(tmp_path: Path):
    file = tmp_path / "a.py"
    for number in range(3):
        file.write_text(f"{number}\n")
        os.utime(file, (1_000_000_000, 1_000_000_000))
        for _ in range(2):
            assert gathered(facts.gather_target, call(tmp_path, "a.py"), tmp_path).text == f"{number}\n"
    file.unlink()
    assert gathered(facts.gather_target, call(tmp_path, "a.py"), tmp_path) == TargetFile(path=str(file), folder=True)
