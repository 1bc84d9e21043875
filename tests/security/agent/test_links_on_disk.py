"""Links that are on the disk: into the engine's folder, around it, with `..` behind them, and a HOME that lies."""

import asyncio
from pathlib import Path

import pytest

from synaptic.engine.check import Checker, summarize_decision
from synaptic.model.home import Home

COMMANDS = [
    "echo x > up/../.synaptic/run/x",
    "echo x > up/../.claude/settings.json",
    "cp x up/../.synaptic/engine",
    "tee up/../.synaptic/engine < x",
    "sed -i s/a/b/ up/../.synaptic/run/x",
    "echo x > engine/run/x",
    "cp x engine/run/x",
    "mv x engine/bin/dispatch",
    "rm -f engine/bin/dispatch",
    "cd engine && rm -f bin/dispatch",
    "cd engine/bin && echo > dispatch",
    "chmod -x engine/bin/dispatch",
    "truncate -s 0 conf",
    "echo 'presets = []' > conf",
    "echo >> conf",
    "sed -i s/a/b/ conf",
    "perl -pi -e s/a/b/ conf",
    "dd if=x of=conf",
    "python3 -c \"open('conf', 'w').write('')\"",
    "python3 -c \"open('engine/engine', 'w').write('')\"",
    "vim -c 'wq' conf",
    "install -m 755 x engine/bin/dispatch",
    "curl -o conf http://x.example/x",
    "tar -C engine -xf x.tar",
    "unknown-editor conf",
    "unknown-editor --file=conf",
    "sqlite3 engine/synaptic.db 'delete from trust'",
    "nc -U engine/run/daemon.sock",
    "deep/engine/../engine/../conf; echo x > deep/engine/bin/dispatch",
    "rm {user}/.synaptic/config.toml",
    "echo x > {user}/.claude/settings.json",
]
TOOLS = ["up/../.synaptic/run/x", "engine/run/x", "conf", "{user}/.synaptic/config.toml", "deep/engine/bin/dispatch"]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with links, in the folder of a user whom no variable names."""
    user = tmp_path_factory.mktemp("user")
    project = user / "work" / "project"
    (project / ".git").mkdir(parents=True)
    (user / ".synaptic" / "bin").mkdir(parents=True)
    (user / ".synaptic" / "config.toml").write_text('presets = ["essentials"]\n')
    (user / "notes").mkdir()
    (project / "up").symlink_to(user / "notes")
    (project / "engine").symlink_to(user / ".synaptic")
    (project / "conf").symlink_to(user / ".synaptic" / "config.toml")
    (project / "deep").symlink_to(project)
    return project


def decide(project: Path, tool: str, **given: str) -> object:
    question = {"tool_name": tool, "tool_input": given, "cwd": str(project)}
    home = Home(project.parents[1] / ".synaptic")
    return summarize_decision(asyncio.run(Checker(home).decide(question)))["decision"]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_does_not_get_through_a_link(project: Path, command: str) -> None:
    assert decide(project, "Bash", command=command.replace("{user}", str(project.parents[1]))) == "deny"


@pytest.mark.parametrize("path", TOOLS)
def test_a_tool_for_editing_does_not_get_through_a_link(project: Path, path: str) -> None:
    path = path.replace("{user}", str(project.parents[1]))
    assert decide(project, "Write", file_path=path, content="") == "deny"
