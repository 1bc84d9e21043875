"""Secrets on their way to what is kept."""

import json

import pytest
from bench.secret_samples import Sample, iter_harmless, iter_samples

from synaptic.store.redact import redact_bytes, redact_text

SAMPLES = tuple(iter_samples())
HARMLESS = tuple(iter_harmless())


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
def test_no_secret_is_kept(sample: Sample) -> None:
    assert sample.secret in sample.text
    assert sample.secret not in redact_text(sample.text)
    for depth in range(3):
        wrapped, secret = json.dumps({"command": f"first\n{sample.text}\nlast", "next": "kept"}), sample.secret
        for _ in range(depth):
            wrapped, secret = json.dumps({"text": wrapped}), json.dumps(secret)[1:-1]
        clean = redact_bytes(wrapped.encode()).decode()
        assert json.dumps(secret)[1:-1] not in clean
        assert "kept" in clean
        json.loads(clean)


@pytest.mark.parametrize("text", [text for _, text in HARMLESS], ids=[name for name, _ in HARMLESS])
def test_what_merely_looks_like_one_stays(text: str) -> None:
    assert redact_text(text) == text
    data = json.dumps({"tool_input": {"command": text}}).encode()
    assert redact_bytes(data) == data


@pytest.mark.known_hole("the middle of a private key, with neither end of it, looks like any other base64")
def test_the_middle_of_a_key() -> None:
    key = next(sample for sample in SAMPLES if sample.name == "key")
    middle = "\n".join(key.text.splitlines()[4:9])
    assert key.secret not in redact_text(middle)


@pytest.mark.known_hole("a random word without a name or a prefix is not told from a hash")
def test_a_secret_that_nothing_names() -> None:
    assert "q8Zr2LmX0vTn5Kd7" not in redact_text("the value is q8Zr2LmX0vTn5Kd7")
