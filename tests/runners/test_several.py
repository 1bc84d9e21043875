"""Several programs, one after another."""

import subprocess
import sys

import msgspec

from synaptic.model.errand import ErrandResult


def run(*programs: tuple[list[str], float]) -> list[ErrandResult]:
    text = msgspec.json.encode([{"argv": argv, "timeout": seconds} for argv, seconds in programs]).decode()
    command = [sys.executable, "-I", "-m", "synaptic.runners.several", text]
    done = subprocess.run(command, capture_output=True, timeout=60, check=True)
    return msgspec.json.decode(done.stdout, type=list[ErrandResult])


def test_each_end_is_told_in_its_order():
    """S2-087"""
    good, bad, missing, slow = run(
        (["sh", "-c", "echo out; echo err >&2"], 10),
        (["sh", "-c", "echo wrong; exit 3"], 10),
        (["/nowhere/at/all"], 10),
        (["sleep", "30"], 0.2),
    )
    assert (good.exit, good.output) == (0, "out\nerr\n")
    assert (bad.exit, bad.output) == (3, "wrong\n")
    assert "could not be started" in missing.trouble
    assert "within 0.2 s" in slow.trouble


def test_the_end_of_a_long_output_is_kept():
    (one,) = run((["sh", "-c", "yes | head -c 100000; echo last"], 10))
    assert one.output.endswith("last\n") and len(one.output) <= 16 * 1024
