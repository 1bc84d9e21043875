"""The PIN on disk: hashed, signed, and nobody gets to try ten thousand."""

import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from synaptic.model.errors import StoreError
from synaptic.model.home import Home
from synaptic.store import pin as pins
from synaptic.store.db import Store
from synaptic.store.pin import FIRST_WAIT, LONGEST_WAIT, PinStanding, PinTry, try_pin

PIN = "48151"


@pytest.fixture(autouse=True)
def quick_hash(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tries are counted here, not measured."""
    monkeypatch.setattr(pins, "HASH_COST", 16)


@pytest.fixture
def held(store: Store) -> Store:
    pins.write_pin(store, PIN, 1.0)
    return store


def test_the_right_one_is_right_and_nothing_else_is(held: Store) -> None:
    assert try_pin(held, PIN, 10.0) is PinTry.RIGHT
    for text in ("48152", "4815", "481511", "", " 48151"):
        assert try_pin(held, text, 10_000.0 * (len(text) + 2)) is not PinTry.RIGHT


def test_without_a_pin_no_text_is_right(store: Store) -> None:
    assert try_pin(store, "", 1.0) is PinTry.MISSING
    assert pins.read_pin(store) == (PinStanding.MISSING, None)


def test_wrong_tries_wait_longer_and_longer_and_never_more_than_a_day(held: Store) -> None:
    now, waits = 100.0, []
    for _ in range(20):
        assert try_pin(held, "0000", now) is PinTry.WRONG
        _, pin = pins.read_pin(held)
        assert pin
        waits.append(pins.measure_wait(pin, now))
        now += waits[-1]
    assert waits[:5] == [0.0, 0.0, FIRST_WAIT, 2 * FIRST_WAIT, 4 * FIRST_WAIT]
    assert waits[-1] == LONGEST_WAIT
    assert sum(waits) > 7 * 86400  # twenty of ten thousand


def test_while_one_has_to_wait_the_right_one_is_not_looked_at_either(held: Store) -> None:
    for _ in range(3):
        try_pin(held, "0000", 100.0)
    assert try_pin(held, PIN, 101.0) is PinTry.WAIT
    assert try_pin(held, PIN, 100.0 + FIRST_WAIT) is PinTry.RIGHT
    assert try_pin(held, "0000", 131.0) is PinTry.WRONG, "a right one begins the count anew"
    assert try_pin(held, PIN, 131.0) is PinTry.RIGHT


def test_a_hundred_at_once_get_three_tries(held: Store) -> None:
    with ThreadPoolExecutor(16) as pool:
        found = list(pool.map(lambda number: try_pin(held, f"{number:04}", 50.0), range(100)))
    assert found.count(PinTry.WRONG) == 3 and found.count(PinTry.WAIT) == 97


def test_two_processes_count_together(held: Store, home: Home) -> None:
    other = Store.open(home)
    found = [try_pin(one, "0000", 50.0) for one in (held, other, held, other)]
    other.close()
    assert found == [PinTry.WRONG] * 3 + [PinTry.WAIT]


def test_a_try_whose_process_is_killed_before_the_answer_has_counted(
    held: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(*_: object) -> bytes:
        raise KeyboardInterrupt

    monkeypatch.setattr(pins, "_hash_pin", die)
    for _ in range(3):
        with pytest.raises(KeyboardInterrupt):
            try_pin(held, PIN, 50.0)
    assert try_pin(held, PIN, 50.0) is PinTry.WAIT


def test_a_clock_that_is_put_back_keeps_nobody_out_for_more_than_a_day(held: Store) -> None:
    for _ in range(3):
        try_pin(held, "0000", time.time())
    _, pin = pins.read_pin(held)
    assert pin and pins.measure_wait(pin, 0.0) <= LONGEST_WAIT


@pytest.mark.parametrize("change", ["value = x'00'", "mac = x'00'", "value = 'text'", "mac = value"])
def test_a_row_that_somebody_else_wrote_is_no_pin_and_not_none(held: Store, home: Home, change: str) -> None:
    with sqlite3.connect(home.database) as raw:
        raw.execute(f"UPDATE pin SET {change}")
    assert pins.read_pin(held)[0] is PinStanding.FORGED
    assert try_pin(held, PIN, 1.0) is PinTry.MISSING


def test_neither_the_pin_nor_its_digits_are_on_disk(held: Store, home: Home) -> None:
    held.close()
    for path in Path(home.root).rglob("*"):
        assert not path.is_file() or PIN.encode() not in path.read_bytes()


def test_a_real_hash_takes_a_while_and_little_memory(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    pins.write_pin(store, PIN, 1.0)
    begun = time.perf_counter()
    assert try_pin(store, PIN) is PinTry.RIGHT
    assert 0.01 < time.perf_counter() - begun < 5


def test_where_nothing_is_kept_on_disk_no_pin_is_set_or_tried(home: Home) -> None:
    store = Store.open_in_memory(home, StoreError("the disk is full"))
    for work in (lambda: pins.write_pin(store, PIN, 1.0), lambda: try_pin(store, PIN), lambda: pins.remove_pin(store)):
        with pytest.raises(StoreError, match="the disk is full"):
            work()
    store.close()
