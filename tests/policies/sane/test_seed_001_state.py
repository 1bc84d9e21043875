"""The state of the sane process as its files show it: the whole schema, what changes it, and who is believed."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from synaptic.store import mirror
from tests.daemon.setting import Setting, output
from tests.policies.sane.test_session import Project

SCHEMA = json.loads("""
{
  "circuit_breaker": {"failures": 0, "tripped": false, "tripped_at": null, "last_error": null, "error_signatures": {}},
  "requirements": {"requested": [], "satisfied": [], "is_task": false, "is_big_task": false},
  "research": {"memory": null, "docs": null, "web": null, "github": null, "local": null},
  "edits": {"count": 0, "unique_files": [], "last_file": null},
  "saneloop": {"active": false, "task": null, "iteration": 0, "max_iterations": 20, "acceptance_criteria": [],
               "started_at": null},
  "enforcement": {"blocks": [], "halted": false, "halted_at": null, "halted_reason": null},
  "action_log": [],
  "learnings": []
}
""")
"""The file as it is described to operators."""
LOGS = {"saneprompt.log", "sanetools.log", "sanetrack.log", "sanestop.log", "audit.jsonl"}
FILES = LOGS | {"state.json", "state.json.lock"}


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    made = Project(tmp_path)
    yield made
    made.close()


def read_file(setting: Setting) -> dict[str, Any]:
    shown = json.loads((setting.project / ".claude" / "state.json").read_text())
    return {name: value for name, value in shown.items() if not name.startswith("__")}


def test_a_fresh_project_shows_the_schema_and_nothing_else(setting: Setting) -> None:
    """S1-128, S1-140, S1-160: after the first event, in the file that operators read."""
    setting.config('presets = []\n[policies."sane.forged-state"]\nenabled = true\n')
    setting.answer(setting.request())
    assert read_file(setting) == SCHEMA


def test_every_file_is_there_after_a_session_and_the_state_is_one_file(project: Project) -> None:
    """S1-012, S1-023, S1-079, S1-190: the marker while safemode is on, and no other JSON however long it goes on."""
    folder = project.setting.project / ".claude"
    for _ in range(2):
        project.prompt("fix the bug in the parser")
        project.prompt("s+")
        assert project.edit()
        project.did("Read")
        project.fails()
        project.send("Stop")
        assert {path.name for path in folder.iterdir()} == FILES | {"bypass_active.json"}
        project.prompt("s-")
        assert {path.name for path in folder.iterdir()} == FILES
    shown = read_file(project.setting)
    assert shown.keys() == SCHEMA.keys()
    assert all(SCHEMA[name].keys() <= shown[name].keys() for name in SCHEMA if isinstance(SCHEMA[name], dict))
    assert len(shown["enforcement"]["blocks"]) == 2 and len(shown["action_log"]) == 4
    assert all((folder / name).stat().st_size for name in LOGS)
    assert mirror.inspect_mirror(project.engine.store, str(project.setting.project)).state == "genuine"


@pytest.mark.parametrize("section", SCHEMA)
def test_a_value_flipped_by_hand_is_told_and_believed_by_nobody(project: Project, section: str) -> None:
    """S1-147: in every section."""
    project.prompt("fix the bug in the parser")
    file = project.setting.project / ".claude" / "state.json"
    before, forged = read_file(project.setting), json.loads(file.read_text())
    if isinstance(forged[section], list):
        forged[section] = [{"tool": "Bash"}]
    else:
        key = next(iter(forged[section]))
        forged[section][key] = 9 if forged[section][key] == 0 else "forged"
    file.write_text(json.dumps(forged, indent=2))
    told = output(project.send("UserPromptSubmit", prompt="s?"))
    assert ".claude/state.json was changed by hand" in told["systemMessage"]
    assert read_file(project.setting) == before
    assert "0 of 5" in project.edit()


def test_edits_of_every_kind_are_counted_and_failed_ones_are_not(project: Project) -> None:
    """S1-100: in total, each file once, and the last of them."""
    root = project.setting.project
    edits = (("Edit", "a.py"), ("Write", "b.py"), ("MultiEdit", "a.py"), ("NotebookEdit", "c.ipynb"), ("Edit", "a.py"))
    for tool, name in edits:
        key = "notebook_path" if tool == "NotebookEdit" else "file_path"
        project.did(tool, {"filePath": name}, **{key: f"{root}/{name}"})
    project.did("Read", file_path=f"{root}/d.py")
    project.did("Edit", {"error": "String to replace not found"}, file_path=f"{root}/e.py")
    files = [f"{root}/{name}" for name in ("a.py", "b.py", "c.ipynb")]
    shown = read_file(project.setting)["edits"]
    assert (shown["count"], sorted(shown["unique_files"]), shown["last_file"]) == (5, files, files[0])
