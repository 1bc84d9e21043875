"""Clients that are connected and ask nothing: closed after a while, and before they use up all descriptors."""

import resource
from typing import Protocol

SILENT_TICKS = 10
"""Seconds in which somebody who has connected says something; a dispatcher has its request ready before it connects."""
LINE_TICKS = 600
"""The same between two lines of a connection that sends many."""
CROWD_TICKS = 2
"""The same where so many are silent that descriptors run out."""
MOST_DESCRIPTORS = 16_384
LEAST_SILENT = 16


class Client(Protocol):
    """Whoever is connected."""

    patience: int

    def drop(self) -> None:
        """Close the connection at once."""


class IdleClients:
    """Who is connected and owes the next word, in the order in which they fell silent. Time is counted in ticks."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._now = 0
        self._since: dict[Client, int] = {}

    def add(self, client: Client) -> None:
        """Count from now on, also for one that was here before; where many are silent, the oldest makes room."""
        self._since.pop(client, None)
        self._since[client] = self._now
        if len(self._since) > self._most:
            oldest = next(iter(self._since))
            # A burst of new clients is no crowd of silent ones: nobody who has just come is sent away.
            if self._now - self._since[oldest] >= CROWD_TICKS:
                self._drop(oldest)

    def remove(self, client: Client) -> None:
        self._since.pop(client, None)

    def tick(self) -> None:
        """Drop those whose time is over. Called once a second."""
        self._now += 1
        for client in [one for one, since in self._since.items() if self._now - since > one.patience]:
            self._drop(client)

    def _drop(self, client: Client) -> None:
        self.remove(client)
        client.drop()


def raise_descriptor_limit() -> int:
    """Take as many descriptors as we may have, within reason; returns how many there are now."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, MOST_DESCRIPTORS)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return soft if soft != resource.RLIM_INFINITY else MOST_DESCRIPTORS
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    except (OSError, ValueError):  # some systems allow less than they say
        return soft
    return wanted


def count_silent_places() -> int:
    """How many silent clients are kept: the larger part of the descriptors is for hooks, files and the database."""
    return max(LEAST_SILENT, raise_descriptor_limit() // 4)
