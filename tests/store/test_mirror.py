import fcntl
import json
from pathlib import Path

import pytest

from synaptic.model import sane
from synaptic.model.effect import Mirror
from synaptic.model.home import Home
from synaptic.model.sane import MirroredFiles
from synaptic.model.state import Change
from synaptic.store import mirror, sections
from synaptic.store.db import Store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store.open(Home(tmp_path / "home"))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "project").mkdir()
    return tmp_path / "project"


def shown(project: Path) -> dict:
    return json.loads((project / ".claude/state.json").read_text())


def test_the_mirror_shows_every_section_as_it_is_stored(store: Store, project: Path) -> None:
    """S1-140, S1-190 (state.json, state.json.lock)"""
    sections.set_section_value(store, str(project), "edits", ("count", 3))
    assert mirror.write_mirror(store, str(project)) == ()
    found = shown(project)
    assert found.pop("__sig__")
    assert found.pop("__ts__")
    assert found == sections.read_sections(store, str(project))
    assert found["edits"]["count"] == 3
    assert found["action_log"] == found["learnings"] == []
    assert mirror.inspect_mirror(store, str(project)) == MirroredFiles("genuine", "missing")


def test_only_the_named_files_are_made(store: Store, project: Path) -> None:
    """S1-012: one state file, its lock, and the marker while safemode is on."""
    sections.set_section_value(store, str(project), "safemode", ("active", True))
    mirror.write_mirror(store, str(project))
    assert {file.name for file in (project / ".claude").iterdir()} == {
        "state.json",
        "state.json.lock",
        "bypass_active.json",
    }


def test_the_marker_is_there_while_safemode_is_on(store: Store, project: Path) -> None:
    """S1-023, S1-190 (bypass_active.json)"""
    marker = project / ".claude/bypass_active.json"
    sections.set_section_value(store, str(project), "safemode", ("active", True))
    mirror.write_mirror(store, str(project))
    assert marker.exists()
    assert mirror.inspect_mirror(store, str(project)) == MirroredFiles("genuine", "genuine")
    sections.set_section_value(store, str(project), "safemode", ("active", False))
    mirror.write_mirror(store, str(project))
    assert not marker.exists()


def test_a_marker_made_by_hand_has_no_signature(store: Store, project: Path) -> None:
    """S1-152"""
    (project / ".claude").mkdir()
    (project / ".claude/bypass_active.json").write_text("{}")
    assert mirror.inspect_mirror(store, str(project)).marker == "forged"


@pytest.mark.parametrize(
    "forge",
    [
        lambda text: text.replace('"tripped": true', '"tripped": false'),
        lambda text: text.replace("__sig__", "__gis__"),
        lambda text: "",
        lambda text: "{",
        lambda text: "[]",
        lambda text: text + "x",
        lambda text: "\x00",
    ],
)
def test_a_hand_edit_is_seen(store: Store, project: Path, forge) -> None:
    """S1-147"""
    sections.set_section_value(store, str(project), "circuit_breaker", ("tripped", True))
    mirror.write_mirror(store, str(project))
    file = project / ".claude/state.json"
    file.write_text(forge(file.read_text()))
    assert mirror.inspect_mirror(store, str(project)).state == "forged"
    assert sections.get_section(store, str(project), "circuit_breaker", "tripped") is True
    mirror.write_mirror(store, str(project))
    assert mirror.inspect_mirror(store, str(project)).state == "genuine"
    assert shown(project)["circuit_breaker"]["tripped"] is True


def test_the_order_of_keys_does_not_matter_and_the_project_does(store: Store, project: Path, tmp_path: Path) -> None:
    """S1-148"""
    mirror.write_mirror(store, str(project))
    file = project / ".claude/state.json"
    file.write_text(json.dumps(dict(reversed(shown(project).items()))))
    assert mirror.inspect_mirror(store, str(project)).state == "genuine"
    other = tmp_path / "other/.claude"
    other.mkdir(parents=True)
    (other / "state.json").write_text(file.read_text())
    assert mirror.inspect_mirror(store, str(other.parent)).state == "forged"


def test_a_link_or_folder_in_its_place_is_forged_and_a_link_is_replaced(store: Store, project: Path) -> None:
    target = project / "precious"
    target.write_text("precious")
    (project / ".claude").mkdir()
    (project / ".claude/state.json").symlink_to(target)
    assert mirror.inspect_mirror(store, str(project)).state == "forged"
    mirror.write_mirror(store, str(project))
    assert target.read_text() == "precious"
    assert not (project / ".claude/state.json").is_symlink()


def test_it_is_written_when_asked_and_follows_what_it_shows(store: Store, project: Path) -> None:
    file = project / ".claude/state.json"
    change = Change(section=sane.EDITS, add={"count": 1})
    assert mirror.update_mirror(store, str(project), (change,)) == ()
    assert not file.exists()
    mirror.update_mirror(store, str(project), (Mirror(),))
    before = file.read_text()
    sections.set_section_value(store, str(project), "edits", ("count", 4))
    mirror.update_mirror(store, str(project), (Change(section="project:other"),))
    assert file.read_text() == before
    mirror.update_mirror(store, str(project), (change,))
    assert shown(project)["edits"]["count"] == 4


def test_a_file_of_somebody_else_is_left_alone_by_a_change_and_kept_when_ours_takes_its_place(
    store: Store, project: Path
) -> None:
    file = project / ".claude/state.json"
    file.parent.mkdir()
    file.write_text("mine")
    mirror.rewrite_own_mirror(store, str(project))
    assert file.read_text() == "mine"
    for later in ("again", "and again"):
        mirror.write_mirror(store, str(project))
        assert (project / ".claude/state.json.forged").read_text() == "mine"
        file.write_text(later)


def test_a_project_without_a_mirror_gets_none_from_a_change_by_hand(store: Store, project: Path) -> None:
    mirror.rewrite_own_mirror(store, str(project))
    assert not (project / ".claude").exists()


def test_a_held_lock_holds_nobody_up(store: Store, project: Path) -> None:
    """S1-145, S1-194"""
    mirror.write_mirror(store, str(project))
    with (project / ".claude/state.json.lock").open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        sections.set_section_value(store, str(project), "edits", ("count", 9))
        assert mirror.write_mirror(store, str(project)) == ()
    assert shown(project)["edits"]["count"] == 9


def test_a_place_that_cannot_be_written_is_a_warning(store: Store, project: Path) -> None:
    (project / ".claude").write_text("a file")
    (warning,) = mirror.write_mirror(store, str(project))
    assert "state.json was not written" in warning
