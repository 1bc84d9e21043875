"""The version of a client, as its own events and transcripts have it."""

import json
from contextlib import closing

import pytest

from synaptic.agents.base import ReportedVersion
from synaptic.agents.shared.discover import load_agents
from synaptic.model.home import Home
from synaptic.store import journal
from synaptic.store.db import Store
from synaptic.verification.reported import find_reported_version, read_version
from tests.store.conftest import make_record

PLACE = ReportedVersion("payload", ("info", "version"))


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ('{"info": {"version": "1.2.3"}}', "1.2.3"),
        ('{"info": {"version": 3}}', ""),
        ('{"info": {"version": ""}}', ""),
        ('{"info": ["version"]}', ""),
        ('{"version": "1.2.3"}', ""),
        ("[]", ""),
        ("", ""),
        (b"\xff", ""),
        ("[" * 100_000, ""),
        (json.dumps({"info": {"version": "1\x1b[2J"}}), ""),
        (json.dumps({"info": {"version": "1.2 and more"}}), ""),
        (json.dumps({"info": {"version": "1" * 1000}}), ""),
    ],
)
def test_only_a_short_word_is_a_version(text, version):
    assert read_version(text, PLACE) == version


def test_the_newest_event_that_says_it_counts(tmp_path):
    texts = ({"cursor_version": "1.0.0"}, {"cursor_version": "2.0.0"}, {"other": 1})
    records = [
        make_record(agent="cursor", payload=json.dumps(body), at=100.0 + number, call=str(number))
        for number, body in enumerate(texts)
    ]
    with closing(Store.open(Home(tmp_path))) as store:
        journal.append_records(store, records)
        assert find_reported_version(store, "cursor", 0) == "2.0.0"
        assert find_reported_version(store, "cursor", 102.0) == ""
        assert find_reported_version(store, "gemini", 0) == ""


def test_every_agent_says_where_or_that_nowhere():
    told = {agent.name: agent.reported_version for agent in load_agents()}
    assert {name for name, place in told.items() if place} == {"claude", "cline", "codex", "cursor", "opencode"}
