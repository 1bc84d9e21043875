"""Processor time by who used it, and what the events take up on the disk."""

import os
import time
from pathlib import Path

import msgspec
import psycopg

SIZES = """
SELECT coalesce(sum(pg_table_size(i.inhrelid)), 0)::bigint, coalesce(sum(pg_indexes_size(i.inhrelid)), 0)::bigint
FROM pg_inherits i WHERE i.inhparent = 'events'::regclass
"""
COUNT = "SELECT count(*) FROM events"


class Shares(msgspec.Struct, frozen=True):
    """Cores that were busy for each, of those that the machine has."""

    hub: float
    postgres: float
    hosts: float
    machine: float
    """All cores that were busy, with whatever else ran."""

    def __str__(self) -> str:
        return f"hub {self.hub:.2f}, PostgreSQL {self.postgres:.2f}, simulated hosts {self.hosts:.2f}"


class Meter:
    """From one moment to another."""

    def __init__(self, hub: int, postgres: int) -> None:
        self._hub, self._postgres = hub, postgres
        self._began, self._first = time.monotonic(), self._read()

    def read(self) -> Shares:
        seconds = time.monotonic() - self._began
        return Shares(*((now - before) / seconds for now, before in zip(self._read(), self._first, strict=True)))

    def _read(self) -> tuple[float, float, float, float]:
        return (
            read_tree(self._hub),
            read_tree(self._postgres),
            sum(os.times()[:2]),
            read_machine(),
        )


def read_tree(pid: int) -> float:
    """Seconds of a process and of its children, also of those that have ended."""
    ticks = sum(_read_ticks(one, 15 if one == pid else 13) for one in (pid, *list_children(pid)))
    return ticks / os.sysconf("SC_CLK_TCK")


def list_children(pid: int) -> list[int]:
    try:
        return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def _read_ticks(pid: int, last: int) -> int:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0
    return sum(int(field) for field in fields[11:last])


def read_machine() -> float:
    fields = [int(word) for word in Path("/proc/stat").read_text().splitlines()[0].split()[1:]]
    return (sum(fields[:3]) + sum(fields[5:8])) / os.sysconf("SC_CLK_TCK")


class Sizes(msgspec.Struct, frozen=True):
    """Bytes of a million events."""

    table: float
    indexes: float
    events: int

    def __str__(self) -> str:
        both = self.table + self.indexes
        return f"{both / 1e6:,.0f} MB (table {self.table / 1e6:,.0f}, indexes {self.indexes / 1e6:,.0f})"


def measure_size(url: str) -> Sizes:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("VACUUM ANALYZE events")
        table, indexes = connection.execute(SIZES).fetchone() or (0, 0)
        (count,) = connection.execute(COUNT).fetchone() or (0,)
    return Sizes(table / max(count, 1) * 1e6, indexes / max(count, 1) * 1e6, count)
