"""Somebody's own hooks become ours, run as before, and go back byte for byte."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import User

SETTINGS = """{
    "model":   "opus",
    "hooks": {
        "PreToolUse": [
            { "matcher": "Bash", "hooks": [ {"type": "command", "command": "%s", "timeout": 7} ] },
            { "hooks": [ {"type": "prompt", "prompt": "good?"} ] }
        ],
        "Stop": [ { "hooks": [ {"type": "command", "command": "echo done", "async": true} ] } ]
    }
}
"""


@pytest.fixture
def owner(user: User) -> User:
    """Somebody who has hooks of their own."""
    guard = user.writes("own.sh", "#!/bin/sh\necho 'not this one' >&2\nexit 2\n", 0o755)
    user.settings.parent.mkdir()
    user.settings.write_text(SETTINGS % guard)
    return user


def foreign_commands(file: Path) -> list[str]:
    hooks = json.loads(file.read_text()).get("hooks", {})
    inner = [hook for groups in hooks.values() for group in groups for hook in group["hooks"]]
    return [str(hook.get("command", hook["type"])) for hook in inner if "--entry" not in json.dumps(hook)]


def test_it_needs_a_connected_agent(owner: User):
    before = owner.settings.read_bytes()
    shown = owner.types("import", "claude")
    assert shown.code == 1
    assert "synaptic up" in shown.err
    assert owner.settings.read_bytes() == before


def test_a_dry_run_only_tells(owner: User):
    before = owner.settings.read_bytes()
    shown = owner.types("import", "claude", "--dry-run")
    assert shown.code == 0, shown.err
    assert "2 hooks would be taken over" in shown.out
    assert "stays: PreToolUse good?" in shown.out
    assert owner.settings.read_bytes() == before
    assert not owner.home.root.exists()


def test_hooks_move_and_still_decide(owner: User):
    owner.types("bootstrap")
    shown = owner.types("import", "claude", "--json").json
    assert [entry["id"] for entry in shown["taken"]] == ["imported:PreToolUse:1", "imported:Stop:1"]
    assert [one["hook"] for one in shown["staying"]] == ["good?"]
    assert foreign_commands(owner.settings) == ["prompt"]
    hooks = {hook["id"]: hook for hook in owner.types("list", "--json").json["hooks"]}
    assert hooks["imported:PreToolUse:1"]["timeout"] == 7
    assert hooks["imported:PreToolUse:1"]["protocol"] == "native"
    assert hooks["imported:Stop:1"]["blocking"] is False
    assert "not this one" in (sent := owner.sends()).stdout + sent.stderr


@pytest.mark.parametrize("order", [("bootstrap", "import"), ("bootstrap", "import", "bootstrap")])
def test_undo_puts_the_file_back_byte_for_byte(owner: User, order: tuple[str, ...]):
    original = owner.settings.read_bytes()
    owner.types("bootstrap")
    connected = owner.settings.read_bytes()
    owner.types("import", "claude")
    if len(order) == 3:
        owner.types("bootstrap", "--fail", "closed")
        owner.types("bootstrap", "--fail", "open")
    shown = owner.types("import", "claude", "--undo")
    assert "byte for byte" in shown.out
    assert owner.settings.read_bytes() == connected
    assert not owner.home.registry.exists()
    owner.types("down")
    assert owner.settings.read_bytes() == original
    assert "nothing was taken over" in owner.types("import", "claude", "--undo").out


def test_down_puts_them_back_too(owner: User):
    original = owner.settings.read_bytes()
    owner.types("bootstrap")
    owner.types("import", "claude")
    shown = owner.types("down")
    assert "imported hooks put back" in shown.out
    assert owner.settings.read_bytes() == original


def test_a_second_import_takes_only_what_is_new_and_both_are_undone(owner: User):
    owner.types("bootstrap")
    connected = owner.settings.read_bytes()
    owner.types("import", "claude")
    assert owner.types("import", "claude", "--json").json["taken"] == []
    once = owner.settings.read_bytes()
    table = json.loads(once)
    table["hooks"]["PreToolUse"].append({"hooks": [{"type": "command", "command": "echo new"}]})
    owner.settings.write_text(json.dumps(table, indent=4))
    shown = owner.types("import", "claude", "--json").json
    assert [entry["id"] for entry in shown["taken"]] == ["imported:PreToolUse:2"]
    owner.types("import", "claude", "--undo")
    assert sorted(foreign_commands(owner.settings)) == sorted([*_commands(connected), "echo new"])


def test_a_file_edited_in_between_gets_its_hooks_back_at_the_end(owner: User):
    owner.types("bootstrap")
    commands = foreign_commands(owner.settings)
    owner.types("import", "claude")
    owner.settings.write_text(owner.settings.read_text().replace('"opus"', '"sonnet"'))
    shown = owner.types("import", "claude", "--undo")
    assert "edited in the meantime" in shown.out
    assert sorted(foreign_commands(owner.settings)) == sorted(commands)
    assert json.loads(owner.settings.read_text())["model"] == "sonnet"


def test_other_entries_of_the_registry_stay(owner: User):
    owner.home.registry.parent.mkdir(parents=True)
    owner.home.registry.write_text('# mine\n[[hook]]\nevent = "Stop"\ncommand = "true"\nid = "own"\n')
    before = owner.home.registry.read_bytes()
    owner.types("bootstrap")
    owner.types("import", "claude")
    assert "own" in owner.types("list").out and "imported:Stop:1" in owner.types("list").out
    owner.home.registry.write_text(owner.home.registry.read_text() + "# later\n")
    owner.types("import", "claude", "--undo")
    text = owner.home.registry.read_text()
    assert text.startswith("# mine") and "imported" not in text
    owner.home.registry.write_bytes(before)
    owner.types("import", "claude")
    owner.types("import", "claude", "--undo")
    assert owner.home.registry.read_bytes() == before


@pytest.mark.parametrize("registry", [b"\xff", b"[[hook", b'hook = [{event = "Stop", command = "true"}]\n'])
def test_a_registry_that_cannot_be_added_to_leaves_everything_as_it_was(owner: User, registry: bytes):
    owner.types("bootstrap")
    owner.home.registry.parent.mkdir(parents=True)
    owner.home.registry.write_bytes(registry)
    before = owner.settings.read_bytes()
    shown = owner.types("import", "claude")
    assert shown.code == 1
    assert str(owner.home.registry) in shown.err
    assert (owner.settings.read_bytes(), owner.home.registry.read_bytes()) == (before, registry)
    assert "nothing was taken over" in owner.types("import", "claude", "--undo").out


def test_hooks_of_a_project_are_trusted_because_we_wrote_them(user: User):
    file = user.writes(".claude/settings.json", SETTINGS % "true")
    before = file.read_bytes()
    user.brings_hook(id="stranger")
    user.types("bootstrap")
    assert user.types("import", "claude", "--project").code == 0
    hooks = user.types("list", "--json").json["hooks"]
    trusted = {hook["id"]: hook["trusted"] for hook in hooks if hook["scope"] != "builtin"}
    assert trusted == {"stranger": False, "imported:PreToolUse:1": True, "imported:Stop:1": True}
    assert foreign_commands(file) == ["prompt"]
    user.types("import", "claude", "--project", "--undo")
    assert file.read_bytes() == before


def test_broken_settings_are_refused_untouched(owner: User):
    owner.types("bootstrap")
    owner.settings.write_text("{ broken")
    shown = owner.types("import", "claude")
    assert shown.code == 1
    assert owner.settings.read_text() == "{ broken"


def _commands(raw: bytes) -> list[str]:
    hooks = json.loads(raw)["hooks"]
    inner = [hook for groups in hooks.values() for group in groups for hook in group["hooks"]]
    return [str(hook.get("command", hook["type"])) for hook in inner if "--entry" not in json.dumps(hook)]
