"""What is said while something takes long."""

import re

import pytest

from tests.cli.conftest import User
from tests.cli.shop import publish
from tests.cli.test_screen import at_terminal

SLOW = """
import sys, time
from synaptic.cli import progress
progress.PROGRESS_SECONDS = 0.05
with progress.show_progress("counting"):
    time.sleep(0.4)
print("done")
"""
EAGER = """
import sys
from synaptic.cli import progress
from synaptic.cli.main import run_command_line
progress.PROGRESS_SECONDS = 0.01
sys.exit(run_command_line(sys.argv[2:] if sys.argv[1:2] == ["-"] else sys.argv[1:]))
"""
ASKING = """
import time
from synaptic.cli import progress
progress.PROGRESS_SECONDS = 0.05
with progress.show_progress("counting"):
    time.sleep(0.2)
    with progress.hold_progress():
        print("who?")
        time.sleep(0.3)
        print("you")
"""


def test_work_that_takes_long_is_told_on_a_terminal_only_and_leaves_no_trace(user: User):
    code, seen = at_terminal(["-"], program=SLOW, TERM="xterm")
    assert code == 0
    assert "counting … 1 s" in seen
    assert seen.rpartition("\u001b[K")[2].strip() == "done"
    shown = user.runs(program=SLOW)
    assert (shown.out, shown.err) == ("done\n", "")


def test_nothing_is_written_while_somebody_is_asked(user: User):
    _, seen = at_terminal([], program=ASKING, TERM="xterm")
    assert "who?\r\nyou\r\n" in seen


QUESTION = """
[[questions]]
id = "network"
prompt = "Is a network needed?"
type = "confirm"
default = true
"""


def test_a_wrong_answer_is_told_on_a_line_of_its_own(user: User):
    publish(user, "first", more=QUESTION)
    _, seen = at_terminal(["install", "first", "--dry-run"], b"perhaps\nno\n", program=EAGER, TERM="xterm")
    assert "synaptic: `perhaps` is no answer" in seen
    assert not re.search(r"… \d+ ssynaptic", seen), seen
    assert "install first 1.0.0" in seen


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("registry init", "making the registry"),
        ("registry channels", "asking the registry"),
        ("registry push file://{home}/copy.db", "sending to file://"),
        ("registry pull file://{home}/copy.db", "taking from file://"),
        ("package import {package}", "importing later"),
        ("package publish later", "moving later to main"),
        ("install first --yes", "installing"),
        ("upgrade --all --dry-run", "asking the registry"),
    ],
)
def test_verbs_of_packages_tell_what_takes_so_long(user: User, line: str, told: str):
    """Each with the registry as the one before would leave it."""
    if line != "registry init":
        publish(user, "first")
    if "pull" in line:
        user.types("registry", "push", f"file://{user.folder}/copy.db")
    if "later" in told:
        package = user.project / "later"
        user.types("package", "init", str(package))
    if "publish" in line:  # out of develop, where it is imported first
        user.types("package", "import", str(package))
    if "upgrade" in line:
        user.types("install", "first", "--yes")
    words = line.format(home=user.folder, package=user.project / "later").split()
    code, seen = at_terminal(words, program=EAGER, TERM="xterm")
    assert code == 0, seen
    assert f"{told}" in seen
    assert "\r\u001b[K" in seen


def test_a_program_that_wants_json_gets_nothing_else(user: User):
    publish(user, "first")
    _, seen = at_terminal(["skill", "search", "--json"], program=EAGER, TERM="xterm")
    assert seen.startswith("{")
    assert "\u001b[K" not in seen
