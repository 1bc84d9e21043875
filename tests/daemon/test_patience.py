"""After which silence a client may have decided its call elsewhere."""

import time

import pytest

from synaptic.daemon.client import new_call_id
from synaptic.daemon.patience import ClientPatience
from synaptic.store.claims import LATE_SECONDS


class Clock:
    """Both clocks of the machine, moved by hand."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.now = 1_000_000.0
        patch.setattr(time, "time", lambda: self.now)
        patch.setattr(time, "monotonic", lambda: self.now)
        patch.setattr(time, "time_ns", lambda: int(self.now * 1e9))


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


def test_a_client_that_goes_while_it_hears_of_us_has_not_given_us_up(clock: Clock) -> None:
    """An agent that ends its hooks has not decided anything: what happened is still written."""
    patience = ClientPatience(new_call_id())
    for _ in range(60):
        clock.now += 1.0
        patience.note_byte()
        assert not patience.is_over()


def test_a_silence_is_not_forgotten_by_the_byte_that_ends_it(clock: Clock) -> None:
    patience = ClientPatience(new_call_id())
    clock.now += LATE_SECONDS + 0.1
    assert patience.is_over()
    patience.note_byte()
    patience.note_byte()
    assert patience.is_over()


def test_a_call_that_is_read_late_may_have_been_given_up_before(clock: Clock) -> None:
    call = new_call_id()
    clock.now += LATE_SECONDS + 0.1
    assert ClientPatience(call).is_over()
