"""What one window leaves for the next."""

import json

import pytest

from synaptic.model.dehydration import FILES, LIMIT, read_dehydration
from synaptic.model.errors import LayerError

WHOLE = {"summary": "s", "lastAction": "l", "nextSteps": ["n"]}


def encoded(**changes: object) -> bytes:
    return json.dumps({**WHOLE, **changes}).encode()


def test_a_payload_is_kept_in_the_words_it_came_in():
    """S3-192"""
    given = {**WHOLE, "handoverInstructions": "h", "userHistory": "u", "requiredFiles": ["a.py"]}
    found = read_dehydration(json.dumps(given).encode())
    assert json.loads(found.payload.to_text()) == given
    assert found.warnings == ()


def test_what_was_not_given_is_not_kept():
    assert json.loads(read_dehydration(encoded()).payload.to_text()) == WHOLE


def test_only_eight_files_are_kept_and_the_rest_is_named():
    """S3-192"""
    names = [f"f{number}" for number in range(10)]
    found = read_dehydration(encoded(requiredFiles=[*names, "f0"]))
    assert found.payload.required_files == tuple(names[:FILES])
    assert found.warnings == ("only 8 of 10 required files are kept: f8, f9 left out",)


def test_an_unknown_field_is_left_out_and_named():
    found = read_dehydration(encoded(notes="x"))
    assert "notes" not in found.payload.to_text()
    assert found.warnings == ("`notes` is no field of a payload and was left out",)


def test_a_megabyte_is_no_trouble_and_more_is_refused():
    """S3-192"""
    assert read_dehydration(encoded(summary="x" * 1_000_000)).payload.summary
    with pytest.raises(LayerError) as caught:
        read_dehydration(encoded(summary="x" * LIMIT))
    assert caught.value.code == "PAYLOAD_TOO_LARGE"
    assert str(LIMIT) in caught.value.message


@pytest.mark.parametrize(
    ("raw", "code", "word"),
    [
        (b"", "VALIDATION_ERROR", "no payload"),
        (b" \n", "VALIDATION_ERROR", "no payload"),
        (b"{", "PARSE_ERROR", "no JSON"),
        (b"\xff\xfe", "PARSE_ERROR", "no JSON"),
        (b"[]", "VALIDATION_ERROR", "object"),
        (b'{"summary": "s", "nextSteps": []}', "VALIDATION_ERROR", "lastAction"),
        (encoded(summary=" "), "VALIDATION_ERROR", "summary"),
        (encoded(nextSteps="one"), "VALIDATION_ERROR", "nextSteps"),
        (encoded(requiredFiles=[1]), "VALIDATION_ERROR", "requiredFiles"),
    ],
)
def test_what_cannot_be_handed_over_says_why(raw: bytes, code: str, word: str):
    """S3-192"""
    with pytest.raises(LayerError) as caught:
        read_dehydration(raw)
    assert caught.value.code == code
    assert word in caught.value.message
    assert caught.value.hint
