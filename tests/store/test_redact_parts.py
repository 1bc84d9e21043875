"""Whatever is taken out of JSON, JSON is left."""

import json

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synaptic.model.decision import Decision
from synaptic.model.effect import Deliver
from synaptic.model.state import Change
from synaptic.store import entries, journal
from synaptic.store.redact_parts import WHOLE_MARK, ensure_json, redact_json

SECRET = "ghp_" + "A1b2C3d4E5" * 4
PIECES = st.sampled_from([
    "password=", "token: ", '"', "\\", "\n", '\\"', "curl -u a:", SECRET, " ", "'", "export API_KEY=", "mysql -p", "é",
    "\x1b", '{"password": "hunter22x"}', "Authorization: Bearer ", "abcdefghij1234567890", "https://u:p4ssw0rd@h/",
    "</password>", "<password>", "$(", ")", "=", "-----BEGIN RSA PRIVATE KEY-----", "\\\\",
])  # fmt: skip
TEXTS = st.lists(PIECES, max_size=8).map("".join)
VALUES = st.recursive(TEXTS | st.integers() | st.none(), lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner))


@pytest.mark.parametrize("text", ["mysql -u root -p", "password=\\\\", "7z a x.7z -p", "sshpass -p", "token: \\"])
def test_a_text_that_ends_where_a_secret_would_begin_swallows_nothing(text: str) -> None:
    for value in ({"command": text}, [[text], {"a": {"b": text}}]):
        clean = json.loads(redact_json(json.dumps(value).encode()))
        assert isinstance(clean, type(value))


@settings(max_examples=400)
@given(VALUES)
def test_json_stays_json(value: object) -> None:
    raw = json.dumps(value, ensure_ascii=False).encode()
    assert isinstance(json.loads(redact_json(raw)), type(value))


def test_what_was_no_json_is_left_to_the_shapes() -> None:
    assert ensure_json(b"password=x", b"password=[redacted:password]") == b"password=[redacted:password]"


def test_a_key_still_says_that_its_value_is_a_secret() -> None:
    clean = ensure_json(b'{"password": "hunter22x", "n": 7, "a": "b"}', b"{")
    assert json.loads(clean) == {"password": "[redacted:password]", "n": 7, "a": "b"}
    assert WHOLE_MARK not in clean.decode()


def test_an_event_about_such_a_text_is_written_with_all_that_follows(store, record) -> None:
    """It was lost: "1 events could not be written"."""
    change = Change(section="project:notes", put={"command": "mysql -u root -p"})
    payload = json.dumps({"tool_input": {"command": "mysql -u root -p"}})
    written = record(payload=payload, decision=Decision(effects=(change, Deliver("later"))))
    assert journal.append_records(store, [written]) == 1
    entry = entries.find_entry(store, written.call)
    assert entry
    assert msgspec.json.decode(entry.payload or "") == {"tool_input": {"command": "mysql -u root -p"}}
