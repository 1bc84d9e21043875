"""Events that name no folder are about the one that the dispatcher was run in."""

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from synaptic.model.call import Answer, Request
from synaptic.setup import dispatcher
from tests.daemon.setting import Setting, specific
from tests.lib.shell import repository


@pytest.fixture(params=["daemon", "no daemon", "no compiler"])
def practice(tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Setting]:
    """A repository on its main branch, through each of the ways to the engine."""
    setting = Setting(tmp_path)
    setting.config('presets = ["practice", "essentials"]\n')
    repository(setting.project, "main")
    (setting.project / "src").mkdir()
    if request.param == "no compiler":
        monkeypatch.setattr(dispatcher, "find_compiled", lambda: None)
    setting.without_daemon()
    if request.param == "daemon":
        setting.start()
    yield setting
    setting.close()


def pipe(setting: Setting, payload: dict[str, object], folder: Path) -> dict[str, object]:
    """`echo '{...}' | dispatch PreToolUse`, as somebody types it in a folder."""
    env = {"HOME": str(setting.user), "PATH": os.environ["PATH"]}
    command = [setting.home.dispatch, "PreToolUse"]
    stdin = json.dumps(payload).encode()
    done = subprocess.run(command, input=stdin, capture_output=True, env=env, cwd=folder, timeout=60, check=False)
    assert (done.returncode, b"Traceback" in done.stderr) == (0, False), done.stderr
    return specific(Answer(done.stdout))


def test_the_seeds_own_samples_are_about_the_folder_they_are_typed_in(practice: Setting) -> None:
    """S4-005, S4-022, S4-046"""
    shell = {"tool_name": "Bash", "tool_input": {"command": "git commit -m x"}}
    assert pipe(practice, shell, practice.project)["permissionDecision"] == "deny"
    assert practice.last().root == str(practice.project)
    status = {"tool_name": "Bash", "tool_input": {"command": "git status"}}
    assert pipe(practice, status, practice.project).get("permissionDecision") != "deny"
    moved = pipe(practice, {"tool_name": "Bash", "tool_input": {"command": "echo x > /tmp/x"}}, practice.project)
    assert str(practice.project) in json.dumps(moved["updatedInput"])


def test_a_relative_file_path_is_below_the_folder_of_the_dispatcher(practice: Setting) -> None:
    """S4-022, S4-046"""
    write = {"tool_name": "Write", "tool_input": {"file_path": "a.py", "content": "x = 1\n"}}
    said = pipe(practice, write, practice.project / "src")
    assert said["permissionDecision"] == "deny"  # source on the main branch
    assert practice.last().root == str(practice.project)


def test_a_folder_that_the_event_names_counts_before_the_dispatchers(practice: Setting, tmp_path: Path) -> None:
    shell = {"tool_name": "Bash", "tool_input": {"command": "git commit -m x"}}
    named = {**shell, "cwd": str(practice.project)}
    assert pipe(practice, named, tmp_path)["permissionDecision"] == "deny"
    relative = {**shell, "cwd": "src/.."}
    assert pipe(practice, relative, practice.project)["permissionDecision"] == "deny"


def test_a_folder_that_is_gone_is_no_folder(tmp_path: Path) -> None:
    setting = Setting(tmp_path)
    request = setting.raw("PreToolUse", b'{"tool_name":"Read","tool_input":{"file_path":"x"}}')
    assert setting.rehearse(request).call.event.cwd == ""
    placed = Request(request.agent, request.event, request.stdin, request.id, request.env, cwd="(unreachable)/x")
    assert setting.rehearse(placed).call.event.cwd == ""
