"""What failed beside others is run alone; what fails alone stays red."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.again import FEW, LAST_FAILED

ROOT = Path(__file__).parents[1]


def leave_failures(folder: Path, text: str, names: list[str]) -> None:
    (folder / "test_small.py").write_text(text)
    (folder / LAST_FAILED).parent.mkdir(parents=True)
    (folder / LAST_FAILED).write_text(json.dumps({f"test_small.py::{name}": True for name in names}))


def run_again(folder: Path) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "tests.again"]
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.parametrize(("holds", "code"), [(True, 0), (False, 1)])
def test_only_what_passes_alone_is_forgiven(tmp_path: Path, holds: bool, code: int) -> None:
    leave_failures(tmp_path, f"def test_it(): assert {holds}\n", ["test_it"])
    done = run_again(tmp_path)
    assert done.returncode == code, done.stdout + done.stderr
    assert "test_small.py::test_it" in done.stdout


def test_many_failures_are_not_blamed_on_company(tmp_path: Path) -> None:
    leave_failures(tmp_path, "def test_it(): pass\n", [f"test_{number}" for number in range(FEW + 1)])
    assert run_again(tmp_path).returncode == 1


def test_a_run_that_broke_without_a_failed_test_stays_red(tmp_path: Path) -> None:
    assert run_again(tmp_path).returncode == 1
