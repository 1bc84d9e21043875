"""One command behind two doors: what the command line refuses, the socket refuses, and the other way round."""

import json
import os
from pathlib import Path

import pytest

from synaptic.daemon.client import RpcError, call_rpc
from tests.cli.conftest import User

INVALID = -32602
AGENTS = ("AGENT_", "CLAUDE", "CLINE", "CODEX", "COPILOT", "CURSOR", "GEMINI", "OPENCODE", "QWEN")
"""How the variables begin by which a shell is known as an agent's."""


@pytest.fixture
def served(user: User, monkeypatch: pytest.MonkeyPatch) -> User:
    """A person with a daemon, and an effort on the task `t`."""
    for name in [name for name in os.environ if name.startswith(AGENTS)]:
        monkeypatch.delenv(name)
    user.types("daemon", "start")
    user.types("effort", "start", "t", "--skill", "build")
    return user


def code(user: User, method: str, **params: object) -> int:
    with pytest.raises(RpcError) as wrong:
        call_rpc(user.home, method, params)
    return wrong.value.code


def test_a_task_is_shown_the_same_by_its_name_and_by_its_folder(served: User):
    served.types("effort", "log", "x")
    typed = served.types("task", "show", "t", "--json").json
    assert {"ok": True, **call_rpc(served.home, "task.show", {"dirPath": "t"})} == typed
    assert {"ok": True, **call_rpc(served.home, "task.show", {"dirPath": f"{served.project}/.tasks/t/"})} == typed
    assert typed["artifacts"] == [f"{served.project}/.tasks/t/1_BUILD_LOG.md"]


def test_a_task_of_another_project_is_shown_and_resumed_by_its_folder(
    served: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    folder = f"{served.project}/.tasks/t"
    (tmp_path / "other/.git").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "other")
    assert served.types("task", "show", folder, "--json").json == {
        "ok": True,
        **call_rpc(served.home, "task.show", {"dirPath": folder}),
    }
    assert served.types("effort", "resume", "--task", folder, "--json").json["effortId"] == 1
    assert call_rpc(served.home, "effort.resume", {"dirPath": folder})["effortId"] == 1


def test_an_effort_is_resumed_by_its_task_or_by_its_agent_and_not_by_both(served: User):
    served.types("agent", "register", "A", "--effort", "1")
    both = {"dirPath": f"{served.project}/.tasks/t", "agentId": "A"}
    assert code(served, "effort.resume", **both) == INVALID
    assert served.types("effort", "resume", "--task", "t", "--agent", "A").code == 2


@pytest.mark.parametrize("method", ["state.get", "state.set", "state.update", "state.reset"])
def test_a_section_belongs_to_a_project(served: User, method: str):
    asked = {"section": "edits", "key": "count", "value": 1}
    for root in ("", "relative", str(served.folder)):
        assert code(served, method, root=root, **asked) == INVALID
    assert call_rpc(served.home, "state.set", {"root": f"{served.project}/", **asked})["count"] == 1
    assert served.types("state", "get", "edits", "count").out == "1\n"


@pytest.mark.parametrize("method", ["ability.list", "ability.suggest", "ability.documents", "ability.usage"])
def test_abilities_belong_to_a_project(served: User, method: str):
    for root in ("", "relative", str(served.folder)):
        assert code(served, method, root=root, text="x", intent={}) == INVALID


@pytest.mark.parametrize(
    ("method", "params"), [("state.set", {"key": "count", "value": 7}), ("state.update", {}), ("state.reset", {})]
)
def test_an_agents_shell_changes_no_state_through_either_door(
    served: User, monkeypatch: pytest.MonkeyPatch, method: str, params: dict[str, object]
):
    asked = json.dumps({"root": str(served.project), "section": "edits", **params})
    assert served.types("rpc", method, asked).code == 0
    monkeypatch.setenv("CLAUDECODE", "1")
    assert "an agent may not change the state" in served.types("rpc", method, asked).err
    assert "an agent may not change the state" in served.types("state", "reset", "edits").err


def test_the_home_folder_is_no_project_and_the_error_has_its_word(served: User, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(served.folder)
    shown = served.types("effort", "start", "t", "--skill", "build", "--json")
    assert (shown.code, shown.json["error"]["code"]) == (1, "VALIDATION_ERROR")
    assert code(served, "effort.start", task="t", skill="build") == INVALID


def test_a_path_that_cannot_be_is_told_and_is_no_crash(served: User):
    assert served.types("effort", "start", "~nobody-of-this-name/x", "--skill", "build").code == 0
    assert code(served, "effort.start", task="a/\0b", skill="build") == INVALID


def test_nothing_is_promised_that_is_forgotten_tomorrow(user: User):
    """A daemon whose database is in memory only says so, as the command line does."""
    user.home.root.mkdir()
    user.home.database.mkdir()
    user.types("daemon", "start")
    here = str(user.project)
    for method, params in (
        ("effort.start", {"task": "t", "skill": "build", "cwd": here}),
        ("agents.register", {"id": "A"}),
        ("state.set", {"root": here, "section": "edits", "key": "count", "value": 1}),
    ):
        with pytest.raises(RpcError, match="memory only"):
            call_rpc(user.home, method, params)
    for words in (
        ("effort", "start", "t", "--skill", "build"),
        ("agent", "register", "A"),
        ("state", "reset", "edits"),
    ):
        assert "memory only" in user.types(*words).err
    assert call_rpc(user.home, "agents.list") == []
