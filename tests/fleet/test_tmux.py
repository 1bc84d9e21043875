"""A tmux server, spoken to."""

import pytest

from synaptic.fleet.tmux import Tmux, TmuxError, literal
from tests.fleet.server import Server
from tests.test_house import SOURCES, imported, room


def test_hooks_know_nothing_of_tmux():
    """S3-014: without tmux they behave the same, because they cannot reach it."""
    for file in SOURCES:
        if room(file) not in ("fleet", "cli", "api"):
            assert not [name for name in imported(file) if name.startswith("synaptic.fleet")], file


def test_commands_are_carried_out_and_what_is_gone_is_skipped(server: Server):
    tmux = Tmux(("-S", str(server.socket)))
    pane = server.shows("work", "#{pane_id}")
    option = ("set-option", "-p", "-t")
    tmux.batch([(*option, pane, "@a", "one;"), (*option, "%999", "@a", "x"), (*option, pane, "@b", "-two")])
    assert (server.own("-p", pane, "@a"), server.own("-p", pane, "@b")) == ("one;", "-two")
    tmux.batch([])


def test_a_server_says_which_one_it_is(server: Server):
    found = Tmux.around({"TMUX": server.variable})
    assert found is not None
    assert found.identity() == f"{server.socket.resolve()},{server.shows('work', '#{pid}')}"
    assert Tmux.around({}) is None


def test_a_server_that_is_not_there_is_an_error_that_says_so(server: Server):
    with pytest.raises(TmuxError, match=r"no server running|error connecting|No such file"):
        Tmux(("-S", f"{server.socket}-other")).identity()


def test_only_an_end_of_a_command_is_escaped():
    assert [literal(word) for word in ("a;b", "a;", ";")] == ["a;b", "a\\;", "\\;"]
