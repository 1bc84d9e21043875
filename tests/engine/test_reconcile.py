"""Transcripts compared with what was witnessed: Claude Code's and Codex's, cut, forged, without an entry that asks."""

import json
import os
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest

from synaptic.agents.claude.transcript import read_transcript_line
from synaptic.agents.shared.discover import find_agent
from synaptic.agents.shared.transcripts import is_own_transcript
from synaptic.engine import reconcile
from synaptic.model.errors import StoreError
from synaptic.model.witness import Sign, Standing
from synaptic.pipeline.witness import judge_call
from synaptic.store import witnessed
from synaptic.store.db import Store
from synaptic.store.witnessed import count_signs, find_session
from tests.daemon.setting import Setting

SESSION = "f30108f7-e218-4a52-8f8a-0c2ed89ce2b0"


def stamp() -> str:
    return datetime.now(UTC).isoformat().replace("+00:00", "Z")


def call(number: str) -> str:
    piece = {"type": "tool_use", "id": number, "name": "Bash", "input": {}}
    return json.dumps({"type": "assistant", "message": {"content": [piece]}, "timestamp": stamp()}) + "\n"


def result(number: str, at: str = "", **more: object) -> str:
    piece = {"type": "tool_result", "tool_use_id": number, "content": "ok", **more}
    line = {"type": "user", "message": {"content": [piece]}, "timestamp": at or stamp()}
    if more.get("is_error"):
        line["permissionDecision"] = {"decision": "accept"}
    return json.dumps(line) + "\n"


class Session:
    """A session of Claude Code whose transcript the test writes."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.path = setting.user / ".claude" / "projects" / "-p" / f"{SESSION}.jsonl"
        self.path.parent.mkdir(parents=True)
        self.path.write_text("")
        self.sends("SessionStart", source="startup")

    def sends(self, event: str, **more: object) -> None:
        base = {"session_id": SESSION, "transcript_path": str(self.path)}
        self.setting.answer(self.setting.request(event, **{**base, **more}))

    def writes(self, *lines: str) -> None:
        with self.path.open("a") as out:
            out.write("".join(lines))

    def standings(self) -> dict[Standing, int]:
        store = Store.open(self.setting.home)
        try:
            found: dict[Standing, int] = {}
            for signs, count in count_signs(store, 0.0).items():
                found[judge_call(signs)] = found.get(judge_call(signs), 0) + count
            return found
        finally:
            store.close()

    def place(self) -> int:
        store = Store.open(self.setting.home)
        try:
            known = find_session(store, SESSION)
            return known.place if known else -1
        finally:
            store.close()


@pytest.fixture
def session(setting: Setting) -> Session:
    return Session(setting)


def test_a_call_that_no_hook_saw_is_counted_when_the_turn_ends(session: Session):
    session.sends("PreToolUse", tool_use_id="toolu_1")
    session.sends("PostToolUse", tool_use_id="toolu_1")
    session.writes(call("toolu_1"), result("toolu_1"), call("toolu_2"), result("toolu_2"))
    session.sends("Stop")
    assert session.standings() == {Standing.OBEYED: 1, Standing.UNSEEN: 1}


def test_it_is_counted_once_however_often_a_turn_ends(session: Session):
    session.writes(call("toolu_2"), result("toolu_2"))
    for event in ("Stop", "Stop", "SessionEnd"):
        session.sends(event)
    assert session.standings() == {Standing.UNSEEN: 1}


def test_a_call_that_was_refused_or_called_wrongly_has_not_run(session: Session):
    refused = json.loads(result("toolu_3", is_error=True))
    refused["toolDenialKind"] = "user"
    wrong = json.loads(result("toolu_4", is_error=True))
    del wrong["permissionDecision"]
    session.writes(json.dumps(refused) + "\n", json.dumps(wrong) + "\n", result("toolu_5", is_error=True))
    session.sends("Stop")
    assert session.standings() == {Standing.UNSEEN: 1}, "only the one that was permitted and failed"


def test_without_the_entry_that_asks_they_are_unasked(session: Session, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(reconcile, "lacks_own_entry", lambda *given: True)
    session.writes(*(result(f"toolu_{number}") for number in range(5)))
    session.sends("Stop")
    assert session.standings() == {Standing.UNASKED: 5}


def test_what_was_written_before_the_session_began_here_is_not_counted(setting: Setting):
    path = setting.user / ".claude" / "projects" / "-p" / f"{SESSION}.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text(result("toolu_old"))
    base = {"session_id": SESSION, "transcript_path": str(path)}
    setting.answer(setting.request("SessionStart", source="resume", **base))
    setting.answer(setting.request("Stop", **base))
    store = Store.open(setting.home)
    assert dict(count_signs(store, 0.0)) == {}
    store.close()


def test_the_history_that_a_fork_copies_is_not_counted(session: Session):
    session.writes(result("toolu_old", at="2020-01-01T00:00:00Z"), result("toolu_none", at="nonsense"))
    session.sends("Stop")
    assert session.standings() == {}


def test_half_a_line_waits_for_its_end(session: Session):
    line = result("toolu_2")
    session.writes(line[:30])
    session.sends("Stop")
    assert session.place() == 0
    session.writes(line[30:])
    session.sends("Stop")
    assert session.standings() == {Standing.UNSEEN: 1}


def test_a_transcript_that_was_cut_is_not_counted_again(session: Session):
    session.writes(*(result(f"toolu_{number}") for number in range(20)))
    session.sends("Stop")
    session.path.write_text(result("toolu_other"))
    session.sends("Stop")
    assert session.standings() == {Standing.UNSEEN: 20}
    session.writes(result("toolu_new"))
    session.sends("Stop")
    assert session.standings() == {Standing.UNSEEN: 21}


def test_another_file_proves_nothing(session: Session, tmp_path: Path):
    """Not of this session, not below the agent's folder, a link, a pipe."""
    for place in (tmp_path / f"{SESSION}.jsonl", session.path.with_name("another-session-0001.jsonl")):
        place.write_text(result("toolu_forged"))
        session.sends("Stop", transcript_path=str(place))
    assert session.standings() == {}
    session.path.unlink()
    session.path.symlink_to(tmp_path / f"{SESSION}.jsonl")
    session.sends("Stop")
    session.path.unlink()
    os.mkfifo(session.path)
    session.sends("Stop")
    assert session.standings() == {}


@pytest.mark.parametrize(
    "path", ["", "relative.jsonl", "/etc/passwd", "/dev/zero", f"/tmp/{SESSION}.jsonl", "\0.jsonl"]
)
def test_a_path_that_is_not_the_agents_is_no_transcript(path: str, tmp_path: Path):
    try:
        assert not is_own_transcript(find_agent("claude"), path, SESSION, {"HOME": str(tmp_path)})
    except ValueError:
        assert "\0" in path  # the caller goes on without it


@pytest.mark.parametrize(
    "line",
    [b"", b"{", b'"tool_use"', b'{"type":"user","message":7,"x":"tool_result"}', b'["tool_use"]', b"\xff\xfe tool_use",
     b'{"type":"user","message":{"content":[7,{"type":"tool_result"}]}}'],
)  # fmt: skip
def test_a_line_of_anything_is_no_call(line: bytes):
    assert read_transcript_line(line) == ()
    read = find_agent("codex").trail.read_line
    assert read is not None
    assert read(line) == ()


def test_codex_tells_what_has_run():
    read = find_agent("codex").trail.read_line
    assert read is not None
    begun = {"type": "response_item", "payload": {"type": "function_call", "name": "exec_command", "call_id": "call_0"}}
    item = {"type": "CommandExecution", "id": "call_0", "status": "completed"}
    done = {"type": "event_msg", "payload": {"type": "item_completed", "item": item}}
    refused = {"type": "event_msg", "payload": {"type": "item_completed", "item": {**item, "status": "declined"}}}
    steps = [read(json.dumps({"timestamp": stamp(), **one}).encode()) for one in (begun, done, refused)]
    assert [[step.has_run for step in some] for some in steps] == [[False], [True], []]
    assert {step.number for some in steps for step in some} == {"call_0"}


def test_a_refused_call_in_the_transcript_stays_obeyed(session: Session):
    session.sends("PreToolUse", tool_use_id="t9", tool_input={"command": "git push --force origin main"})
    session.writes(call("t9"), result("t9"))
    session.sends("Stop")
    assert session.standings() == {Standing.OBEYED: 1}


def test_signs_of_transcripts_only_are_kept_small(session: Session):
    session.writes(result("toolu_1"))
    session.sends("Stop")
    store = Store.open(session.setting.home)
    assert list(count_signs(store, 0.0)) == [Sign.WRITTEN | Sign.NUMBERED]
    store.close()


def test_many_calls_are_noted_in_small_steps_and_a_step_that_failed_is_repeated(
    session: Session, monkeypatch: pytest.MonkeyPatch
):
    """Events wait for whoever writes: a transcript may name tens of thousands."""
    monkeypatch.setattr(witnessed, "CALLS_PER_STEP", 2)
    session.writes(*(result(f"toolu_{number}") for number in range(5)))
    write, steps = Store.write, []

    def fail_in_the_third(store: Store, work: Any, **more: Any) -> Any:
        if "add_some" in repr(work):
            steps.append(work)
            if len(steps) == 3:
                raise StoreError("the disk is full")
        return write(store, work, **more)

    monkeypatch.setattr(Store, "write", fail_in_the_third)
    session.sends("Stop")
    assert session.standings() == {Standing.UNSEEN: 4}
    session.sends("Stop")
    assert session.standings() == {Standing.UNSEEN: 5}


def test_lines_of_nothing_are_no_work(session: Session, monkeypatch: pytest.MonkeyPatch):
    seen: list[bytes] = []
    claude = find_agent("claude")
    trail = msgspec.structs.replace(
        claude.trail, read_line=lambda line: seen.append(line) or read_transcript_line(line)
    )
    monkeypatch.setattr(reconcile, "find_agent", lambda name: msgspec.structs.replace(claude, trail=trail))
    session.writes("\n" * 1000, "{}\n" * 1000, result("toolu_1"))
    session.sends("Stop")
    assert len(seen) == 1
    assert session.standings() == {Standing.UNSEEN: 1}


def test_a_line_from_the_future_is_one_of_today(session: Session):
    """What is never old would never go with the journal."""
    session.writes(result("toolu_1", at="9999-12-31T00:00:00Z"))
    session.sends("Stop")
    store = Store.open(session.setting.home)
    try:
        assert count_signs(store, time.time() + 60) == {}
        assert sum(count_signs(store, time.time() - 60).values()) == 1
    finally:
        store.close()
