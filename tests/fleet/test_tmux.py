"""A tmux server, spoken to."""

import pytest

from synaptic.fleet.tmux import TmuxError, TmuxServer, escape_semicolon
from tests.fleet.server import Server
from tests.test_house import SOURCES, imported, room


def test_hooks_know_nothing_of_tmux():
    """S3-014: without tmux they behave the same, because they cannot reach it."""
    for file in SOURCES:
        if room(file) not in ("fleet", "web", "hub", "cli", "api"):
            assert not [name for name in imported(file) if name.startswith("synaptic.fleet")], file


def test_commands_are_carried_out_and_what_is_gone_is_skipped(server: Server):
    tmux = TmuxServer(("-S", str(server.socket)))
    pane = server.shows("work", "#{pane_id}")
    option = ("set-option", "-p", "-t")
    tmux.run_batch([(*option, pane, "@a", "one;"), (*option, "%999", "@a", "x"), (*option, pane, "@b", "-two")])
    assert (server.own("-p", pane, "@a"), server.own("-p", pane, "@b")) == ("one;", "-two")
    tmux.run_batch([])


def test_a_server_says_which_one_it_is(server: Server):
    found = TmuxServer.from_environ({"TMUX": server.variable})
    assert found is not None
    assert found.read_identity() == f"{server.socket.resolve()},{server.shows('work', '#{pid}')}"
    assert TmuxServer.from_environ({}) is None


def test_a_server_that_is_not_there_is_an_error_that_says_so(server: Server):
    with pytest.raises(TmuxError, match=r"no server running|error connecting|No such file"):
        TmuxServer(("-S", f"{server.socket}-other")).read_identity()


def test_only_an_end_of_a_command_is_escaped():
    assert [escape_semicolon(word) for word in ("a;b", "a;", ";")] == ["a;b", "a\\;", "\\;"]
