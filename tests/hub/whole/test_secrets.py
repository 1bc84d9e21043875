"""No secret that an event holds is in the hub's database or log, whatever the field that it came in."""

import json
import time
from contextlib import closing
from pathlib import Path

import pytest
from bench.secret_samples import Sample, iter_samples

from synaptic.hub.place import HubPlace
from synaptic.model.decision import Decision, Kind, TraceStep
from synaptic.store import journal
from synaptic.store.db import Store
from synaptic.store.record import EventRecord
from tests.hub.whole.conftest import Team

SAMPLES = tuple(iter_samples())
LEAST_PIECE = 12
"""Letters of a line of a secret that has several, by which it is known."""
CLEAR = "UPDATE events SET session = ?, agent_id = ?, tool = ?, root = ?, payload = ? WHERE id = ?"
PROJECT = "/home/dev/work/app"


@pytest.mark.parametrize("contents", ["structure", "full"])
def test_no_secret_of_any_shape_in_any_field_reaches_the_hub(team: Team, contents: str):
    home = team.add_home("dev", f'[ship]\ncontents = "{contents}"\n')
    member = team.join(home, "dev")
    with closing(Store.open(home)) as store:
        for number, sample in enumerate(SAMPLES):
            journal.append_records(store, make_records(number, sample))
    team.ship(home)
    team.wait_until_arrived(home, member.host)
    found = team.dump()
    assert found.count("INSERT INTO public.events") == len(SAMPLES) * len(make_records(0, SAMPLES[0]))
    assert not list_leaks(found), contents
    assert not list_leaks(team.hub.log.read_text(errors="replace"))
    assert not list_leaks(home.shipper_log.read_text() if home.shipper_log.exists() else "")
    assert not list_leaks(HubPlace.of(home).state.read_text())
    if contents == "full":
        assert "ls -la # harmless words" in found, "texts that hold none come through"


def test_a_journal_that_holds_secrets_in_the_clear_ships_none(team: Team):
    """One that was written before a shape was known: what leaves is looked at once more."""
    home = team.add_home("dev", '[ship]\ncontents = "full"\n')
    member = team.join(home, "dev")
    with closing(Store.open(home)) as store:
        journal.append_records(store, [make_record(f"clear{number:04d}") for number in range(len(SAMPLES))])
        rows = [
            (*[sample.text] * 4, make_payload(command=sample.text), number) for number, sample in enumerate(SAMPLES, 1)
        ]
        store.run_separately(lambda connection: connection.executemany(CLEAR, rows))
        assert len(list_leaks(read_column(store, "session"))) == len(SAMPLES)
    team.ship(home)
    team.wait_until_arrived(home, member.host)
    found = team.dump()
    assert found.count("INSERT INTO public.events") == len(SAMPLES)
    assert not list_leaks(found)


def read_column(store: Store, name: str) -> str:
    rows = store.read(lambda connection: connection.execute(f"SELECT {name} FROM events").fetchall())
    return "\n".join(str(value) for (value,) in rows)


def make_records(number: int, sample: Sample) -> list[EventRecord]:
    """The same secret in one field after another, as a forged or careless event could bring it."""
    text = sample.text
    fields: dict[str, dict[str, object]] = {
        "command": {"payload": make_payload(command=f"ls -la # harmless words\n{text}")},
        "path": {"payload": make_payload("Read", file_path=f"/srv/{text}")},
        "prompt": {"event": "UserPromptSubmit", "tool": "", "payload": json.dumps({"prompt": text})},
        "call number": {"payload": json.dumps({"tool_use_id": text, "tool_input": {}})},
        "tool": {"tool": text},
        "session": {"session": text},
        "agent": {"agent": text, "agent_id": text},
        "event": {"event": text},
        "project": {"root": f"{PROJECT}/{text}"},
        "reason": {"decision": make_decision(reason=text)},
        "policy": {"decision": make_decision(by=text, hook=text)},
        "code and grants": {"decision": make_decision(code=text, grants=(text,))},
    }
    return [make_record(f"{number:04d}{place:04d}", **given) for place, given in enumerate(fields.values())]


def make_payload(tool: str = "Bash", **given: str) -> str:
    return json.dumps({"tool_name": tool, "tool_use_id": "toolu_1", "tool_input": given})


def make_decision(
    reason: str = "no", by: str = "secrets.files", hook: str = "secrets.files", **given: object
) -> Decision:
    trace = (TraceStep(hook=hook, kind=Kind.DENY, reason=reason, micros=7),)
    return Decision(kind=Kind.DENY, by=by, reason=reason, trace=trace, **given)  # type: ignore[arg-type]


def make_record(call: str, **given: object) -> EventRecord:
    usual: dict[str, object] = {
        "call": call, "at": time.time(), "agent": "claude", "event": "PreToolUse", "session": "s1", "tool": "Bash",
        "root": PROJECT, "payload": make_payload(command="ls"), "decision": make_decision(), "micros": 210,
    }  # fmt: skip
    return EventRecord(**{**usual, **given})  # type: ignore[arg-type]


def list_leaks(text: str) -> list[str]:
    """Names of the samples that are in a text, or a line of whose secret is."""
    return [sample.name for sample in SAMPLES if any(piece in text for piece in list_pieces(sample.secret))]


def list_pieces(secret: str) -> list[str]:
    lines = [line.strip() for line in secret.splitlines()]
    return [secret] if len(lines) < 2 else [line for line in lines if len(line) >= LEAST_PIECE and "-----" not in line]


def test_a_dump_with_a_secret_would_be_seen(tmp_path: Path):
    assert list_leaks(f"... {SAMPLES[0].secret} ...") == [SAMPLES[0].name]
