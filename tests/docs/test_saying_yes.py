"""What the guide tells about exceptions is what the code says: the handle, options, who is seen, who is told."""

import re
from pathlib import Path
from typing import get_args

import pytest

from synaptic.agents.shared.discover import load_agents
from synaptic.agents.shared.seat import REMOTE_CONTROLLED, WINDOWS
from synaptic.pipeline.amend import HANDLE_TEXT
from synaptic.pipeline.lifting import NEVER_LIFTED, is_liftable
from synaptic.policies.self.verbs import FOR_PEOPLE
from synaptic.runners import telling
from synaptic.work.refusal_report import Outcome

DOCS = Path(__file__).parents[2] / "docs"
GUIDE = DOCS / "guide"
SAYING_YES = (GUIDE / "saying-yes.md").read_text()
HANDLE = re.compile(r"\[synaptic ([\w.-]+), a person may[^\]]*\]")


def test_every_page_shows_the_handle_as_it_is_said():
    pages = [DOCS.parent / "README.md", DOCS.parent / "CHANGELOG.md", *GUIDE.glob("*.md")]
    shown = [found for page in pages for found in HANDLE.finditer(page.read_text())]
    assert len(shown) >= 4
    assert {found[0] for found in shown} == {HANDLE_TEXT.format(policies=found[1], code="k7qmd") for found in shown}


def test_every_option_that_it_names_is_one_of_allow():
    section = (DOCS / "reference" / "cli.md").read_text().partition("# synaptic allow\n")[2].partition("\n#")[0]
    part = SAYING_YES.partition("## Allow")[2].partition("## Exceptions that you have made")[0]
    named = set(re.findall(r"`(--[a-z]+)", part))
    assert {"--once", "--session", "--for", "--here", "--always", "--like", "--because", "--yes", "--json"} <= named
    assert [option for option in sorted(named) if option not in section] == []


def test_what_nobody_can_allow_is_what_it_says():
    assert "`self.*`, writing to raw devices and fork bombs" in SAYING_YES
    assert set(NEVER_LIFTED) == {"self.*", "devices.raw-write", "system.fork-bomb"}
    assert not is_liftable("self.daemon", ())
    assert is_liftable("git.reset-hard", ())


@pytest.mark.parametrize("name", ["gnome-terminal-server", "konsole", "xterm", "kitty", "alacritty", "foot", "iTerm2"])
def test_windows_that_count_are_known(name: str):
    assert name in WINDOWS
    assert name not in REMOTE_CONTROLLED


@pytest.mark.parametrize("name", ["tmux", "screen", "zellij", "mosh-server", "code", "cursor", "zed", "emacs", "vim"])
def test_terminals_that_want_the_pin_are_known(name: str):
    assert name in REMOTE_CONTROLLED
    assert name not in WINDOWS


def test_the_row_about_exceptions_names_verbs_that_are_for_people():
    (row,) = re.findall(r"^\| exceptions \| (.*) \|$", (GUIDE / "who-speaks.md").read_text(), re.MULTILINE)
    named = set(re.findall(r"`([a-z ]+)`", row))
    assert {"allow", "grants revoke", "pin set"} <= named <= set(FOR_PEOPLE)


def test_variables_of_a_telling_command_are_those_that_it_gets():
    source = Path(telling.__file__).read_text()
    named = set(re.findall(r"`SYNAPTIC_ASK_([A-Z]+)`", (GUIDE / "asking.md").read_text()))
    assert len(named) == 8
    assert [name for name in sorted(named) if not re.search(rf"\b{name}\b", source, re.IGNORECASE)] == []


def test_outcomes_of_the_report_are_those_of_the_guide():
    table = (GUIDE / "ci.md").read_text().partition("| | means | exit code |\n|---|---|---|\n")[2].partition("\n\n")[0]
    assert {line.split("|")[1].strip() for line in table.splitlines()} == set(get_args(Outcome))


def test_agents_that_tell_their_user_are_named():
    page = " ".join((GUIDE / "agents.md").read_text().split())
    told = page.partition("before a tool runs: ")[2].partition(". Everywhere")[0]
    capable = {agent.title for agent in load_agents() if agent.adapter.get_capability("PreToolUse").message}
    names = re.split(r", | and ", told)
    assert len(names) == len(capable)
    assert [title for title in sorted(capable) if not any(name.lower() in title.lower() for name in names)] == []
