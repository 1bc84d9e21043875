"""The tests behave the same in a terminal, in the background of a script and under nohup."""

import signal
import subprocess
import sys

import pytest

LOOK = "import signal; print(*(signal.getsignal(n) is signal.SIG_IGN for n in (signal.SIGINT, signal.SIGHUP)))"
START = f"import subprocess, sys, tests.conftest; subprocess.run([sys.executable, '-c', {LOOK!r}], check=True)"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
def test_programs_that_tests_start_ignore_no_signal_whoever_started_the_tests(number):
    ignoring = f"import signal; signal.signal({int(number)}, signal.SIG_IGN); {START}"
    done = subprocess.run([sys.executable, "-c", ignoring], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]
