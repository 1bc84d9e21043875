"""Agents at the keyboard: who is here, one more, all of them, and out again."""

import json
import os
from pathlib import Path

import pytest

from synaptic.agents.shared.discover import list_agent_names
from synaptic.agents.shared.guarded import list_moving_variables
from tests.cli.conftest import User
from tests.packages.installation import snapshot

KEPT = (".synaptic",)


@pytest.fixture(autouse=True)
def _bare(user: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No agent of whoever runs the tests."""
    for name in list_moving_variables():
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}/usr/bin{os.pathsep}/bin")


@pytest.fixture
def codex(tmp_path: Path) -> Path:
    program = tmp_path / "bin" / "codex"
    program.write_text("#!/bin/sh\necho codex-cli 0.166.0\n")
    program.chmod(0o755)
    return program


def test_every_agent_is_listed_with_what_is_known_about_it(user: User, codex: Path):
    (user.folder / ".gemini").mkdir()
    shown = user.types("agents", "--json")
    assert shown.code == 0
    found = {one["agent"]: one for one in shown.json["agents"]}
    assert list(found) == list(list_agent_names())
    assert (found["codex"]["found"], found["codex"]["version"]) == (str(codex), "0.166.0")
    assert found["gemini"]["found"] == str(user.folder / ".gemini")
    assert (found["amp"]["found"], found["amp"]["wired"], found["amp"]["trusted"]) == ("", False, None)
    assert "rewrite" not in found["qwen"]["can"]


def test_programs_need_not_be_started(user: User, codex: Path):
    codex.write_text("#!/bin/sh\ntouch $HOME/started\n")
    shown = user.types("agents", "--no-versions")
    assert shown.code == 0
    assert shown.out.splitlines()[0].split() == ["AGENT", "FOUND", "VERSION", "WIRED", "TRUSTED", "CAN"]
    assert not (user.folder / "started").exists()


def test_one_agent_in_detail(user: User):
    shown = user.types("agents", "show", "qwen")
    assert shown.code == 0
    assert str(user.folder / ".qwen/settings.json") in shown.out
    assert "rewrite: no; denied with the corrected input in the reason" in shown.out
    details = user.types("agents", "show", "codex", "--json").json
    assert "PreToolUse" in details["events"]
    assert any("write_stdin" in hole for hole in details["holes"])


def test_an_agent_nobody_knows_is_an_error_with_the_known_names(user: User):
    for words in (("agents", "show", "nobody"), ("bootstrap", "--agent", "nobody"), ("down", "--agent", "nobody")):
        shown = user.types(*words)
        assert shown.code == 1
        assert "known: claude, amp" in shown.err
    assert not user.home.root.exists()


def test_named_agents_are_wired_and_claude_is_not_unless_named(user: User):
    shown = user.types("bootstrap", "--agent", "codex", "--agent", "gemini", "--json")
    assert shown.code == 0, shown.err
    assert (user.folder / ".codex/hooks.json").exists()
    assert "BeforeTool" in json.loads((user.folder / ".gemini/settings.json").read_text())["hooks"]
    assert not user.settings.exists()
    assert any("`/hooks`" in note for note in shown.json["notes"])
    wired = {one["agent"] for one in user.types("agents", "--json", "--no-versions").json["agents"] if one["wired"]}
    assert wired == {"codex", "gemini"}


def test_one_more_agent_leaves_those_that_are_wired(user: User):
    user.types("bootstrap")
    user.types("bootstrap", "--agent", "codex", "--trust")
    assert user.settings.exists()
    (agent,) = [one for one in user.types("agents", "--json").json["agents"] if one["agent"] == "codex"]
    assert (agent["wired"], agent["trusted"]) == (True, True)
    (user.folder / ".codex/hooks.json").unlink()
    assert "  changed" in user.types("bootstrap").out
    assert (user.folder / ".codex/hooks.json").exists()


def test_all_that_are_found_and_down_again_leave_every_file_as_it_was(user: User, codex: Path):
    texts = {
        ".gemini/settings.json": '// mine\n{"theme": "x"} // end\n',
        ".cursor/hooks.json": '{"version":1,"hooks":{"stop":[{"command":"x"}]}}',
        ".factory/settings.json": "{}",
        ".config/amp/settings.json": "{\n\t// none yet\n}\n",
    }
    for name, text in texts.items():
        (user.folder / name).parent.mkdir(parents=True)
        (user.folder / name).write_text(text)
    before = snapshot(user.folder, *KEPT)
    shown = user.types("bootstrap", "--all")
    assert shown.code == 0, shown.err
    listed = user.types("agents", "--json", "--no-versions").json["agents"]
    assert {one["agent"] for one in listed if one["wired"]} == {"codex", "gemini", "cursor", "droid", "amp"}
    assert user.types("down").code == 0
    assert snapshot(user.folder, *KEPT) == before


def test_all_on_a_machine_without_agents_says_how_to_name_one(user: User):
    shown = user.types("bootstrap", "--all")
    assert shown.code == 1
    assert "--agent claude|amp" in shown.err
    assert not user.home.root.exists()


def test_all_leaves_out_what_cannot_be_edited_and_says_so(user: User):
    (user.folder / ".gemini").mkdir()
    (user.folder / ".gemini/settings.json").write_text("{ broken")
    (user.folder / ".codex").mkdir()
    shown = user.types("bootstrap", "--all")
    assert shown.code == 1
    assert "left out: gemini: " in shown.out
    assert (user.folder / ".codex/hooks.json").exists()
    assert (user.folder / ".gemini/settings.json").read_text() == "{ broken"


def test_one_agent_is_taken_out_alone(user: User):
    user.types("bootstrap", "--agent", "claude", "--agent", "cline", "--agent", "codex")
    shown = user.types("down", "--agent", "cline", "--json")
    assert shown.code == 0
    assert not (user.folder / ".cline").exists()
    assert user.settings.exists()
    assert user.home.dispatch.exists()
    assert "  changed" not in user.types("bootstrap").out


def test_doctor_looks_at_every_agent_that_is_wired(user: User):
    user.types("bootstrap", "--agent", "codex", "--agent", "cline")
    (user.folder / ".cline/hooks/PreToolUse").unlink()
    found = user.types("doctor", "--json").json["findings"]
    seen = {(one["check"], one["state"]) for one in found}
    assert ("agent codex", "fail") in seen
    assert ("agent cline", "fail") in seen
    assert not [one for one in found if one["check"] == "installation"], "Claude Code was not asked for"
    fixed = user.types("doctor", "--fix", "--json").json
    assert any("PreToolUse" in line for line in fixed["repaired"])
    assert ("agent cline", "fail") not in {(one["check"], one["state"]) for one in fixed["findings"]}


def test_doctor_tells_who_reads_claudes_entries_too(user: User):
    user.types("bootstrap")
    (user.folder / ".cursor").mkdir()
    (finding,) = [one for one in user.types("doctor", "--json").json["findings"] if one["check"] == "read twice"]
    assert finding["state"] == "ok"
    assert "Cursor" in finding["seen"]


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("synaptic bootstrap --agent co", ["codex", "copilot"]),
        ("synaptic down --agent am", ["amp"]),
        ("synaptic agents show q", ["qwen"]),
    ],
)
def test_the_shell_completes_agent_names(user: User, line: str, offered: list[str]):
    words = {"COMP_WORDS": line, "COMP_CWORD": str(len(line.split()) - 1), "_SYNAPTIC_COMPLETE": "bash_complete"}
    shown = user.runs(**words)
    assert [found.partition(",")[2] for found in shown.out.split()] == offered
