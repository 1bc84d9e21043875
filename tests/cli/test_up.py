"""From nothing to a first event, and back to nothing."""

import json
import subprocess
from pathlib import Path

import pytest

from synaptic.daemon import lifecycle
from tests.cli.conftest import User

FOREIGN = '{\n    "permissions": {"allow": ["Bash(ls)"]},\n    "model": "x"\n}\n'


SAMPLES = (
    '{"tool_name":"Write","tool_input":{"file_path":"/test.ts"}}',
    '{"tool_name":"Bash","tool_input":{"command":"git status"}}',
    "{}",
)


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_up_sends_a_real_event_and_shows_its_trace(user: User):
    """S0-005: the dispatcher answers; the walk of the event is explained."""
    user.brings_hook("cat > /dev/null")
    user.types("trust", "--yes")
    shown = user.types("up")
    assert shown.code == 0, shown.err
    assert "PreToolUse about Bash, from claude" in shown.out
    assert "demo:guard.sh" in shown.out
    assert "synaptic down" in shown.out
    assert lifecycle.read_status(user.home).state == "running"


def test_up_twice_changes_nothing_the_second_time(user: User):
    """S0-002, S0-007: the same bytes, one PATH line."""
    user.types("up")
    before = user.settings.read_bytes(), (user.folder / ".bashrc").read_bytes()
    again = user.types("up")
    assert again.code == 0
    assert "  changed" not in again.out
    assert (user.settings.read_bytes(), (user.folder / ".bashrc").read_bytes()) == before
    assert (user.folder / ".bashrc").read_text().count("export PATH=") == 1


def test_up_writes_the_variables_of_a_project_and_of_nothing_else(user: User, tmp_path: Path, monkeypatch):
    """S0-110: env.toml belongs to projects."""
    user.types("up")
    assert (user.project / ".synaptic" / "env.toml").is_file()
    bare = tmp_path / "bare"
    bare.mkdir()
    monkeypatch.chdir(bare)
    assert "no project" in user.types("up").out
    assert list(bare.iterdir()) == []


@pytest.mark.parametrize("payload", SAMPLES)
def test_a_hook_is_tried_by_piping_json_into_the_dispatcher(user: User, payload: str):
    """S4-046: the sample commands run and exit 0, and settings.json is valid JSON."""
    user.types("bootstrap")
    user.types("daemon", "start")
    done = subprocess.run([user.home.dispatch, "PreToolUse"], input=payload.encode(), timeout=60, check=False)
    assert done.returncode == 0
    assert json.loads(user.settings.read_text())["hooks"]


def test_up_as_json_never_shows_the_entry_token(user: User):
    shown = user.types("up", "--json")
    assert shown.json["ok"] is True
    assert shown.json["trace"]["event"] == "PreToolUse"
    token = (user.home.root / "entry").read_text().strip()
    assert token not in shown.out


def test_down_restores_every_file_byte_for_byte(user: User):
    """S0-003: what somebody else wrote survives."""
    user.settings.parent.mkdir()
    user.settings.write_text(FOREIGN)
    (user.folder / ".bashrc").write_text("alias ll='ls -l'\n")
    before = tree(user.folder)
    user.types("up")
    assert json.loads(user.settings.read_text())["permissions"] == {"allow": ["Bash(ls)"]}
    shown = user.types("down", "--purge", "--yes")
    assert shown.code == 0, shown.err
    assert tree(user.folder) == before
    assert not user.home.root.exists()
    assert lifecycle.read_status(user.home).state == "stopped"


def test_down_keeps_the_journal_unless_told_otherwise(user: User):
    user.types("up")
    shown = user.types("down")
    assert user.home.database.exists()
    assert str(user.home.database) in shown.out
    assert not user.home.dispatch.exists()
    assert user.types("explain", "--last").code == 0


def test_purge_keeps_what_a_person_wrote(user: User):
    user.configures('journal = "full"\n')
    user.types("up")
    user.types("down", "--purge", "--yes")
    assert [path.name for path in user.home.root.iterdir()] == ["config.toml"]


def test_down_on_a_clean_machine_is_no_error(user: User):
    assert user.types("down").code == 0
    assert not user.home.root.exists()


def test_up_works_with_the_journal_off(user: User):
    user.configures('journal = "off"\n')
    shown = user.types("up")
    assert shown.code == 0
    assert "not in the journal" in shown.out
