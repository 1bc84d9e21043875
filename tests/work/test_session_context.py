import json
from pathlib import Path

import pytest

from synaptic.store.db import Store
from synaptic.work.session_context import MOST_POINTS, list_points, read_context, thin_out
from tests.daemon.setting import Setting

SESSION = "6f1c2a7e-context"


def line(second: int, tokens: int, **more: object) -> str:
    usage = {"input_tokens": tokens, "output_tokens": 10}
    message = {"model": "claude-sonnet-4-5", "usage": usage}
    return json.dumps({"type": "assistant", "timestamp": f"2026-11-19T10:00:{second:02}Z", "message": message, **more})


def test_only_the_agents_own_answers_count_and_what_is_no_line_is_left_out():
    piece = "\n".join([line(1, 90), line(2, 5, isSidechain=True), '{"usage": nothing', "", line(3, 190)]).encode()
    assert [(one.tokens, one.written) for one in list_points(piece)] == [(100, 10), (200, 20)]


def test_many_answers_are_thinned_out_and_the_last_one_stays():
    points = list_points("\n".join(line(number % 60, number + 1) for number in range(3000)).encode())
    thinned = thin_out(points)
    assert len(thinned) <= MOST_POINTS and thinned[-1] == points[-1]


@pytest.mark.parametrize("is_own", [True, False])
def test_a_transcript_elsewhere_tells_nothing(setting: Setting, is_own: bool):
    setting.answer(setting.request("SessionStart", session_id=SESSION, source="startup"))
    folder: Path = setting.user / ".claude" / "projects" / "p" if is_own else setting.project
    folder.mkdir(parents=True, exist_ok=True)
    transcript = folder / f"{SESSION}.jsonl"
    transcript.write_text(line(1, 90))
    store = Store.open(setting.home)
    try:
        values = (str(transcript), SESSION)
        store.write(
            lambda one: one.execute("UPDATE witness_sessions SET transcript = ? WHERE name = ?", values).rowcount
        )
        found = read_context(store, SESSION, {"HOME": str(setting.user)})
    finally:
        store.close()
    assert [one.tokens for one in found] == ([100] if is_own else [])
