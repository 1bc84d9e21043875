"""The order of phases."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synaptic.model.errors import LayerError
from synaptic.work.phases import AskedPhase, PhaseLabel, PlannedMove, find_next_phase, parse_label, plan_move

PHASES = ("0: Setup", "1: Plan", "2: Build", "2.A: Model", "2.B: View", "3: Execution", "4: Debrief")


def asked(current: str, label: str, reason: str = "") -> PlannedMove:
    return plan_move(PHASES, current, AskedPhase(label, reason))


def code(current: str, label: str, reason: str = "", phases: tuple[str, ...] = PHASES) -> str:
    with pytest.raises(LayerError) as caught:
        plan_move(phases, current, AskedPhase(label, reason))
    return caught.value.code


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("3: Execution", PhaseLabel("3: Execution", 3, 0, "Execution")),
        ("3.2 : Two", PhaseLabel("3.2 : Two", 3, 2, "Two")),
        ("3.b: Two", PhaseLabel("3.b: Two", 3, 2, "Two")),
        ("12", PhaseLabel("12", 12)),
        ("Setup", PhaseLabel("Setup")),
        ("3.1.2: Deep", PhaseLabel("3.1.2: Deep")),
    ],
)
def test_letters_count_as_minor_numbers(text: str, label: PhaseLabel):
    """S3-202"""
    assert parse_label(text) == label


@pytest.mark.parametrize(
    ("current", "label", "after"),
    [
        ("", "0: Setup", "0: Setup"),
        ("", "0", "0: Setup"),
        ("0: Setup", "1: plan", "1: Plan"),
        ("2: Build", "2.1", "2.A: Model"),
        ("2: Build", "3: Execution", "3: Execution"),
        ("2.A: Model", "3: Execution", "3: Execution"),
        ("2.B: View", "3", "3: Execution"),
        ("3: Execution", "4: Debrief", "4: Debrief"),
    ],
)
def test_the_next_phase_is_free_and_so_is_the_next_major_one(current: str, label: str, after: str):
    """S3-201"""
    assert asked(current, label) == PlannedMove(after, PHASES)


def test_the_same_phase_again_is_no_move():
    """S3-201"""
    assert asked("1: Plan", "1: Plan") == PlannedMove("1: Plan", PHASES, moved=False)
    assert asked("1: Plan", "1").moved is False


@pytest.mark.parametrize(("current", "label"), [("0: Setup", "2: Build"), ("2: Build", "0: Setup"), ("1: Plan", "2.B")])
def test_leaving_one_out_or_going_back_needs_a_reason(current: str, label: str):
    """S3-201"""
    assert code(current, label) == code(current, label, "  ") == "PHASE_NOT_SEQUENTIAL"
    assert asked(current, label, "because").moved


def test_what_was_expected_is_said():
    """S3-201"""
    with pytest.raises(LayerError, match="expected is '1: Plan'"):
        asked("0: Setup", "2: Build")
    with pytest.raises(LayerError, match="which is the last phase"):
        asked("4: Debrief", "0: Setup")
    with pytest.raises(LayerError, match="is not the first phase"):
        asked("", "2: Build", "a reason does not help here")


def test_a_higher_sub_phase_of_the_current_one_need_not_be_declared():
    """S3-201, S3-202"""
    found = asked("3: Execution", "3.B: X")
    assert found == PlannedMove("3.B: X", (*PHASES[:6], "3.B: X", "4: Debrief"))
    assert plan_move(found.phases, "3.B: X", AskedPhase("3.C: Y")).phases[6:8] == ("3.B: X", "3.C: Y")
    assert plan_move(found.phases, "3.B: X", AskedPhase("4")).phase == "4: Debrief"


@pytest.mark.parametrize(
    ("current", "label"),
    [
        ("3.B: X", "3.A: Y"),
        ("1: Plan", "3.B: X"),
        ("1: Plan", "9: Other"),
        ("1: Plan", "Other"),
        ("3: Execution", "4: Wrong name"),
        ("", "0.1: X"),
    ],
)
def test_any_other_unknown_one_is_refused_with_a_reason_too(current: str, label: str):
    """S3-201"""
    assert code(current, label) == code(current, label, "because") == "UNKNOWN_PHASE"


def test_without_declared_phases_everything_goes():
    """S3-201"""
    assert plan_move((), "9: Nine", AskedPhase("Anything at all")) == PlannedMove("Anything at all", ())


def test_labels_without_numbers_have_the_order_of_their_list():
    phases = ("Think", "Do", "Tell")
    assert plan_move(phases, "Think", AskedPhase("do")).phase == "Do"
    assert code("Think", "Tell", phases=phases) == "PHASE_NOT_SEQUENTIAL"
    assert code("Think", "Rest", phases=phases) == "UNKNOWN_PHASE"


def test_a_phase_that_is_no_longer_declared_goes_on_behind_the_one_below_it():
    assert asked("2.C: Gone", "3").phase == "3: Execution"
    assert code("1.5: Gone", "3") == "PHASE_NOT_SEQUENTIAL"


@pytest.mark.parametrize("label", ["", " \n ", "x" * 201])
def test_a_label_has_a_length(label: str):
    assert code("", label) == "VALIDATION_ERROR"


LABELS = st.builds(
    lambda major, minor, name: f"{major}{minor}: {name}",
    st.integers(0, 5),
    st.sampled_from(["", ".1", ".2", ".A", ".C"]),
    st.sampled_from(["X", "Y"]),
)
DECLARED = st.lists(
    LABELS, min_size=1, max_size=8, unique_by=lambda text: (parse_label(text).major, parse_label(text).minor)
).map(lambda found: tuple(sorted(found, key=lambda text: (parse_label(text).major, parse_label(text).minor))))


@given(DECLARED)
def test_the_declared_walk_is_always_free(phases: tuple[str, ...]):
    now = ""
    while ahead := find_next_phase(phases, now):
        now = plan_move(phases, now, AskedPhase(ahead)).phase
    assert now == phases[-1]


@given(DECLARED, st.lists(st.tuples(LABELS, st.sampled_from(["", "why"])), max_size=12))
def test_whatever_is_asked_the_phases_stay_sorted_and_without_a_reason_nothing_goes_back(phases, questions):
    now = ""
    for label, reason in questions:
        try:
            found = plan_move(phases, now, AskedPhase(label, reason))
        except LayerError:
            continue
        order = [(parse_label(one).major, parse_label(one).minor) for one in found.phases]
        assert order == sorted(set(order))
        assert set(phases) <= set(found.phases)
        assert found.phase in found.phases
        before, after = parse_label(now), parse_label(found.phase)
        assert reason or (after.major, after.minor) >= (before.major, before.minor)
        now, phases = found.phase, found.phases
