"""Programs that policies ask for."""

import asyncio
import os
import time
from pathlib import Path

from synaptic.model.errand import Errand, ErrandResult
from synaptic.runners import errands


def ran(script: str, folder: Path, timeout: float = 10.0, left: float = 60.0) -> ErrandResult:
    errand = Errand(argv=("/bin/sh", "-c", script), cwd=str(folder), timeout=timeout)
    return asyncio.run(errands.run_errand(errand, {"PATH": os.environ["PATH"]}, left))


def test_both_streams_in_their_order_and_the_true_exit(tmp_path: Path):
    """S4-D03"""
    assert ran("echo one; echo two >&2; echo three; exit 3", tmp_path) == ErrandResult(
        exit=3, output="one\ntwo\nthree\n"
    )


def test_it_runs_where_it_should_with_nothing_to_read(tmp_path: Path):
    assert ran("pwd; cat", tmp_path).output.strip() == str(tmp_path)


def test_colours_are_not_for_models(tmp_path: Path):
    assert ran(r"printf '\033[31mred\033[0m'", tmp_path).output == "red"


def test_at_the_timeout_it_ends_with_everything_it_started(tmp_path: Path):
    """S4-044"""
    ended = ran(f"(sleep 2; touch {tmp_path}/late) & sleep 30", tmp_path, timeout=0.3)
    assert "no answer within 0.3 s" in ended.trouble
    time.sleep(2)
    assert not (tmp_path / "late").exists()


def test_an_event_without_time_starts_nothing(tmp_path: Path):
    assert "deadline" in ran(f"touch {tmp_path}/x", tmp_path, left=0).trouble
    assert not (tmp_path / "x").exists()


def test_a_program_that_is_not_there_is_a_trouble(tmp_path: Path):
    for argv, cwd in ((("/nowhere/x",), tmp_path), (("/bin/sh",), tmp_path / "no"), (("a\0b",), tmp_path)):
        ended = asyncio.run(errands.run_errand(Errand(argv=argv, cwd=str(cwd)), {}))
        assert "could not be started" in ended.trouble


def test_too_much_output_is_forgotten_and_the_end_is_known(tmp_path: Path):
    ended = ran("head -c 5000000 /dev/zero | tr '\\0' x; exit 4", tmp_path)
    assert (ended.exit, len(ended.output)) == (4, errands.ERRAND_OUTPUT_LIMIT)
