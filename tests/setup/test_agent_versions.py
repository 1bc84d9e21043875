"""Versions of agents: from their package when there is one, else from the program, and never for long."""

import json

import pytest

from synaptic.setup import agent_versions
from synaptic.setup.agent_versions import find_version, find_versions


def program(path, body):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(
    ("body", "seen"),
    [
        ("echo codex-cli 0.166.0", "0.166.0"),
        ("echo '1.18.33'", "1.18.33"),
        ("echo '0.0.1790142911-g7618fb (released today)'", "0.0.1790142911-g7618fb"),
        ("echo nothing to see", ""),
        ("echo 1.2.3; exit 1", ""),
    ],
)
def test_a_program_is_asked(tmp_path, body, seen):
    assert find_version(str(program(tmp_path / "agent", body))) == seen


def test_an_npm_package_is_read_and_not_started(tmp_path):
    package = tmp_path / "node_modules" / "@openai" / "codex"
    bin_file = program(package / "bin" / "codex.js", f"touch {tmp_path}/started; echo 9.9.9")
    (package / "package.json").write_text(json.dumps({"version": "0.166.0", "bin": {"codex": "bin/codex.js"}}))
    (tmp_path / "codex").symlink_to(bin_file)
    assert find_version(str(tmp_path / "codex")) == "0.166.0"
    assert not (tmp_path / "started").exists()


def test_a_package_json_of_somebody_else_is_not_believed(tmp_path):
    (tmp_path / "package.json").write_text(json.dumps({"version": "5.5.5"}))
    assert find_version(str(program(tmp_path / "bin" / "agent", "echo 1.0.0"))) == "1.0.0"


def test_nobody_waits_for_an_agent_that_hangs_or_is_gone(tmp_path, monkeypatch):
    monkeypatch.setattr(agent_versions, "VERSION_TIMEOUT", 0.2)
    slow = program(tmp_path / "slow", "exec sleep 5")
    assert find_versions({"codex": str(slow), "amp": str(tmp_path / "gone")}) == {"codex": "", "amp": ""}
