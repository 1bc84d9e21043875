"""A program in front of its user."""

import subprocess
import sys

PROGRAM = """\
import sys
from synaptic.runners.wrapped import run_wrapped
end = run_wrapped(sys.argv[1:])
print(end.exit, repr(end.output), end.trouble, file=sys.stderr)
"""


def wrapped(*argv: str) -> tuple[str, str]:
    done = subprocess.run([sys.executable, "-c", PROGRAM, *argv], capture_output=True, text=True, timeout=60)
    return done.stdout, done.stderr.strip()


def test_output_passes_through_and_the_end_is_kept():
    assert wrapped("sh", "-c", "echo hello; exit 3") == ("hello\n", "3 'hello\\n'")


def test_a_signal_and_a_missing_program_have_the_shell_s_codes():
    assert wrapped("sh", "-c", "kill -9 $$")[1].startswith("137 ")
    assert wrapped("/nowhere/at/all")[1].startswith("127 '' could not be started")
