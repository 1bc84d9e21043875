"""log.sh, as a hook script uses it."""

import json
import shutil
import sys
from pathlib import Path

import pytest

from tests.lib.shell import repository, sh


def test_input_is_read_once_and_kept(tmp_path: Path):
    """S4-020"""
    done = sh('HOOK_INPUT=$(read_input); read_input; read_input >/dev/null; echo "$HOOK_INPUT"', tmp_path, '{"a":1}')
    assert done.stdout.splitlines() == ['{"a":1}', '{"a":1}']


def test_the_variable_that_a_hook_inherits_is_not_mistaken_for_the_event(tmp_path: Path):
    done = sh("read_input", tmp_path, '{"whole":true}', HOOK_INPUT='{"command":"ls"}')
    assert done.stdout == '{"whole":true}\n'


@pytest.mark.parametrize(
    ("stdin", "path", "want"),
    [
        ('{"tool_input":{"command":"ls -l"}}', ".tool_input.command", "ls -l"),
        ('{"f":false}', ".f", ""),
        ('{"f":null}', ".f", ""),
        ("{}", ".f", ""),
        ('{"f":0}', ".f", "0"),
        ("garbage", ".f", ""),
    ],
)
def test_a_field(tmp_path: Path, stdin: str, path: str, want: str):
    """S4-021, S4-004"""
    for tools in (None, tmp_path / "bin"):  # with jq, and without
        if tools:
            tools.mkdir()
            for name in ("bash", "cat", "python3", "tr"):
                (tools / name).write_text(f'#!/bin/sh\nexec {_which(name)} "$@"\n')
                (tools / name).chmod(0o755)
        done = sh(f"get_field '{path}'", tmp_path, stdin, **({"PATH": str(tools)} if tools else {}))
        assert done.stdout.strip() == want, done.stderr
        assert done.returncode == 0


def test_the_project_root(tmp_path: Path):
    """S4-022"""
    repo = repository(tmp_path / "repo")
    deep = repo / "a"
    deep.mkdir()
    other = tmp_path / "other"
    other.mkdir()
    assert sh("detect_project_root", deep, CLAUDE_PROJECT_DIR=str(other)).stdout.strip() == str(other)
    assert sh("detect_project_root", deep, CLAUDE_PROJECT_DIR="/nonexistent").stdout.strip() == str(repo)
    assert sh("detect_project_root", other, HOME="/the/home").stdout.strip() == "/the/home"
    assert sh("unset HOME; detect_project_root", other).stdout.strip() == "/"


def test_lines_for_people_and_for_programs(tmp_path: Path):
    """S4-023, S4-001, S4-012"""
    done = sh('log_info gate \'it "failed"\'; log_json gate "$TEXT"', tmp_path, TEXT='a "quote" \\ and\na line\tx\x01')
    first, second = done.stderr.splitlines()
    assert first == '[gate] it "failed"'
    assert json.loads(second) == {"stage": "gate", "message": 'a "quote" \\ and\na line\tx'}
    assert done.stdout == ""


def _which(name: str) -> str:
    found = sys.executable if name == "python3" else shutil.which(name)
    assert found
    return found
