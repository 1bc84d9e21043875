"""Efforts with their files, as an agent or a person works on them."""

import json
from pathlib import Path

import pytest

from synaptic.model.errors import StoreError
from synaptic.model.layers import Beat, OpenSession
from synaptic.store import efforts as stored
from synaptic.store import layers, windows
from synaptic.work.command import CommandContext
from synaptic.work.efforts import ShowEffort
from tests.store.efforts_kit import damage, tables
from tests.work.desk import Desk, code


def test_a_start_reads_the_skill_and_lists_what_earlier_efforts_left(desk: Desk):
    """S3-195, S3-205"""
    first = desk.start(skill="brainstorm")
    stored.finish_effort(desk.store, first.effort.id, None, 2.0)
    assert desk.start().debriefs == ()
    (desk.root / ".tasks/t").mkdir(parents=True)
    Path(first.effort.artifact_path()).write_text("what came of it")
    second = desk.start()
    assert second.debriefs == (f"{desk.root}/.tasks/t/1_BRAINSTORM.md",)
    assert second.effort.artifact_path("log") == f"{desk.root}/.tasks/t/2_BUILD_LOG.md"
    assert second.effort.phases == ("0: Setup", "1: Build", "2: Check")
    assert second.next_skills == ("test",)


def test_a_broken_skill_or_a_bad_name_starts_nothing(desk: Desk):
    (desk.root / ".claude/skills/build/SKILL.md").write_text("```json\n{\n```\n")
    before = tables(desk.store)
    assert code(desk.start) == "PARSE_ERROR"
    for skill in ("", "../x", "a/b", "a b", "-x"):
        assert code(lambda skill=skill: desk.start(skill=skill)) == "VALIDATION_ERROR"
    assert code(lambda: desk.start(task="/etc")) == "VALIDATION_ERROR"
    assert tables(desk.store) == before
    assert not (desk.root / ".tasks").exists()


def test_phases_follow_the_skill(desk: Desk):
    """S3-201"""
    effort = desk.start().effort
    before = tables(desk.store)
    assert code(lambda: desk.move(effort, "1: Build")) == "PHASE_NOT_SEQUENTIAL"
    assert code(lambda: desk.move(effort, "9: No")) == "UNKNOWN_PHASE"
    assert tables(desk.store) == before
    assert desk.move(effort, "0").phase == "0: Setup"
    assert code(lambda: desk.move(effort, "2: Check")) == "PHASE_NOT_SEQUENTIAL"
    after = desk.move(effort, "2: Check", "no time")
    grown = desk.move(after, "2.B: Again")
    assert grown.phases == ("0: Setup", "1: Build", "2: Check", "2.B: Again")


def test_damaged_metadata_leaves_the_skills_file_to_tell_the_phases(desk: Desk):
    effort = desk.start().effort
    damage(desk.store, "UPDATE efforts SET metadata = 'not-json{{{'")
    effort = stored.require_effort(desk.store, effort.id)
    assert code(lambda: desk.move(effort, "1: Build")) == "PHASE_NOT_SEQUENTIAL"
    assert desk.move(effort, "0: Setup").phase == "0: Setup"


def test_a_log_by_hand_sets_the_heartbeat_back_and_an_agents_shell_leaves_it(desk: Desk):
    """S3-145, S3-196, S3-D09: a sub-agent's shell looks like its parent's"""
    begun = desk.start(host="w1", kind="claude")
    session = begun.window.session
    beaten = layers.write_layer_effects(desk.store, (OpenSession(effort=begun.effort.id, subagent="s"),), 2.0).session
    layers.write_layer_effects(desk.store, (Beat(session=session, add=5), Beat(session=beaten, add=3)), 3.0)
    path = desk.log(begun.effort, "## Did\n## More", host="w1", kind="claude")
    assert path == begun.effort.artifact_path("log")
    assert layers.find_session(desk.store, session).heartbeat == 5
    desk.log(begun.effort, "by hand")
    assert layers.find_session(desk.store, session).heartbeat == 0
    assert layers.find_session(desk.store, beaten).heartbeat == 3
    text = Path(path).read_text()
    assert text.startswith("## [2")
    assert text.endswith("Did\n## More\n\nby hand\n")


def test_a_log_needs_an_active_effort_and_something_to_say(desk: Desk):
    """S3-196"""
    assert code(lambda: desk.context().find_effort()) == "NO_ACTIVE_EFFORT"
    begun = desk.start()
    assert code(lambda: desk.log(begun.effort, " \n")) == "VALIDATION_ERROR"
    assert code(lambda: desk.log(begun.effort, "x" * (1 << 20) + "x")) == "PAYLOAD_TOO_LARGE"
    done = stored.finish_effort(desk.store, begun.effort.id, None, 2.0)
    assert code(lambda: desk.log(done, "x")) == "EFFORT_FINISHED"
    assert not (desk.root / ".tasks").exists()


def test_the_effort_is_the_one_of_the_agent(desk: Desk):
    """S3-071"""
    one = desk.start(agent="A", host="w1", kind="claude").effort
    two = desk.start("u", agent="B", host="w2", kind="claude").effort
    assert desk.context(agent="A").find_effort().id == one.id
    assert desk.context(agent="B").find_effort().id == two.id
    assert desk.context().find_effort().id == two.id
    assert desk.context(agent="B").find_effort(one.id).id == one.id
    assert code(lambda: desk.context().find_effort(99)) == "NOT_FOUND"


def test_a_hand_over_ends_the_window_and_is_told_to_the_next(desk: Desk):
    """S3-190, S3-191"""
    begun = desk.start(agent="A", host="w1", kind="claude")
    left = desk.dehydrate(agent="A", host="w1", kind="claude")
    assert left.session.id == begun.window.session
    assert left.session.ended_at
    assert json.loads(left.session.payload)["summary"] == "s"
    again = desk.resume({"agent_id": "A"}, agent="A", host="w2", kind="claude")
    assert json.loads(again.window.payload)["nextSteps"] == ["n"]
    assert again.window.previous == begun.window.session


def test_a_hand_over_that_fails_ends_nothing(desk: Desk):
    """S3-192, S3-194"""
    assert code(desk.dehydrate) == "NO_ACTIVE_EFFORT"
    desk.start(host="w1", kind="claude")
    before = tables(desk.store)
    for raw, word in ((b"", "VALIDATION_ERROR"), (b"{", "PARSE_ERROR"), (b"x" * (1 << 21), "PAYLOAD_TOO_LARGE")):
        assert code(lambda raw=raw: desk.dehydrate(raw, host="w1")) == word
    assert code(lambda: desk.dehydrate(host="another-window")) == "NOT_FOUND"
    assert tables(desk.store) == before
    desk.dehydrate(host="w1")
    assert code(lambda: desk.dehydrate(host="w1")) == "ALREADY_ENDED"


def test_an_effort_is_found_by_its_agent_after_its_window_has_ended(desk: Desk):
    """S3-206, S3-D11"""
    begun = desk.start(agent="A", host="w1", kind="claude")
    windows.finish_window(desk.store, begun.window.session, None, 2.0)
    assert desk.resume({"agent_id": "A"}).effort.id == begun.effort.id
    other = desk.start("u", agent="A", host="w2", kind="claude")
    stored.finish_effort(desk.store, other.effort.id, None, 3.0)
    assert desk.resume({"agent_id": "A"}).effort.id == begun.effort.id
    stored.finish_effort(desk.store, begun.effort.id, None, 4.0)
    assert code(lambda: desk.resume({"agent_id": "A"}).effort) == "NO_ACTIVE_EFFORT"
    assert code(lambda: desk.resume({"agent_id": "ghost"})) == "NOT_FOUND"


def test_an_effort_is_found_by_its_task(desk: Desk):
    """S3-206"""
    folder = f"{desk.root}/.tasks/t"
    assert code(lambda: desk.resume({"dir_path": folder}).effort) == "TASK_NOT_FOUND"
    one, two = desk.start().effort, desk.start(skill="other").effort
    assert desk.resume({"dir_path": folder}).effort.id == two.id
    for effort in (one, two):
        stored.finish_effort(desk.store, effort.id, None, 2.0)
    assert code(lambda: desk.resume({"dir_path": folder}).effort) == "NO_ACTIVE_EFFORT"


def test_a_skill_that_breaks_later_keeps_nobody_from_working(desk: Desk):
    begun = desk.start()
    (desk.root / ".claude/skills/build/SKILL.md").write_text("```json\n{\n```\n")
    again = desk.resume({"dir_path": "t"})
    assert again.skill is None
    assert again.effort == begun.effort
    assert desk.move(again.effort, "0").phase == "0: Setup"


def test_only_an_efforts_own_files_are_shown(desk: Desk):
    """S3-012, S3-195: other efforts of the task have files of their own."""
    first, second = desk.start(skill="build").effort, desk.start(skill="test").effort
    mine = desk.log(second, "x")
    desk.log(first, "y")
    (Path(second.task) / "notes.md").write_text("the task's")
    (Path(second.task) / "22_TEST_LOG.md").write_text("another number")
    assert ShowEffort(effort_id=second.id).run(desk.context()).artifacts == (mine,)


def test_an_entry_whose_effort_has_finished_meanwhile_is_not_kept(desk: Desk, monkeypatch: pytest.MonkeyPatch):
    """S3-003, S3-196: the lookup saw it running."""
    effort = desk.start().effort
    seen = desk.context().find_effort(effort.id)
    stored.finish_effort(desk.store, effort.id, None, 1.0)
    monkeypatch.setattr(CommandContext, "find_effort", lambda self, number=None: seen)
    assert code(lambda: desk.log(effort, "late")) == "EFFORT_FINISHED"
    assert not Path(effort.task).exists()


@pytest.mark.parametrize("before", ["", "One"])
def test_an_entry_that_the_database_refuses_leaves_nothing(desk: Desk, monkeypatch: pytest.MonkeyPatch, before: str):
    """S3-016, S3-047: the disk is full, or somebody holds the database."""
    effort = desk.start().effort
    log = Path(effort.artifact_path("log"))
    written = Path(desk.log(effort, before)).read_text() if before else ""

    def refuse(*given: object, **more: object) -> None:
        raise StoreError("database or disk is full")

    monkeypatch.setattr(stored, "settle_log_entry", refuse)
    with pytest.raises(StoreError):
        desk.log(effort, "lost")
    assert (log.read_text() if log.parent.exists() else "") == written
