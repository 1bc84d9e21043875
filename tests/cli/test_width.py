"""No screen is wider than the terminal: what a terminal breaks by itself, it breaks within words."""

import re

import pytest

from tests.cli.conftest import User
from tests.cli.shop import publish
from tests.cli.test_screen import at_terminal

COLOURS = re.compile(r"\x1b\[[0-9;]*[mK]")
SCREENS = (
    "",
    "doctor",
    "list",
    "policy list --on",
    "policy show git.force-push",
    "agents",
    "config get nothing",
    "messages",
    "explain",
    "check",
    "policy --help",
    "effort --help",
    "report",
)


def show(line: str, width: int = 80) -> list[str]:
    _, seen = at_terminal(line.split(), TERM="xterm", COLUMNS=str(width))
    return COLOURS.sub("", seen).replace("\r", "").split("\n")


@pytest.fixture
def installed(user: User) -> User:
    user.types("bootstrap")
    user.sends()
    return user


def test_no_screen_is_wider_than_its_terminal(installed: User):
    for line in SCREENS:
        lines = show(line)
        assert any(lines), line
        assert max(map(len, lines)) <= 80, (line, max(lines, key=len))


def test_what_is_on_from_the_start_is_listed_with_a_line_each(installed: User):
    lines = show("list")
    assert "20   self.daemon               PreToolUse  Bash|PowerShell  yes    own    policy" in lines


def test_a_plan_fits_and_its_words_are_whole(user: User):
    long = "a-package-with-quite-a-long-name"
    more = {
        "hooks/pre.sh": "#!/bin/sh\n",
        "docs/a-folder-with-a-name/and-a-file.md": "Words that say what is in it. " * 5,
    }
    publish(user, long, files=more)
    lines = show(f"install {long} --dry-run")
    assert max(map(len, lines)) <= 80
    assert any(line.startswith(" + hook     PreToolUse") for line in lines)
    told = " ".join(line.strip() for line in lines)
    assert "may allow, block or change it" in told
    assert f"{long}/docs/a-folder-with-a-name/and-a-file.md" in told.replace("/ ", "/")


def test_a_program_gets_its_lines_whole(user: User):
    name = "a-package-with-quite-a-long-name"
    publish(user, name)
    shown = user.types("install", name, "--dry-run")
    assert f"/.synaptic/skills/{name}/hooks/pre.sh: may allow, block or change it\n" in shown.out
