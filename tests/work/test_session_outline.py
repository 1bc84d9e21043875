from synaptic.model.decision import Kind
from synaptic.store.session_outline import OutlineRow
from synaptic.work.session_outline import Branch, Moment, SessionOutline, choose_mark, find_branches


def row(event: str, kind: Kind = Kind.NONE, failed: bool = False) -> OutlineRow:
    return OutlineRow(1, 1.0, event, "Bash", kind, "", failed)


def test_what_is_worth_a_look_has_a_mark_and_results_have_none():
    assert choose_mark(row("UserPromptSubmit")) == "p"
    assert choose_mark(row("PreToolUse")) == "c"
    assert choose_mark(row("PreToolUse", Kind.DENY, failed=True)) == "d"
    assert choose_mark(row("PostToolUse", failed=True)) == "f"
    assert choose_mark(row("SubagentStop")) == "s"
    assert choose_mark(row("PostToolUse")) is None and choose_mark(row("Stop")) is None


def test_sub_agents_that_follow_each_other_share_a_lane_and_those_at_once_do_not():
    found = find_branches(["a", "", "a", "b", "c", "b", "c", ""])
    assert found == (Branch("a", 1, 0, 2), Branch("b", 1, 3, 5), Branch("c", 2, 4, 6))


def test_more_than_there_are_lanes_share_the_last():
    names = [f"n{number}" for number in range(40)]
    assert max(branch.lane for branch in find_branches(names + names)) == 6


def test_an_event_that_is_no_moment_leads_to_the_one_before():
    moments = tuple(Moment(number, 1.0, "c") for number in (2, 4, 6))
    outline = SessionOutline(session="s", moments=moments, branches=(), is_cut=False)
    assert [outline.find_place(number) for number in (1, 2, 3, 4, 99)] == [0, 0, 0, 1, 2]
