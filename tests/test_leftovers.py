"""A run that leaves a process behind says which, and is red where somebody looks for such."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.leftovers import FAILS_VARIABLE, PROC, SeenProcess, has_other_run, is_below

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.skipif(not PROC.is_dir(), reason="the system shows no processes here")
CONFTEST = """
from pathlib import Path
from tests import leftovers

leftovers.GRACE_SECONDS = 0.5

def pytest_configure(config):
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(leftovers.LeftoverCheck(Path(config.option.basetemp)))
"""
LEAVES = """
import os, subprocess, sys

def test_it(tmp_path):
    words = [sys.executable, "-c", "import time; print(1, flush=True); time.sleep(600)", {word}]
    process = subprocess.Popen(words, cwd={cwd}, stdout=subprocess.PIPE, start_new_session=True)
    process.stdout.read(1)
    open("pid", "w").write(str(process.pid))
    {end}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    (tmp_path / "conftest.py").write_text(CONFTEST)
    yield tmp_path
    with suppress(OSError):  # it has ended, or was never started
        os.kill(int((tmp_path / "pid").read_text()), signal.SIGKILL)


def run(folder: Path, *words: str, fails: bool = True) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": str(ROOT), FAILS_VARIABLE: "1" if fails else ""}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--basetemp={folder / 'base'}", *words]
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.parametrize("workers", [(), ("-n", "1")], ids=["alone", "with workers"])
@pytest.mark.parametrize(("word", "cwd"), [("str(tmp_path / 'home')", "'/'"), ("'x'", "tmp_path")], ids=["named", "in"])
def test_a_process_of_a_test_that_is_left_fails_the_run(folder: Path, word: str, cwd: str, workers: tuple[str, ...]):
    (folder / "test_small.py").write_text(LEAVES.format(word=word, cwd=cwd, end="pass"))
    done = run(folder, *workers)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "1 passed" in done.stdout
    assert f"{(folder / 'pid').read_text()}: {sys.executable}" in done.stdout


def test_it_is_named_also_where_it_does_not_fail_the_run(folder: Path):
    (folder / "test_small.py").write_text(LEAVES.format(word="'x'", cwd="tmp_path", end="pass"))
    done = run(folder, fails=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{(folder / 'pid').read_text()}: {sys.executable}" in done.stdout


def test_a_process_that_was_ended_is_none(folder: Path):
    text = LEAVES.format(word="str(tmp_path / 'home')", cwd="'/'", end="process.kill(); process.wait()")
    (folder / "test_small.py").write_text(text)
    done = run(folder)
    assert done.returncode == 0, done.stdout + done.stderr


def make_process(pid: int, *words: str, parent: int = 1, folder: str = "/") -> SeenProcess:
    return SeenProcess(pid, parent, 100, words, folder)


@pytest.mark.parametrize(
    ("process", "is_left"),
    [
        (make_process(7, sys.prefix, "/tmp/syn-1/home"), True),
        (make_process(7, sys.prefix, folder="/tmp/syn-1"), True),
        (make_process(7, "/usr/bin/python", "/tmp/syn-1/home"), False),
        (make_process(7, sys.prefix, "/tmp/pytest-of-somebody/pytest-3/home"), False),
        (make_process(7, sys.prefix, "/home/somebody/.synaptic"), False),
    ],
)
def test_in_a_short_folder_only_our_own_python_counts(process: SeenProcess, is_left: bool):
    assert is_below(process, "/tmp/", "/tmp/pytest-of-us/pytest-1") is is_left


def test_whoever_started_the_run_is_no_other_run():
    own = make_process(9, "python", "-m", "pytest", parent=8)
    above = make_process(8, "timeout", "9", "python", "-m", "pytest")
    other = make_process(7, "python", "-m", "pytest")
    assert not has_other_run({8: above, 9: own}, own)
    assert has_other_run({7: other, 8: above, 9: own}, own)
