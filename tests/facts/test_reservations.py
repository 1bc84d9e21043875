"""What calls in flight have taken, and that it is given back."""

import pytest

from synaptic.facts.reservations import Reservations


def test_whatever_ends_a_call_ends_its_reservations() -> None:
    held = Reservations()
    with held.hold("a"):
        assert (held.take_place("a", 7), held.take_text("a", ("payload", 1))) == (0, True)
        assert len(held) == 1
    assert len(held) == 0
    with pytest.raises(ZeroDivisionError), held.hold("b"):
        held.take_place("b", 7)
        raise ZeroDivisionError
    assert len(held) == 0


def test_a_text_is_told_by_the_first_call_that_asks_for_it() -> None:
    held = Reservations()
    assert [held.take_text(call, ("payload", 1)) for call in ("a", "b", "a")] == [True, False, True]
    assert held.take_text("b", ("payload", 2))
    held.release("a")
    assert held.take_text("b", ("payload", 1))
