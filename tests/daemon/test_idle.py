"""Clients that ask nothing: neither kept for ever, nor in anybody's way."""

import resource

import pytest

from synaptic.daemon import idle
from synaptic.daemon.idle import CROWD_TICKS, LINE_TICKS, SILENT_TICKS, IdleClients


class Client:
    """Notes that it was dropped."""

    def __init__(self, patience: int = SILENT_TICKS) -> None:
        self.patience = patience
        self.dropped = False

    def drop(self) -> None:
        self.dropped = True


def pass_time(clients: IdleClients, ticks: int) -> None:
    for _ in range(ticks):
        clients.tick()


def test_who_says_nothing_for_long_is_dropped_and_who_speaks_is_not() -> None:
    clients, silent, speaking, lines = IdleClients(100), Client(), Client(), Client(LINE_TICKS)
    for one in (silent, speaking, lines):
        clients.add(one)
    pass_time(clients, SILENT_TICKS)
    clients.add(speaking)
    pass_time(clients, 1)
    assert (silent.dropped, speaking.dropped, lines.dropped) == (True, False, False)
    pass_time(clients, LINE_TICKS)
    assert lines.dropped


def test_who_is_being_answered_is_not_idle() -> None:
    clients, busy = IdleClients(100), Client()
    clients.add(busy)
    clients.remove(busy)
    pass_time(clients, SILENT_TICKS * 2)
    assert not busy.dropped


def test_where_many_are_silent_the_oldest_makes_room_and_a_burst_is_no_crowd() -> None:
    clients = IdleClients(3)
    first = [Client() for _ in range(10)]
    for one in first:
        clients.add(one)
    assert not any(one.dropped for one in first)
    pass_time(clients, CROWD_TICKS)
    new = Client()
    clients.add(new)
    assert [one.dropped for one in first] == [True] + [False] * 9
    assert not new.dropped


def test_descriptors_are_taken_as_far_as_they_are_given(monkeypatch: pytest.MonkeyPatch) -> None:
    limits = [(256, 256)]
    monkeypatch.setattr(resource, "getrlimit", lambda which: limits[-1])
    monkeypatch.setattr(resource, "setrlimit", lambda which, new: limits.append(new))
    assert idle.raise_descriptor_limit() == 256
    limits.append((1024, 1_000_000))
    assert idle.raise_descriptor_limit() == idle.MOST_DESCRIPTORS
    assert limits[-1] == (idle.MOST_DESCRIPTORS, 1_000_000)
    limits.append((8, 8))
    assert idle.count_silent_places() == idle.LEAST_SILENT


def test_what_the_system_does_not_give_is_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(which: int, new: tuple[int, int]) -> None:
        raise ValueError("not allowed")

    monkeypatch.setattr(resource, "getrlimit", lambda which: (256, resource.RLIM_INFINITY))
    monkeypatch.setattr(resource, "setrlimit", refuse)
    assert idle.raise_descriptor_limit() == 256
