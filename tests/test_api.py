"""The state of a project from a Python program."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from synaptic.api import ProjectState
from synaptic.daemon.lifecycle import find_home
from synaptic.model import sane
from synaptic.model.errors import PersonError, SynapticError
from synaptic.store import mirror
from synaptic.store.db import Store
from synaptic.testing import EngineSession


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


REMEMBERING = '''
from synaptic.sdk import PreToolUse, Policy, State, deny, record, add


class Pushes(State):
    count: int = 0
    last: str = ""


class Today(State):
    scope = "session"
    count: int = 0


class Counted(Policy):
    """Counted pushes."""

    id = "acme.counted"
    events = (PreToolUse,)
    tools = ("Bash",)
    remembers = (Pushes, Today)

    def check(self, event, facts):
        if facts.recall(Pushes).count >= 3:
            return deny(f"after {facts.recall(Pushes).count} pushes")
        return record(add(Pushes, count=1), add(Today, count=1))
'''
PUSHES = "policies/acme.counted/Pushes"


@pytest.fixture
def remembering(project: Path) -> Iterator[EngineSession]:
    session = EngineSession(project.parent)
    session.write("acme.py", REMEMBERING)
    yield session
    session.close()


def test_sections_of_a_policy_of_ones_own(project: Path, remembering: EngineSession) -> None:
    remembering.catalog()
    with ProjectState(str(project)) as state:
        assert state.get(PUSHES) == {}
        assert state.set(PUSHES, "count", 1) == {"count": 1}
        remembering.check("git push").passed()
        assert state.get(PUSHES) == {"count": 2}
        assert state.get(f"project:{PUSHES}", "count") == 2
        assert state.update(PUSHES, lambda found: {**found, "count": 9, "last": "main"}) == {"count": 9, "last": "main"}
        remembering.check("git push").denied_by("acme.counted").because("after 9 pushes")
        assert state.reset(PUSHES) == {}
        remembering.check("git push").passed()


def test_what_a_section_of_ones_own_does_not_take(project: Path, remembering: EngineSession) -> None:
    remembering.check("git push")
    with ProjectState(str(project)) as state:
        for key, value, told in (
            ("cuont", 1, "has no key `cuont`"),
            ("count", "many", "must be a number"),
            ("last", "x" * 70_000, "64 KiB"),
        ):
            with pytest.raises(SynapticError, match=told):
                state.set(PUSHES, key, value)
        with pytest.raises(SynapticError, match="no key"):
            state.update(PUSHES, lambda found: {**found, "more": 1})
        with pytest.raises(SynapticError) as caught:
            state.get("policies/acme.counted/Pushs")
        assert f"did you mean `{PUSHES}`?" in caught.value.hint
        with pytest.raises(SynapticError, match="no section"):
            state.set("policies/acme.counted/Today", "count", 1)
        assert state.get(PUSHES) == {"count": 1}


def test_a_section_that_somebody_else_wrote_is_not_believed(project: Path, remembering: EngineSession) -> None:
    remembering.check("git push")
    store = remembering.engine.store
    store.write(lambda connection: connection.execute("UPDATE state SET value = ?", (b'{"count":-100}',)))
    with ProjectState(str(project)) as state:
        assert state.get(PUSHES) == {}
        assert state.set(PUSHES, "count", 1) == {"count": 1}


def test_what_a_policy_left_that_is_gone_is_shown_and_reset(project: Path, remembering: EngineSession) -> None:
    remembering.check("git push")
    (remembering.policies / "acme.py").unlink()
    (entry,) = remembering.home.described.iterdir()
    entry.unlink()
    with ProjectState(str(project)) as state:
        assert state.get(PUSHES) == {"count": 1}
        assert state.reset(PUSHES) == {}


def test_an_agent_does_not_change_it(
    project: Path, remembering: EngineSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    remembering.check("git push")
    monkeypatch.setattr("synaptic.api.require_person", _refuse)
    with ProjectState(str(project)) as state:
        assert state.get(PUSHES) == {"count": 1}
        for change in (lambda: state.set(PUSHES, "count", 0), lambda: state.reset(PUSHES)):
            with pytest.raises(PersonError):
                change()
        assert state.get(PUSHES) == {"count": 1}


def _refuse(home: object, what: str) -> None:
    raise PersonError(f"an agent may not {what}")
