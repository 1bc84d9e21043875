"""The installed dispatcher, from the root folder, with a daemon behind it: one program for every project."""

import json
import os
import subprocess
import tomllib
from pathlib import Path

import pytest

from synaptic.setup.env import write_env
from tests.daemon.setting import BLOCK, Setting, modify

WAIT = 60
NAMES = ("SYNAPTIC_PROJECT_ROOT", "SYNAPTIC_ROOT", "SYNAPTIC_SHARED", "SYNAPTIC_SKILLS", "SYNAPTIC_CHANNEL",
         "SYNAPTIC_AGENTS", "HOOK_EVENT", "HOOK_TOOL", "HOOK_INPUT")  # fmt: skip


def dispatch(setting: Setting, project: Path, event: str = "PreToolUse", **fields: object) -> dict:
    """What the agent reads after it has run `dispatch EVENT` in `/`, with the project named in the context alone."""
    context = setting.payload(event, cwd="/", **{"claude-project-root": str(project)}, **fields)
    env = {"HOME": str(setting.user), "PATH": os.environ["PATH"]}
    command = f"cd / && exec '{setting.home.dispatch}' {event}"
    done = subprocess.run(
        ["sh", "-c", command], input=json.dumps(context).encode(), capture_output=True, env=env, timeout=WAIT
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout) if done.stdout else {}
    return {**told, **told.pop("hookSpecificOutput", {})}


def test_one_dispatcher_serves_each_project_with_its_own_hooks(running: Setting, tmp_path: Path) -> None:
    """S0-005, S0-010, S0-020, S0-021, S0-022, S0-023, S0-044"""
    other = Setting(tmp_path / "second")
    running.register("guard", BLOCK)
    running.register("after", event="PostToolUse", matcher="Read")
    other.register("rewriter", modify("ls -la --color=never"))
    assert dispatch(running, running.project)["permissionDecision"] == "deny"
    assert dispatch(running, other.project)["updatedInput"] == {"command": "ls -la --color=never"}
    # A call of its own: what was refused above must not seem to have run.
    read = {"tool_name": "Read", "tool_input": {"file_path": "a"}, "tool_use_id": "t2"}
    assert dispatch(running, running.project, **read) == {}
    assert dispatch(running, running.project, "PostToolUse", **read, tool_response="") == {}
    assert (running.order, other.order) == (["guard", "after"], ["rewriter"])


def test_hooks_of_both_kinds_see_the_variables_of_env_toml(running: Setting) -> None:
    """S0-028, S0-029, S0-030, S0-031, S0-110: and so does a script of the agent that sources the file."""
    env_file = write_env(running.project, channel="develop")
    asked = " ".join(f'"${name}"' for name in NAMES)
    for name, blocking in (("waited", True), ("started", False)):
        running.register(name, f"printf '%s\\0' {asked} > d && mv d '{running.project / name}'", blocking=blocking)
    dispatch(running, running.project, tool_input={"command": "ls -la"})
    assert running.wait_for((running.project / "started").exists, WAIT)
    sourced = subprocess.run(
        ["bash", "-c", f"source '{env_file}'; printf '%s\\0' {asked}"],
        capture_output=True, text=True, check=True, cwd="/", env={"PATH": os.environ["PATH"]},
    ).stdout.split("\0")  # fmt: skip
    for name in ("waited", "started"):
        seen = (running.project / name).read_text().split("\0")
        assert seen[:6] == sourced[:6] == list(tomllib.loads(env_file.read_text()).values())
        assert seen[6:8] == ["PreToolUse", "Bash"]
        assert json.loads(seen[8]) == {"command": "ls -la"}


def test_a_running_daemon_follows_every_edit_of_the_registry(running: Setting) -> None:
    """S0-026, S0-043, S0-061, S0-062, S0-065, S0-069: a priority, an entry or a script less."""
    registry = running.hooks / "registry.toml"
    for name, priority in (("b", 20), ("a", 10), ("c", 50)):
        script = running.register(name, priority=priority)

    def ran(warning: str = "") -> list[str]:
        running.ran.unlink(missing_ok=True)
        assert warning in dispatch(running, running.project).get("systemMessage", "")
        return running.order

    assert ran() == ["a", "b", "c"]
    registry.write_text(registry.read_text().replace("priority = 50", "priority = 0"))
    assert ran() == ["c", "a", "b"]
    registry.write_text(registry.read_text().replace("priority = 10", "priority = 200"))
    assert ran() == ["c", "b", "a"]
    registry.write_text("\n\n".join(part for part in registry.read_text().split("\n\n") if '"b"' not in part) + "\n")
    assert ran() == ["c", "a"]
    script.unlink()
    assert ran("c.sh") == ["a"]


@pytest.mark.parametrize("daemon", [True, False])
def test_the_dispatcher_ends_while_a_hook_that_does_not_block_still_runs(setting: Setting, daemon: bool) -> None:
    """S0-040: nothing holds the agent up, no open pipe either; a block that comes late is nobody's."""
    setting.without_daemon()
    if daemon:
        setting.start()
    go, done = setting.project / "go", setting.project / "done"
    wait = f"while [ ! -e '{go}' ]; do sleep 0.05; done"
    setting.register("slow", f"{wait}\n{BLOCK}\ntouch '{done}'\nexit 9", blocking=False, timeout=WAIT)
    assert dispatch(setting, setting.project) == {}
    assert not done.exists()
    go.touch()
    assert setting.wait_for(done.exists, WAIT)
    (setting.hooks / "registry.toml").unlink()
    assert dispatch(setting, setting.project) == dispatch(setting, setting.project) == {}
