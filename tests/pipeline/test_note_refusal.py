"""Every refused call is in the files of the sane process and among its counts, whoever refused it."""

import asyncio
import json
from pathlib import Path

import pytest

from synaptic.engine.walk import open_engine
from synaptic.model import sane
from synaptic.store import state
from synaptic.store.db import Store
from tests.daemon.setting import BLOCK, Setting, specific

SANE = 'trust = "all"\npresets = ["essentials", "sane"]\n'
MARK = "forbidden"


@pytest.fixture
def setting(tmp_path: Path) -> Setting:
    setting = Setting(tmp_path)
    setting.config(SANE)
    setting.register("guard", f"grep -q {MARK} && {BLOCK}; exit 0")
    return setting


def ask(setting: Setting, tool: str = "Bash", agent: str = "claude", **tool_input: object) -> bytes:
    fields = {"tool_name": tool, "tool_input": tool_input, "permission_mode": "dontAsk"}
    return setting.answer(setting.request("PreToolUse", **fields)).stdout


def read_lines(setting: Setting, name: str) -> list[dict[str, object]]:
    path = setting.project / ".claude" / name
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def read_blocks(setting: Setting) -> list[str]:
    store = Store.open(setting.home)
    try:
        found = state.read_state(store, state.SectionOwner(str(setting.project)), [sane.ENFORCEMENT])
        return [str(block["gate"]) for block in found.read_items(sane.ENFORCEMENT, "blocks")]
    finally:
        store.close()


def test_refusals_of_every_kind_are_noted_once(setting: Setting) -> None:
    """S1-079, S1-190, S1-191, S1-192: by `essentials`, by a gate, by a script of the user's."""
    for command in ("rm -rf /", "echo x > a.py", f"echo {MARK}", "synaptic state reset circuit_breaker"):
        assert b'"deny"' in ask(setting, command=command)
    blocks = read_blocks(setting)
    assert len(blocks) == 4 and blocks[1] == "sane.unresearched-edit"
    assert blocks[0].startswith("files.") and not blocks[0].startswith("sane.") and "guard" in blocks[2]
    tools, audit = read_lines(setting, "sanetools.log"), read_lines(setting, "audit.jsonl")
    assert [line["blocked"] for line in tools] == [True] * 4 == [line["outcome"] == "blocked" for line in audit]
    assert all(line["reason"] for line in tools) and all(line["error"] for line in audit)
    assert {line["session_id"] for line in audit} == {"s1"}


def test_what_is_allowed_is_not_noted(setting: Setting) -> None:
    ask(setting, command="ls")
    assert read_blocks(setting) == [] and read_lines(setting, "audit.jsonl") == []


def test_without_the_policy_that_keeps_the_files_there_are_none(setting: Setting) -> None:
    for config in (
        'trust = "all"\n',
        SANE + '[policies."sane.action-log"]\nenabled = false\n',
    ):
        setting.config(config)
        assert b'"deny"' in ask(setting, command="rm -rf /")
    assert read_blocks(setting) == [] and not (setting.project / ".claude" / "audit.jsonl").exists()


def test_a_rehearsal_notes_nothing(setting: Setting) -> None:
    setting.rehearse(setting.request("PreToolUse", tool_input={"command": "rm -rf /"}))
    assert read_blocks(setting) == []


def test_the_same_refusal_five_times_in_a_row_is_a_halt(setting: Setting) -> None:
    """S1-079"""
    for _ in range(5):
        ask(setting, command="rm -rf /")
    store = Store.open(setting.home)
    found = state.read_state(store, state.SectionOwner(str(setting.project)), [sane.ENFORCEMENT])
    store.close()
    section = found.read_section(sane.ENFORCEMENT)
    assert section["halted"] is True and "5x consecutive files." in str(section["halted_reason"])


def test_a_question_that_becomes_a_refusal_is_noted_and_one_that_is_asked_is_not(setting: Setting) -> None:
    for mode, count in (("default", 2), ("dontAsk", 3)):
        fields = {"tool_input": {"command": f"echo {MARK} {mode}"}, "permission_mode": mode}
        answers = [setting.answer(setting.request("PreToolUse", **fields)) for _ in range(3)]
        kinds = [specific(answer)["permissionDecision"] for answer in answers]
        assert kinds.count("deny") == count
    assert len(read_blocks(setting)) == 5


def test_a_secret_in_a_refused_command_is_not_in_the_files(setting: Setting) -> None:
    secret = "ghp_" + "a1B2" * 9
    ask(setting, command=f"echo {MARK} {secret}")
    text = (setting.project / ".claude" / "audit.jsonl").read_text()
    assert text and secret not in text and secret not in str(read_blocks(setting))


def test_where_the_database_cannot_be_read_a_refusal_stays_one(
    setting: Setting, monkeypatch: pytest.MonkeyPatch
) -> None:
    from synaptic.engine import recollection
    from synaptic.model.errors import StoreError

    real = recollection.state.read_state

    def fail(store: object, owner: object, names: object) -> object:
        if sane.ENFORCEMENT in tuple(names):  # type: ignore[call-overload]
            raise StoreError("disk I/O error")
        return real(store, owner, names)  # type: ignore[arg-type]

    monkeypatch.setattr(recollection.state, "read_state", fail)

    async def answer() -> bytes:
        engine = open_engine(setting.home)
        try:
            return (await engine.answer(setting.request("PreToolUse", tool_input={"command": "rm -rf /"}))).stdout
        finally:
            await engine.close()

    assert b'"deny"' in asyncio.run(answer())
