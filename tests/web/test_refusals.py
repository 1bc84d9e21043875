"""Refusals as rows: grouped as in the inbox, marked as held, and clean of what agents put into them."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from synaptic.store import refused
from synaptic.store.reader import JournalReader
from synaptic.web.board import BoardView, NowBoard, find_held
from synaptic.web.pages.now import SentPage, make_page, render_changes
from synaptic.web.refusals import make_groups, make_refusal_row
from tests.web.fleet_scene import hold_call
from tests.work.refusals import OTHER_PUSH, PUSH, WIPE, RefusedAgent


@pytest.fixture
def agent(tmp_path: Path) -> Iterator[RefusedAgent]:
    made = RefusedAgent(tmp_path)
    yield made
    made.close()


def look(agent: RefusedAgent, answered_since: float = 0.0) -> BoardView:
    calls = refused.list_waiting(agent.store, answered_since or time.time(), 100)
    return BoardView(time.time(), (), calls, find_held(agent.store, calls, time.time()))


def test_groups_are_those_of_the_inbox(agent: RefusedAgent) -> None:
    for command in (PUSH, WIPE, OTHER_PUSH):
        agent.tries(command)
    groups = make_groups(look(agent).calls, frozenset())
    assert [(one.policies, one.shape, len(one.rows)) for one in groups] == [
        ("git.force-push", "git push", 2), ("files.recursive-deletion", "rm", 1),
    ]  # fmt: skip


def test_a_question_without_a_decision_is_held_and_is_not_after_it(agent: RefusedAgent) -> None:
    code = agent.tries(PUSH)
    assert look(agent).held == frozenset()
    hold_call(agent.store, code)
    assert look(agent).held == {agent.find(code).mark}
    refused.answer_refused(agent.store, [agent.find(code).mark], "upheld", time.time())
    assert look(agent).held == frozenset()


def test_what_was_answered_is_sent_to_pages_that_were_open(agent: RefusedAgent) -> None:
    code = agent.tries(PUSH)
    before = time.time()
    refused.answer_refused(agent.store, [agent.find(code).mark], "upheld", time.time())
    assert look(agent).calls == ()
    (call,) = look(agent, before - 1).calls
    assert make_refusal_row(call).outcome.words.startswith("upheld at")


def test_only_what_has_changed_is_sent(agent: RefusedAgent) -> None:
    agent.tries(PUSH)
    agent.tries(WIPE)
    sent = SentPage()
    assert render_changes(make_page(look(agent), 0, 25), sent).count("<li") == 4
    assert render_changes(make_page(look(agent), 0, 25), sent) == ""
    agent.tries(WIPE)
    again = render_changes(make_page(look(agent), 0, 25), sent)
    assert again.count('class="refusal') == 1 and "2 times" in again


def test_no_letter_of_an_agent_is_markup_or_hidden(agent: RefusedAgent) -> None:
    agent.tries(f"{WIPE} # <b>\u202e\x1b[2J", description="<script>x</script>\u2066")
    (call,) = look(agent).calls
    html = render_changes(make_page(look(agent), 0, 25), SentPage())
    assert "<b>" not in html.replace('<b class="ask">', "") and "<script" not in html
    assert not set("\u202e\u2066\x1b") & set(html)
    assert make_refusal_row(call).said == "<script>x</script>\ufffd"


def test_a_look_sees_what_was_written_since_the_last_one(agent: RefusedAgent) -> None:
    reader = JournalReader.open(agent.home)
    board = NowBoard(agent.home, reader)
    assert board.look().calls == ()
    assert board.look() is board.look()
    code = agent.tries(PUSH)
    assert [call.code for call in board.look().calls] == [code]
    reader.close()
