"""The state of a project from a Python program."""

import json
import os
from pathlib import Path

import pytest

from synaptic.api import ProjectState
from synaptic.daemon.lifecycle import find_home
from synaptic.model import sane
from synaptic.model.errors import SynapticError
from synaptic.store import mirror
from synaptic.store.db import Store


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("SYNAPTIC_HOME", raising=False)
    (tmp_path / "project/.git").mkdir(parents=True)
    (tmp_path / "project/src").mkdir()
    return tmp_path / "project"


def test_get_set_update_reset(project: Path) -> None:
    """S1-141"""
    with ProjectState(str(project)) as state:
        assert state.get("edits") == sane.default_section(sane.EDITS)
        assert state.set("edits", "count", 2)["count"] == 2
        state.update("edits", lambda edits: {**edits, "last_file": "a.py"})
        assert state.all()["edits"] == {"count": 2, "unique_files": [], "last_file": "a.py"}
        assert state.reset("edits") == sane.default_section(sane.EDITS)
        with pytest.raises(SynapticError, match="no section"):
            state.get("nonsense")


def test_the_home_folder_has_no_state(project: Path) -> None:
    with ProjectState(os.environ["HOME"]) as state, pytest.raises(SynapticError, match="no project"):
        state.set("edits", "count", 2)


def test_a_folder_inside_belongs_to_its_project(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project / "src")
    with ProjectState() as here, ProjectState(str(project)) as there:
        here.set("edits", "count", 7)
        assert here.root == there.root == str(project)
        assert there.get("edits", "count") == 7


def test_the_mirror_follows(project: Path) -> None:
    store = Store.open(find_home(os.environ))
    mirror.write_mirror(store, str(project))
    store.close()
    with ProjectState(str(project)) as state:
        state.set("edits", "count", 7)
    assert json.loads((project / ".claude/state.json").read_text())["edits"]["count"] == 7
