"""An agent, run from the command line. What a supervisor does is in tests/fleet."""

import pytest

from synaptic.store import layers
from synaptic.store.db import Store
from tests.cli.conftest import User


@pytest.fixture(autouse=True)
def nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("TMUX", "TMUX_PANE", "AGENT_ID"):
        monkeypatch.delenv(name, raising=False)


def test_the_agent_has_its_name_our_streams_and_our_exit_code(user: User):
    script = 'read line; echo "$AGENT_ID/$AGENT_PARENT got $line"; echo problem >&2; exit 4'
    shown = user.runs("run", "--agent", "api", "--parent", "lead", "--", "sh", "-c", script, stdin="hello\n")
    assert (shown.code, shown.out, shown.err) == (4, "api/lead got hello\n", "problem\n")


def test_options_of_the_agent_are_the_agents(user: User):
    assert user.runs("run", "echo", "--agent", "x", "-h", "--json").out == "--agent x -h --json\n"
    assert user.runs("run", "--", "echo", "--", "--label").out == "-- --label\n"


def test_it_is_registered(user: User):
    user.runs("run", "--agent", "api", "--label", "API", "--", "true")
    store = Store.open(user.home)
    found = layers.find_agent(store, "api")
    store.close()
    assert found is not None
    assert (found.label, found.kind, found.status, found.named) == ("API", "true", "done", True)
    assert user.types("fleet", "--json").json["agents"][0]["project"] == str(user.project)


def test_a_program_that_is_not_there_leaves_no_trace(user: User):
    shown = user.types("run", "no-such-program")
    assert (shown.code, shown.out) == (1, "")
    assert "no-such-program: there is no such program" in shown.err
    assert not user.home.database.exists()


def test_a_program_that_cannot_be_run_is_an_error_and_shown_as_one(user: User):
    program = user.writes("agent", "", 0o755)
    program.write_bytes(b"\x7fELF no program")
    shown = user.runs("run", "--agent", "a", "--", str(program))
    assert shown.code == 1
    assert "Exec format error" in shown.err
    (one,) = user.types("fleet", "--json").json["agents"]
    assert (one["status"], one["supervised"]) == ("error", False)
    assert "cannot be started" in one["note"]


@pytest.mark.parametrize("name", ["default", " ", "a\nb", "x" * 300])
def test_a_name_that_is_none_is_refused(user: User, name: str):
    shown = user.types("run", "--agent", name, "--", "true")
    assert shown.code == 1
    assert "cannot name an agent" in shown.err


def test_without_a_command_it_says_how(user: User):
    assert user.types("run").code == 2
    assert user.types("run", "--restarts", "-1", "--", "true").code == 2
