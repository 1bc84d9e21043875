"""An appeal is heard and changes nothing: no verdict, no answer, and nobody can flood with it."""

from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest

from synaptic.model.errors import LayerError
from synaptic.store import grants, refused
from synaptic.work.appeals import FILED, MOST_WHY, SETTLED, FileAppeal
from synaptic.work.inbox import ListInbox, UpholdRefusal
from tests.work.refusals import PUSH, SECRET, WIPE, RefusedAgent


@pytest.fixture
def agent(tmp_path: Path) -> Iterator[RefusedAgent]:
    made = RefusedAgent(tmp_path)
    yield made
    made.close()


def test_it_is_filed_and_the_same_call_is_refused_as_before(agent: RefusedAgent):
    code = agent.tries(PUSH)
    before = agent.session.check(PUSH).decision
    assert agent.does(FileAppeal(code=code, why="I may")).told == FILED
    after = agent.session.check(PUSH).decision
    assert (after.kind, after.code, after.by) == (before.kind, before.code, before.by)
    assert grants.list_grants(agent.store) == ()
    assert agent.find(code).appeal == "I may"
    assert len(agent.does(ListInbox())) == 1


def test_a_later_text_takes_the_place_of_the_first_after_a_minute(agent: RefusedAgent):
    code = agent.tries(PUSH)
    agent.does(FileAppeal(code=code, why="one"))
    with pytest.raises(LayerError, match="too many appeals"):
        agent.does(FileAppeal(code=code, why="two"))
    agent.forges("UPDATE refused SET appealed_at = appealed_at - 61")
    agent.does(FileAppeal(code=code, why="three"))
    assert agent.find(code).appeal == "three"


def test_a_clock_that_was_set_back_locks_nobody_out(agent: RefusedAgent):
    code = agent.tries(PUSH)
    agent.does(FileAppeal(code=code, why="one"))
    agent.forges("UPDATE refused SET appealed_at = appealed_at + 100000")
    assert agent.does(FileAppeal(code=code, why="two")).filed


def test_many_at_the_same_moment_are_no_more_than_one_after_another(agent: RefusedAgent):
    codes = [agent.tries(f"{WIPE} {number}") for number in range(40)]
    filed: list[bool] = []

    def file(code: str) -> None:
        filed.append(refused.appeal_refused(agent.store, agent.find(code).mark, "x", 1e9))

    threads = [Thread(target=file, args=(code,)) for code in codes]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert sum(filed) == refused.PACE.most


def test_it_is_bounded_and_has_no_secrets_wherever_they_are_cut(agent: RefusedAgent):
    for number, before in enumerate((1, MOST_WHY - 20, MOST_WHY - 5, MOST_WHY + 4090, 1_000_000)):
        code = agent.tries(f"{WIPE} {number}")
        done = agent.does(FileAppeal(code=code, why=f"{'a' * before} {SECRET} {'z' * 500}"))
        kept = agent.find(code).appeal
        assert len(kept) <= MOST_WHY
        assert SECRET[:12] not in kept
        assert done.shortened == (before + 540 > MOST_WHY)


def test_nothing_that_is_no_reason_is_filed(agent: RefusedAgent):
    code = agent.tries(PUSH)
    for why in ("", "  \n\t"):
        with pytest.raises(LayerError, match="needs a reason"):
            agent.does(FileAppeal(code=code, why=why))
    with pytest.raises(LayerError, match="nothing was refused under the code"):
        agent.does(FileAppeal(code="zzzz", why="x"))
    assert agent.find(code).appeal == ""


def test_halves_of_letters_are_kept_as_text(agent: RefusedAgent):
    code = agent.tries(PUSH)
    agent.does(FileAppeal(code=code, why="\ud800 \udfff \x00 so"))
    assert agent.find(code).appeal.endswith("so")


def test_what_a_person_upholds_is_not_argued_about(agent: RefusedAgent):
    code = agent.tries(PUSH)
    agent.does(UpholdRefusal(code=code))
    done = agent.does(FileAppeal(code=code, why="but"))
    assert (done.filed, done.told) == (False, SETTLED)
    assert agent.find(code).appeal == ""
