"""How full the context is: only what is new in a transcript is read."""

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
