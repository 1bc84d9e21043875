"""The process that ships, as it is: killed, cut off, on a full disk, with a journal that was begun anew."""

import os
import shutil
import time
from pathlib import Path

import pytest

from synaptic.daemon.shipper import ShipperKeeper, is_shipping
from synaptic.hub.place import HubPlace
from synaptic.hub.shipping.board import read_state
from synaptic.hub.shipping.outbox import split_sequence
from synaptic.hub.shipping.plan import name_hub, read_plan, write_membership
from synaptic.store import journal, outbox, retention
from synaptic.store.db import Store
from tests.hub.shipping.conftest import HOST, Shipping, wait_until


def test_everything_arrives_once_and_in_order(shipping: Shipping):
    shipping.add(1200)
    shipping.start()
    shipping.wait_until_all_arrived()
    shipping.add(3)
    shipping.wait_until_all_arrived()
    wait_until(lambda: bool(shipping.hub.statuses))
    assert shipping.hub.statuses[-1]["contents"] == "structure"


def test_killed_at_any_moment_nothing_is_lost_or_doubled(shipping: Shipping):
    shipping.add(3000)
    for turn in range(12):
        before = len(shipping.arrived)
        shipping.start()
        wait_until(lambda seen=before: len(shipping.arrived) > seen, 20, shipping.describe)
        time.sleep(turn * 0.003)
        shipping.kill()
        shipping.add(700)
    shipping.start()
    shipping.wait_until_all_arrived()


@pytest.mark.parametrize("fault", ["before", "after"])
def test_killed_before_a_batch_is_taken_and_after_it(shipping: Shipping, fault):
    shipping.add(700)
    shipping.hub.fault = fault
    shipping.start()
    wait_until(lambda: ("POST", "/api/v1/events") in shipping.hub.asked, 20, shipping.describe)
    shipping.kill()
    shipping.hub.fault = ""
    shipping.start()
    shipping.wait_until_all_arrived()


def test_a_hub_that_is_away_for_thousands_of_events_gets_them_all(shipping: Shipping):
    shipping.add(10)
    shipping.start()
    shipping.wait_until_all_arrived()
    with shipping.hub.away():
        shipping.add(5000)
        wait_until(lambda: bool((state := read_state(shipping.home)) and state.destinations[0].trouble))
    shipping.wait_until_all_arrived()
    wait_until(lambda: bool((state := read_state(shipping.home)) and not state.destinations[0].trouble))


@pytest.mark.parametrize("is_longer", [False, True], ids=["shorter", "longer"])
def test_a_journal_that_was_set_aside_and_begun_anew_is_another_one(shipping: Shipping, is_longer: bool):
    shipping.add(40)
    first = shipping.written
    shipping.start()
    shipping.wait_until_all_arrived()
    shipping.kill()
    forget_journal(shipping)
    shipping.add(80 if is_longer else 20)
    second = shipping.written
    shipping.start()
    wait_until(lambda: len(shipping.arrived) >= len(first) + len(second), 20, shipping.describe)
    assert shipping.arrived == first + second
    assert [split_sequence(event.seq)[0] for event in shipping.hub.events[HOST]] == [0] * 40 + [1] * len(second)


def test_a_journal_that_is_begun_anew_under_the_process_is_seen_by_it(shipping: Shipping):
    shipping.add(40)
    first = shipping.written
    shipping.start()
    shipping.wait_until_all_arrived()
    forget_journal(shipping)
    shipping.add(60)
    wait_until(lambda: len(shipping.arrived) >= 100, 30, shipping.describe)
    assert shipping.arrived == first + shipping.written


def test_a_killed_shipper_and_a_new_journal_together(shipping: Shipping):
    """The hub has a batch of the old journal that the cursor knows nothing of."""
    shipping.add(30)
    shipping.start()
    shipping.wait_until_all_arrived()
    shipping.add(30)
    first = shipping.written
    shipping.hub.fault = "after"
    wait_until(lambda: len(shipping.arrived) == 60, 20, shipping.describe)
    shipping.kill()
    shipping.hub.fault = ""
    forget_journal(shipping)
    shipping.add(100)
    shipping.start()
    wait_until(lambda: len(shipping.arrived) >= 160, 30, shipping.describe)
    assert shipping.arrived == first + shipping.written


def test_a_longer_new_journal_after_a_shipper_that_never_kept_what_was_taken(shipping: Shipping):
    """Its numbers are those of the old one: only that the cursor is not in it tells that it is another."""
    shipping.add(40)
    first = shipping.written
    shipping.hub.fault = "after"
    shipping.start()
    wait_until(lambda: len(shipping.arrived) == 40, 20, shipping.describe)
    shipping.kill()
    shipping.hub.fault = ""
    forget_journal(shipping)
    shipping.add(80)
    shipping.start()
    wait_until(lambda: len(shipping.arrived) >= 120, 30, shipping.describe)
    assert shipping.arrived == first + shipping.written


def forget_journal(shipping: Shipping) -> None:
    """As when the database was damaged beyond repair: it is set aside with its cursors."""
    shipping.store.close()
    for suffix in ("-wal", "-shm", ""):
        path = Path(f"{shipping.home.database}{suffix}")
        if path.exists():
            path.rename(f"{path}.aside{suffix}")
    shipping.store = Store.open(shipping.home)


def test_a_hub_that_was_set_back_gets_again_what_it_lost(shipping: Shipping):
    shipping.add(200)
    shipping.start()
    shipping.wait_until_all_arrived()
    with shipping.hub.lock:
        del shipping.hub.events[HOST][120:]
        shipping.hub.marks[HOST] = shipping.hub.events[HOST][-1].seq
    shipping.add(1)
    shipping.wait_until_all_arrived()


def test_a_batch_that_is_too_large_is_sent_in_parts(shipping: Shipping):
    shipping.hub.most_events = 7
    shipping.add(300)
    shipping.start()
    shipping.wait_until_all_arrived()


def test_what_was_not_shipped_is_not_pruned_however_old_it_is(shipping: Shipping):
    now = time.time()
    shipping.hub.refusal = (503, {"retry-after": "1"}, b"{}")
    shipping.start()
    wait_until(lambda: bool(outbox.list_cursors(shipping.store)), 20, shipping.describe)
    for days in (100, 40, 40, 1, 0):
        shipping.add(1, at=now - days * 86400)
    limits = retention.PruneLimits(waits=True)
    gone = retention.prune_events(shipping.store, 30, limits)
    assert (gone.events, gone.held) == (0, 3)
    shipping.hub.refusal = None
    shipping.wait_until_all_arrived()
    wait_until(lambda: next(iter(outbox.list_cursors(shipping.store).values())).id == 5)
    assert retention.prune_events(shipping.store, 30, limits).events == 3


def test_what_is_not_configured_any_more_holds_nothing_back(shipping: Shipping):
    shipping.hub.refusal = (503, {}, b"{}")
    process = shipping.start()
    wait_until(lambda: bool(outbox.list_cursors(shipping.store)), 20, shipping.describe)
    HubPlace.of(shipping.home).membership.unlink()
    assert process.wait(timeout=20) == 0
    shipping.add(3, at=time.time() - 40 * 86400)
    shipping.add(1)
    assert retention.prune_events(shipping.store, 30, retention.PruneLimits(waits=True)).events == 3


def test_a_disk_that_takes_no_state_keeps_nothing_from_arriving(shipping: Shipping):
    HubPlace.of(shipping.home).state.mkdir()
    HubPlace.of(shipping.home).cursors.mkdir()
    shipping.add(50)
    shipping.start()
    shipping.wait_until_all_arrived()


def test_a_database_that_takes_no_cursor_is_told_and_tried_again(shipping: Shipping):
    shipping.add(20)
    shipping.start()
    shipping.wait_until_all_arrived()
    shipping.store.run_separately(
        lambda connection: connection.executescript(
            "CREATE TRIGGER full BEFORE UPDATE ON ship_cursors BEGIN SELECT RAISE(ABORT, 'disk full'); END;"
        )
    )
    shipping.add(20)
    wait_until(lambda: bool((state := read_state(shipping.home)) and state.destinations[0].trouble), 20)
    shipping.store.run_separately(lambda connection: connection.executescript("DROP TRIGGER full;"))
    shipping.add(20)
    shipping.wait_until_all_arrived()


def test_a_host_that_was_revoked_is_told_and_tries_seldom(shipping: Shipping):
    shipping.add(5)
    shipping.hub.refusal = (403, {}, b'{"error": "this host was revoked\\u001b[2J", "hint": "ask"}')
    shipping.start()
    wait_until(lambda: bool((state := read_state(shipping.home)) and state.destinations[0].trouble), 20)
    told = read_state(shipping.home).destinations[0]
    assert "403: this host was revoked" in told.trouble and "\x1b" not in told.trouble
    assert told.again > time.time() + 300
    asked = len(shipping.hub.asked)
    time.sleep(2)
    assert [target for _, target in shipping.hub.asked[asked:] if target.endswith("/events")] == []


def test_one_process_for_a_home(shipping: Shipping):
    shipping.start()
    wait_until(lambda: is_shipping(shipping.home))
    assert shipping.start().wait(timeout=20) == 0


def test_it_ends_when_the_home_is_gone_and_makes_none(shipping: Shipping):
    process = shipping.start()
    wait_until(lambda: is_shipping(shipping.home) and bool(shipping.hub.statuses))
    shipping.store.close()
    shutil.rmtree(shipping.home.root)
    process.wait(timeout=20)
    assert not shipping.home.root.exists()
    shipping.home.root.mkdir()
    shipping.store = Store.open(shipping.home)


def test_it_reads_its_config_anew(shipping: Shipping):
    shipping.add(1)
    shipping.start()
    shipping.wait_until_all_arrived()
    assert shipping.hub.events[HOST][0].subject == ""
    shipping.home.config.write_text('[ship]\ncontents = "full"\n')
    wait_until(lambda: any(status["contents"] == "full" for status in shipping.hub.statuses), 20, shipping.describe)
    shipping.add(1)
    shipping.wait_until_all_arrived()
    assert shipping.hub.events[HOST][1].subject == "ls /etc/secret-place"


def test_its_environment_has_no_say(shipping: Shipping, monkeypatch):
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "HTTPS_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.setenv("SSL_CERT_FILE", "/nonexistent")
    shipping.add(3)
    shipping.start()
    shipping.wait_until_all_arrived()


def test_the_daemon_starts_it_where_it_is_needed(shipping: Shipping):
    shipping.add(3)
    keeper = ShipperKeeper(shipping.home)
    keeper.look()
    try:
        shipping.wait_until_all_arrived()
        wait_until(lambda: read_state(shipping.home) is not None)
        pid = read_state(shipping.home).pid
        assert os.getsid(pid) == pid
        keeper.look()
    finally:
        membership = read_plan(shipping.home).member
        HubPlace.of(shipping.home).membership.unlink()
        wait_until(lambda: not is_shipping(shipping.home))
    keeper.look()
    assert not is_shipping(shipping.home)
    assert name_hub(membership) in outbox.list_cursors(shipping.store)


def test_without_a_hub_nothing_is_started_or_made(shipping: Shipping):
    shutil.rmtree(shipping.home.hub)
    ShipperKeeper(shipping.home).look()
    assert not shipping.home.hub.exists()


def test_a_membership_that_cannot_be_read_changes_nothing(shipping: Shipping):
    shipping.add(3, at=time.time() - 40 * 86400)
    shipping.add(1)
    shipping.hub.refusal = (503, {}, b"{}")
    shipping.start()
    wait_until(lambda: bool(outbox.list_cursors(shipping.store)), 20, shipping.describe)
    member = read_plan(shipping.home).member
    HubPlace.of(shipping.home).membership.write_text("{")
    time.sleep(3)
    assert retention.prune_events(shipping.store, 30, retention.PruneLimits(waits=True)).held == 3
    shipping.hub.refusal = None
    write_membership(shipping.home, member)
    shipping.wait_until_all_arrived()


def test_a_damaged_row_keeps_no_other_back(shipping: Shipping):
    shipping.add(3)
    shipping.store.run_separately(
        lambda connection: connection.execute(
            "UPDATE events SET at = 9e999, micros = 'x', decision = x'00ff', tool = x'c328', exit = 'y' WHERE id = 2"
        )
    )
    shipping.start()
    wait_until(lambda: len(shipping.arrived) == 3, 20, shipping.describe)
    assert shipping.arrived == [entry.call for entry in journal.read_entries_after(shipping.store, 0)]


def test_a_key_that_is_gone_is_told_and_its_events_are_kept(shipping: Shipping):
    shipping.add(1)
    process = shipping.start()
    shipping.wait_until_all_arrived()
    shipping.kill()
    HubPlace.of(shipping.home).host_key.unlink()
    shipping.add(3, at=time.time() - 40 * 86400)
    shipping.add(1)
    process = shipping.start()
    wait_until(lambda: bool((state := read_state(shipping.home)) and state.problems), 20, shipping.describe)
    assert process.poll() is None
    assert retention.prune_events(shipping.store, 30, retention.PruneLimits(waits=True)).held == 3


def test_a_log_that_nobody_bounds_is_bounded_at_the_next_start(shipping: Shipping):
    shipping.home.shipper_log.write_bytes(b"x" * (2 << 20))
    ShipperKeeper(shipping.home).look()
    wait_until(lambda: is_shipping(shipping.home))
    assert shipping.home.shipper_log.stat().st_size < 1 << 20
    HubPlace.of(shipping.home).membership.unlink()
    wait_until(lambda: not is_shipping(shipping.home))
