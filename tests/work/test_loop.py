import msgspec
import pytest

from synaptic.model.errors import SynapticError
from synaptic.model.sane import SANELOOP, default_section
from synaptic.work import loop
from synaptic.work.loop import CancelLoop, CheckCriterion, CompleteLoop, LogIteration

ROOT = "/r"
PLAN = loop.StartLoop(
    root=ROOT, task="move the API", promise="all clients use v2", criteria=("tests pass", "docs say v2")
)


def started(**changes) -> loop.Loop:
    return msgspec.structs.replace(PLAN, **changes).take_step(default_section(SANELOOP), "now")


def log(state: loop.Loop, text: str) -> loop.Loop:
    return LogIteration(root=ROOT, text=text).take_step(state, "now")


def check(state: loop.Loop, num: int) -> loop.Loop:
    return CheckCriterion(root=ROOT, num=num).take_step(state, "now")


def complete(state: loop.Loop) -> loop.Loop:
    return CompleteLoop(root=ROOT).take_step(state, "later")


def cancel(state: loop.Loop) -> loop.Loop:
    return CancelLoop(root=ROOT).take_step(state, "later")


def logged(state: loop.Loop, times: int) -> loop.Loop:
    for number in range(times):
        state = log(state, f"step {number}")
    return state


def test_start_sets_every_field() -> None:
    """S1-160"""
    state = started()
    assert state["active"] is True
    assert (state["task"], state["iteration"], state["max_iterations"]) == ("move the API", 0, 20)
    assert state["started_at"] == "now"
    assert state["acceptance_criteria"] == [
        {"num": 1, "text": "tests pass", "checked": False},
        {"num": 2, "text": "docs say v2", "checked": False},
    ]


@pytest.mark.parametrize(
    ("changes", "lacking"),
    [
        ({"promise": ""}, "promise"),
        ({"promise": " \n"}, "promise"),
        ({"task": ""}, "task"),
        ({"criteria": ()}, "criterion"),
        ({"criteria": ("a", "")}, "criterion"),
        ({"max_iterations": 0}, "at least one iteration"),
    ],
)
def test_a_plan_that_lacks_something_is_refused(changes, lacking: str) -> None:
    """S1-162"""
    with pytest.raises(SynapticError, match=lacking):
        started(**changes)


def test_a_second_loop_is_refused_while_one_runs() -> None:
    """S1-162"""
    with pytest.raises(SynapticError, match="already running: move the API"):
        PLAN.take_step(started(), "now")


def test_each_entry_of_the_log_is_an_iteration() -> None:
    """S1-163"""
    state = logged(started(), 2)
    assert state["iteration"] == 2
    assert state["log"] == [{"num": 1, "text": "step 0", "time": "now"}, {"num": 2, "text": "step 1", "time": "now"}]
    with pytest.raises(SynapticError, match="say what was done"):
        log(state, " ")


def test_the_iteration_after_the_last_stops_the_loop() -> None:
    """S1-161"""
    last = logged(started(), 20)
    assert last["active"] is True
    assert "the next ends the loop" in loop.warn_of_limit(last)
    beyond = log(last, "once more")
    assert beyond["active"] is False
    assert "used its 20 iterations" in loop.warn_of_limit(beyond)
    with pytest.raises(SynapticError, match="stopped after 20 iterations"):
        log(beyond, "and again")


def test_the_limit_is_announced_at_70_and_90_percent() -> None:
    """S1-166"""
    said = {number: loop.warn_of_limit(logged(started(max_iterations=10), number)) for number in range(1, 11)}
    assert [number for number, text in said.items() if text] == [7, 9, 10]
    assert said[7] == "iteration 7 of 10: 3 left"


def test_complete_lists_what_is_not_met() -> None:
    """S1-164"""
    state = check(started(), 1)
    with pytest.raises(SynapticError, match=r"not met yet: 2\. docs say v2"):
        complete(state)
    done = complete(check(state, 2))
    assert {key: done[key] for key in default_section(SANELOOP)} == default_section(SANELOOP)
    assert done["archive"][-1]["outcome"] == "complete"
    assert done["archive"][-1]["ended_at"] == "later"


def test_a_criterion_stays_met_and_an_unknown_one_is_said_so() -> None:
    """S1-163"""
    state = check(check(started(), 1), 1)
    assert state["acceptance_criteria"][0]["checked"] is True
    with pytest.raises(SynapticError, match="no criterion 3"):
        check(state, 3)


def test_cancel_ends_a_loop_and_keeps_what_it_was() -> None:
    """S1-164"""
    ended = cancel(logged(started(), 3))
    assert not ended["active"]
    assert ended["archive"][-1]["outcome"] == "cancelled"
    assert cancel(logged(started(), 21))["archive"][-1]["outcome"] == "stopped by its limit"
    with pytest.raises(SynapticError, match="no loop is running"):
        cancel(ended)


def test_ended_loops_are_kept_to_a_number() -> None:
    state = default_section(SANELOOP)
    for _ in range(loop.KEEP_ENDED + 5):
        state = cancel(PLAN.take_step(state, "now"))
    assert len(state["archive"]) == loop.KEEP_ENDED
