"""The line of `status` about the hub that was joined."""

import json
import time

from synaptic.cli.hub_line import describe_hub
from tests.cli.conftest import User


def join(user: User, **state: object) -> None:
    folder = user.home.root / "hub"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "joined.json").write_text(
        json.dumps({"url": "https://hub.example", "host": "laptop-1", "hub": "acme", "x": 1})
    )
    if state:
        (folder / "state.json").write_text(json.dumps({"pid": 1, "at": 1.0, "destinations": [state]}))


def test_status_has_a_line_only_where_a_hub_was_joined(user: User):
    assert "hub " not in user.types("status").out
    assert user.types("status", "--json").json["hub"] == ""
    join(user, name="hub https://hub.example laptop-1", epoch=1, id=1234, newest=1234)
    assert "hub       acme, as laptop-1: everything shipped, up to event 1,234" in user.types("status").out


def test_lag_and_trouble_are_told(user: User):
    join(user)
    assert describe_hub(user.home) == "acme, as laptop-1: nothing was shipped yet: synaptic ship"
    join(
        user,
        name="hub https://hub.example laptop-1",
        id=7,
        newest=20,
        trouble="it is\x1b[31m away",
        since=time.time() - 300,
    )
    said = describe_hub(user.home)
    assert "13 events behind, up to event 7; trouble for 5 min: it is" in said
    assert "\x1b" not in said
    join(user, name="jsonl x", id=7)
    assert "nothing was shipped yet" in describe_hub(user.home)


def test_files_that_are_broken_stop_nothing(user: User):
    join(user)
    state, joined = (user.home.root / "hub" / name for name in ("state.json", "joined.json"))
    for content in (b"", b"{", b"[]", b"\xff", b"[" * 10_000):
        state.write_bytes(content)
        assert "nothing was shipped yet" in describe_hub(user.home)
        joined.write_bytes(content)
        assert user.types("status").code == 0
        join(user)
