"""How full the context is: only what is new in a transcript is read."""

import json
import os
import time
from pathlib import Path

import pytest

from synaptic.facts import transcript as facts
from synaptic.facts.gather import EngineMeans
from synaptic.model.home import Home
from synaptic.runners.execute import HookRunners
from tests.facts.test_layers import ask
from tests.policies.fleet.test_transcript import COMPACTED, USER, line
from tests.store.layered import Layered


@pytest.fixture
def layered(tmp_path: Path):
    made = Layered(Home(tmp_path / "home"), str(tmp_path))
    made.open(made.effort(), host="w")
    made.means = EngineMeans(made.store, HookRunners(tmp_path / "spool"))
    yield made
    made.store.close()


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    file = tmp_path / "transcript.jsonl"
    file.write_bytes(b"")
    return file


def usage(layered: Layered, file: Path | str, **fields: object) -> float | None:
    return ask(facts.gather_usage, layered, transcript_path=str(file), **fields).share


def add(file: Path, data: bytes) -> None:
    with file.open("ab") as end:
        end.write(data)


def test_the_newest_turn_counts_and_a_half_written_one_waits(layered, transcript):
    """S3-146, S3-147, S3-D02"""
    assert usage(layered, transcript) is None
    add(transcript, USER + line(20_000))
    assert usage(layered, transcript) == 0.1
    whole = line(184_000)
    add(transcript, whole[:-20])
    assert usage(layered, transcript) == 0.1
    add(transcript, whole[-20:])
    assert usage(layered, transcript) == 0.92
    assert ask(facts.gather_usage, layered, transcript_path=str(transcript)).offset == transcript.stat().st_size


def test_a_huge_transcript_is_not_read_from_its_beginning(layered, transcript, monkeypatch):
    """A sparse file of 200 MB: what was read is at most one piece of its end."""
    with transcript.open("r+b") as file:
        file.truncate(200 * 1024 * 1024)
        file.seek(0, 2)
        file.write(b"\n" + line(100_000))
    read = []
    piece = facts._read_piece
    monkeypatch.setattr(
        facts, "_read_piece", lambda path, start, end: read.append(end - start) or piece(path, start, end)
    )
    assert usage(layered, transcript) == 0.5
    add(transcript, line(120_000))
    assert usage(layered, transcript) == 0.6
    assert usage(layered, transcript) == 0.6
    assert read == [facts.MAX_PIECE_BYTES, len(line(120_000))]


def test_a_transcript_that_was_cut_or_replaced_is_read_again(layered, transcript):
    add(transcript, line(100_000) * 3)
    assert usage(layered, transcript) == 0.5
    transcript.write_bytes(line(40_000))
    assert usage(layered, transcript) == 0.2
    transcript.unlink()
    layered.write("UPDATE sessions SET context_usage = 0.2")
    assert usage(layered, transcript) == 0.2, "what the session knows"


@pytest.mark.parametrize("restarted", [False, True])
def test_a_compaction_empties_the_context(layered, transcript, restarted):
    """S3-146: the window that goes on after it is not told to hand over."""
    add(transcript, line(190_000))
    assert usage(layered, transcript) == 0.95
    add(transcript, COMPACTED + USER)
    layered.open(layered.at(host="w").effort.id, host="w", follows=1)
    if restarted:
        layered.means.transcripts.clear()
    assert usage(layered, transcript) is None
    add(transcript, line(20_000))
    assert usage(layered, transcript) == 0.1


def test_where_it_was_left_survives_a_restart(layered, transcript):
    add(transcript, line(100_000))
    layered.write("UPDATE sessions SET context_usage = 0.5, transcript_offset = ?", transcript.stat().st_size)
    layered.means.transcripts.clear()
    assert usage(layered, transcript) == 0.5
    add(transcript, line(110_000))
    assert usage(layered, transcript) == 0.55


@pytest.mark.parametrize("path", ["", "/nonexistent/t.jsonl", "/proc/self/mem", "/", "bad\0path"])
def test_a_transcript_that_is_not_there_tells_nothing(layered, path):
    assert usage(layered, path) is None
    assert ask(facts.gather_exhaustion, layered, "Stop", transcript_path=path) == ""


def test_a_sub_agents_calls_tell_nothing_about_the_parents_window(layered, transcript):
    """S3-145"""
    add(transcript, line(190_000))
    assert usage(layered, transcript, agent_id="s1") is None


def test_an_effort_may_name_its_window(layered, transcript):
    layered.write("UPDATE efforts SET metadata = '{\"contextWindow\": 100000}'")
    add(transcript, line(50_000))
    assert usage(layered, transcript) == 0.5


def test_the_end_tells_why_a_turn_ended(layered, transcript):
    """S3-120"""
    add(transcript, USER * 3000 + b'{"text":"Prompt is too long"}\n')
    assert ask(facts.gather_exhaustion, layered, "Stop", transcript_path=str(transcript)) == "context"


def test_sessions_without_a_transcript_do_not_share_what_they_know(layered):
    layered.write("UPDATE sessions SET context_usage = 0.5")
    other = layered.effort("other")
    layered.open(other, host="v")
    layered.write("UPDATE sessions SET context_usage = 0.95 WHERE host_session = 'v'")
    assert usage(layered, "") == 0.5
    assert usage(layered, "", session_id="v") == 0.95


def said(role: str, content: object, **more: object) -> bytes:
    entry = {"type": role, "message": {"role": role, "content": content}, "timestamp": "2026-01-02T03:04:05Z", **more}
    return json.dumps(entry).encode() + b"\n"


def test_whole_lines_are_taken_in_and_the_rest_is_left_for_later(transcript: Path):
    """S3-182: a bad line is skipped, and the place moves on"""
    first = said("user", "go on") + b"{broken\n" + said("assistant", [{"type": "text", "text": "done"}])
    add(transcript, first + b'{"type":"user","mess')
    news = facts.read_news(str(transcript), 0, time.time())
    assert [(one.role, one.content) for one in news.messages] == [("user", "go on"), ("assistant", "done")]
    assert (news.known, news.end) == (0, len(first))
    assert facts.read_news(str(transcript), news.end, time.time()) is None


def test_a_tool_is_named_and_results_sub_agents_and_notes_are_left_out(transcript: Path):
    """S3-182"""
    call = {"type": "tool_use", "name": "Bash", "input": {"command": "ls"}}
    add(transcript, said("assistant", [{"type": "text", "text": "I look"}, call]) + said("assistant", [call]))
    add(transcript, said("user", [{"type": "tool_result", "content": "a.py"}]) + said("user", "x", isSidechain=True))
    add(transcript, said("user", "caveat", isMeta=True) + b'{"type":"summary","summary":"s"}\n[]\n"x"\n\n')
    news = facts.read_news(str(transcript), 0, time.time())
    assert [(one.tool, one.content) for one in news.messages] == [("Bash", "I look"), ("Bash", '{"command": "ls"}')]


def test_secrets_are_not_kept_and_nothing_is_from_the_future(transcript: Path):
    token = "ghp_" + "a1B2" * 9
    add(transcript, said("user", f"use {token}") + said("user", "later", timestamp="2999-01-01T00:00:00Z"))
    add(transcript, said("user", "never", timestamp="not a time"))
    now = time.time()
    news = facts.read_news(str(transcript), 0, now)
    assert token not in news.messages[0].content
    assert [one.at for one in news.messages[1:]] == [now, now]


def test_a_huge_transcript_costs_no_more_than_a_limit(transcript: Path):
    """Forged or not: the newest is read, long lines are skipped, many messages come in parts."""
    add(transcript, said("user", "old") + said("user", "x" * facts.MAX_NEWS_BYTES) + said("user", "new"))
    news = facts.read_news(str(transcript), 0, time.time())
    assert [one.content for one in news.messages] == ["new"]
    assert news.end == transcript.stat().st_size
    transcript.write_bytes(said("user", "hi") * (facts.MAX_NEWS_MESSAGES + 5))
    many = facts.read_news(str(transcript), 0, time.time())
    rest = facts.read_news(str(transcript), many.end, time.time())
    assert (len(many.messages), len(rest.messages)) == (facts.MAX_NEWS_MESSAGES, 5)
    transcript.write_bytes(b"[" * 200_000 + b"\n" + said("user", "deep"))
    assert [one.content for one in facts.read_news(str(transcript), 0, time.time()).messages] == ["deep"]


def test_a_file_that_was_cut_is_read_from_its_beginning(transcript: Path):
    add(transcript, said("user", "again"))
    news = facts.read_news(str(transcript), 10_000, time.time())
    assert (news.known, news.end, len(news.messages)) == (10_000, transcript.stat().st_size, 1)


def test_only_a_regular_file_of_the_agents_own_is_taken_in(layered: Layered, transcript: Path, tmp_path: Path):
    add(transcript, said("user", "go"))
    link, pipe, other = tmp_path / "link.jsonl", tmp_path / "pipe.jsonl", tmp_path / "other.txt"
    link.symlink_to(transcript)
    os.mkfifo(pipe)
    other.write_bytes(transcript.read_bytes())

    def news(path: object, **fields: object) -> object:
        return ask(facts.gather_transcript_news, layered, transcript_path=str(path), **fields)

    assert news(transcript).session == 1
    for path in (link, pipe, other, tmp_path, tmp_path / "missing.jsonl", "relative.jsonl", "", "/a\0b.jsonl"):
        assert news(path) is None
    assert news(transcript, agent_id="s1") is None
    layered.write("UPDATE sessions SET transcript_path = '/another.jsonl'")
    assert news(transcript) is None
