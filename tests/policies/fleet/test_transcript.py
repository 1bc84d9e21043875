"""What a transcript tells."""

import json

import pytest

from synaptic.policies.fleet.transcript import count_complete, detect_exhaustion, find_newest_turn, find_window_size


def line(tokens: int, model: str = "claude-sonnet-4-6", **more: object) -> bytes:
    usage = {"input_tokens": tokens - 30, "cache_read_input_tokens": 10, "cache_creation_input_tokens": 10}
    message = {"role": "assistant", "model": model, "usage": {**usage, "output_tokens": 10, "service_tier": "x"}}
    return json.dumps({"type": "assistant", "message": message, "uuid": "u", **more}).encode() + b"\n"


USER = b'{"type":"user","message":{"role":"user","content":"the \\"usage\\" of it"}}\n'


TOO_LONG = b'{"type":"assistant","isApiErrorMessage":true,"text":"Prompt is too long"}\n'
COMPACTED = b'{"type":"system","subtype":"compact_boundary","content":"Conversation compacted"}\n'


def test_the_newest_turn_of_the_main_agent_counts():
    piece = line(1000) + USER + line(184_000) + line(5000, isSidechain=True) + USER
    turn = find_newest_turn(piece)
    assert turn is not None
    assert (turn.tokens, turn.compute_share()) == (184_000, 0.92)


@pytest.mark.parametrize("piece", [b"", USER, b"not json\n", b'{"usage": 1}\n', line(100)[:40], b"\xff\xfe\n"])
def test_where_nothing_is_told_nothing_is_known(piece):
    assert find_newest_turn(piece) is None


def test_a_line_that_is_cut_does_not_hide_the_one_before():
    assert find_newest_turn(line(50_000) + line(60_000)[:-30]).tokens == 50_000
    assert count_complete(b"one\ntwo") == 4
    assert count_complete(b"") == 0


def test_a_turn_that_an_error_made_up_holds_nothing():
    made_up = b'{"type":"assistant","message":{"model":"<synthetic>","usage":{"input_tokens":0,"output_tokens":0}}}\n'
    assert find_newest_turn(line(50_000) + made_up).tokens == 50_000


def test_what_was_before_a_compaction_is_not_in_the_context():
    assert find_newest_turn(line(190_000) + COMPACTED + USER) is None
    assert find_newest_turn(line(190_000) + COMPACTED + line(20_000)).tokens == 20_000
    quoted = json.dumps({"type": "user", "text": COMPACTED.decode()}).encode() + b"\n"
    assert find_newest_turn(line(190_000) + quoted).tokens == 190_000


@pytest.mark.parametrize(
    ("model", "tokens", "window"),
    [
        ("claude-3-7-sonnet-20250219", 0, 200_000),
        ("claude-haiku-4-5-20251001", 0, 200_000),
        ("claude-sonnet-4-20250514", 0, 200_000),
        ("claude-sonnet-4-6", 0, 200_000),
        ("claude-opus-4-1-20250805", 0, 200_000),
        ("claude-opus-4-6", 0, 200_000),
        ("claude-opus-4-6[1m]", 0, 1_000_000),
        ("us.anthropic.claude-opus-4-7-v1:0", 0, 1_000_000),
        ("claude-opus-4-8", 0, 1_000_000),
        ("claude-sonnet-5", 0, 1_000_000),
        ("claude-haiku-5-5", 0, 1_000_000),
        ("claude-opus-5-5", 0, 1_000_000),
        ("x", 0, 200_000),
        ("x", 250_000, 1_000_000),
    ],
)
def test_the_window_is_the_models(model, tokens, window):
    assert find_window_size(model, tokens) == window


def test_a_share_is_against_the_window_that_is_given():
    assert find_newest_turn(line(50_000)).compute_share(100_000) == 0.5
    assert find_newest_turn(line(150_000)).compute_share(100_000) == 1.0


@pytest.mark.parametrize(
    ("tail", "said"),
    [
        (b'{"error":{"type":"rate_limit_error"}}\n', "rate-limit"),
        (b'{"text":"You have Hit your limit, resets 5pm"}\n', "rate-limit"),
        (b'{"text":"Prompt is too long"}\n', "context"),
        (b'{"code":"context_length_exceeded"}\n{"error":"overloaded"}\n', "context"),
        (b'{"text":"all good, no rate limits here"}\n', ""),
        (b'{"type":"assistant","message":{"model":"x"},"text":"Prompt is too long, says the log"}\n', ""),
        (b'{"type":"assistant","isApiErrorMessage":true,"text":"Prompt is too long"}\n', "context"),
        (b'{"text":"prompt is too long"}\n' + b"{}\n" * 50, ""),
        (TOO_LONG + USER + line(9000), ""),
        (TOO_LONG + line(9000, isSidechain=True), "context"),
        (line(9000) + USER + TOO_LONG + USER, "context"),
        (b"", ""),
    ],
)
def test_the_end_says_why_a_turn_ended(tail, said):
    """S3-120, S3-121"""
    assert detect_exhaustion(tail) == said
