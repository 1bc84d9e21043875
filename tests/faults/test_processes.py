"""The campaign finds the processes that it ends and stops."""

import re
import subprocess
from pathlib import Path

from tests.faults.processes import FALLBACKS, SERVER, Process, describe_waiting, wait_for_process, wait_until

ROOT = Path(__file__).parents[2]


def test_what_the_dispatcher_starts_is_known_as_the_engine_in_the_daemons_place() -> None:
    """A kind that waits for a process under an old name injects nothing, and nobody would notice."""
    source = (ROOT / "native" / "dispatch.c").read_text()
    started = set(re.findall(r'words\[\] = \{"(synaptic[\w.]+)"', source))
    assert started
    assert started <= FALLBACKS


def test_the_daemon_and_the_engine_in_its_place_are_told_apart() -> None:
    assert Process(1, 0, "S", ("python", "-I", "synaptic.daemon.early", "/home")).is_fallback
    assert not Process(1, 0, "S", ("python", "-I", SERVER, "/home")).is_fallback
    assert Process(1, 0, "S", ("python", "-I", SERVER, "/home")).is_daemon


def test_nobody_is_waited_for_who_cannot_come_any_more() -> None:
    found = Process(1, 0, "S", ("sh",))
    assert wait_for_process(lambda: [], 60.0, lambda: True) is None
    assert wait_for_process(lambda: [found], 60.0, lambda: True) is found


def test_of_a_process_that_waits_it_is_told_where() -> None:
    home = Path("/nobody/faults")
    with subprocess.Popen(["sleep", "60"], env={"HOME": str(home), "PATH": "/usr/bin:/bin"}) as waiting:
        assert wait_until(lambda: "sleep 60" in describe_waiting(home), 30)
        assert f"{waiting.pid} sleep 60 " in describe_waiting(home)
        waiting.kill()
