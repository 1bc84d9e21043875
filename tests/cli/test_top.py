"""`synaptic top`: a picture for a pipe, and a live one on a real terminal that is as it was afterwards."""

import signal
import time
from collections.abc import Iterator

import pytest

from synaptic.cli.cells import measure_cells
from synaptic.cli.sparks import draw_spark
from synaptic.cli.top_view import TopFacts, TopView, describe_session, draw_view, press_key, show_facts
from synaptic.store.db import Store
from synaptic.store.lanes import read_lanes
from tests.cli.conftest import User
from tests.cli.inbox_terminal import InboxTerminal
from tests.cli.test_report import Agent

PUSH = "git push --force origin main"
HOSTILE = "echo \x1b[2J\x1b]0;owned\x07 \u202egnp.exe \x00 " + "x" * 5000


@pytest.fixture
def agent(user: User) -> Agent:
    made = Agent(user)
    made.asks("pytest -q", session_id="alpha")
    made.asks(PUSH, session_id="beta")
    return made


@pytest.fixture
def opened(agent: Agent) -> Iterator[InboxTerminal]:
    terminal = InboxTerminal(["top"])
    terminal.shows("? help")
    yield terminal
    terminal.close()


def read_all(user: User) -> TopFacts:
    store = Store.open(user.home)
    lanes = read_lanes(store, time.time() - 60, 10)
    store.close()
    return TopFacts(lanes=lanes, stopped=tuple(lane.last for lane in lanes), volume=((3, 1),) * 60)


def test_without_a_terminal_one_picture_is_printed(user: User, agent: Agent) -> None:
    shown = user.runs("top", COLUMNS="120")
    assert shown.code == 0 and "\x1b" not in shown.out
    assert "synaptic top: 2 at work, 1 waiting" in shown.out
    assert "pytest -q" in shown.out and "deny by git.force-push" in shown.out
    assert "2 in an hour, 1 denied" in shown.out and "quit" not in shown.out
    assert max(map(measure_cells, shown.out.splitlines())) <= 120


def test_a_program_gets_one_object(user: User, agent: Agent) -> None:
    told = user.types("top", "--json").json
    assert [one["session"] for one in told["sessions"]] == ["beta", "alpha"]
    assert told["stopped"][0]["act"] == PUSH and len(told["minutes"]) == 60 and len(told["waiting"]) == 1


def test_without_a_journal_it_says_so_and_makes_none(user: User) -> None:
    shown = user.types("top")
    assert shown.code != 0 and "there is no journal yet" in shown.err and not user.home.database.exists()


def test_keys_move_explain_and_leave(opened: InboxTerminal) -> None:
    assert opened.lines[0].startswith("synaptic top: 2 at work, 1 waiting")
    opened.types("\r")
    opened.shows("session beta")
    opened.types("\x1b")
    opened.shows("stopped lately", len(opened.seen))
    opened.types("jj\r")
    opened.shows("Decision: deny by git.force-push")
    opened.types("q")
    assert opened.ends() == 0 and opened.is_as_before


def test_new_events_come_by_themselves_unless_it_is_paused(opened: InboxTerminal, agent: Agent) -> None:
    agent.asks("make build", session_id="gamma")
    opened.shows("make build")
    opened.types("p")
    opened.shows("[paused")
    seen = len(opened.seen)
    agent.asks("make later", session_id="gamma")
    opened.types("j")
    time.sleep(1.2)
    opened.types("p")
    opened.shows("make later", seen)
    opened.types("q")
    assert opened.ends() == 0


def test_the_inbox_opens_and_leads_back(opened: InboxTerminal) -> None:
    opened.types("i")
    opened.shows("synaptic inbox: 1 waiting")
    seen = len(opened.seen)
    opened.types("q")
    opened.shows("synaptic top:", seen)
    opened.types("q")
    assert opened.ends() == 0 and opened.is_as_before


def test_it_follows_the_size_down_to_a_small_one(opened: InboxTerminal) -> None:
    seen = len(opened.seen)
    opened.resizes(40, 12)
    opened.shows("enter  i inbox  p pause  ? help  q quit", seen)
    assert len(opened.lines) == 12 and max(map(measure_cells, opened.lines)) < 40
    opened.signals(signal.SIGTERM)
    assert opened.ends() == 128 + signal.SIGTERM and opened.is_as_before


def test_colours_are_left_out_where_nobody_wants_them(agent: Agent) -> None:
    terminal = InboxTerminal(["top"], NO_COLOR="1")
    terminal.shows("? help")
    assert "\x1b[31m" not in terminal.seen and "\x1b[90m" not in terminal.seen
    terminal.types("q")
    assert terminal.ends() == 0
    terminal.close()


def test_no_text_of_an_agent_reaches_the_terminal_as_a_command(user: User, agent: Agent) -> None:
    agent.asks(HOSTILE, session_id="evil\x1b[31m")
    facts = read_all(user)
    for size in ((40, 12), (60, 15), (200, 50), (8, 2)):
        drawn = draw_view(show_facts(TopView(), facts), size)
        assert len(drawn.lines) <= max(size[1], 3)
        for line in drawn.lines:
            assert line.isprintable() or (line == "" and measure_cells(line) < size[0])
    for line in describe_session(facts.lanes[0], [facts.lanes[0].last]):
        assert line == "" or line.isprintable()


def test_what_is_selected_stays_so_and_what_has_gone_selects_nothing(user: User, agent: Agent) -> None:
    facts = read_all(user)
    view = show_facts(TopView(), facts)
    assert view.mark == "s:beta"
    view, _ = press_key(view, "j")
    assert view.mark == "s:alpha"
    assert show_facts(view, facts).mark == "s:alpha"
    gone = show_facts(view, TopFacts(lanes=facts.lanes[:1]))
    assert gone.mark == "" and press_key(gone, "enter") == (gone, "")
    for _ in range(9):
        view, _ = press_key(view, "down")
    assert view.mark == view.marks[-1]


def test_a_session_that_has_ended_is_not_at_work(user: User, agent: Agent) -> None:
    agent.sends("SessionEnd", "", "x", session_id="beta", tool_name="", tool_input={})
    assert [lane.session for lane in read_all(user).lanes] == ["alpha"]


def test_a_spark_line_has_a_mark_for_whatever_there_was() -> None:
    assert draw_spark([0, 1, 1000], 3) == " ▁█"
    assert draw_spark([1] * 60, 20) == "█" * 20
    assert draw_spark([], 5) == draw_spark([1], 0) == ""
    assert len(draw_spark([5] * 60, 7)) <= 7
