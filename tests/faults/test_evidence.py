"""The journal as the campaign reads it, from where it was read last."""

import contextlib
import json
import sqlite3
from pathlib import Path

import pytest

from tests.faults.evidence import Journal

CREATE = """
CREATE TABLE events (
    id INTEGER PRIMARY KEY AUTOINCREMENT, event, session, kind, exit, stdout, stderr, replay, payload, root
)
"""
INSERT = "INSERT INTO events (event, exit, replay, payload) VALUES ('PreToolUse', 0, 1, ?)"
FORGET = ("DELETE FROM events WHERE id > ?", "UPDATE sqlite_sequence SET seq = ?")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with open_database(tmp_path / "synaptic.db") as connection:
        connection.execute(CREATE)
    return tmp_path / "synaptic.db"


def open_database(path: Path) -> contextlib.closing[sqlite3.Connection]:
    return contextlib.closing(sqlite3.connect(path, isolation_level=None))


def write(path: Path, *tokens: str) -> None:
    with open_database(path) as connection:
        connection.executemany(INSERT, [(json.dumps({"reference": token}),) for token in tokens])


def lose(path: Path, last: int) -> None:
    """As if the file had lost its end: the numbers behind it are given once more."""
    with open_database(path) as connection:
        for sql in FORGET:
            connection.execute(sql, (last,))


def test_only_what_is_new_is_read(path: Path) -> None:
    journal = Journal(path)
    for tokens in (["t1-0-1", "t1-1-1"], ["t2-0-1"], []):
        write(path, *tokens)
        journal.read()
    assert (journal.trouble, list(journal.rows), journal.gone) == ("", ["t1-0-1", "t1-1-1", "t2-0-1"], [])


def test_a_journal_that_has_lost_its_end_is_read_anew_and_says_what_is_gone(path: Path) -> None:
    """Events with numbers that were read before were not seen; those that were gone still counted as there."""
    journal = Journal(path)
    write(path, "t1-0-1", "t1-1-1", "t1-2-1")
    journal.read()
    lose(path, 1)
    write(path, "t2-0-1", "t2-1-1", "t2-2-1")
    journal.read()
    assert list(journal.rows) == ["t1-0-1", "t2-0-1", "t2-1-1", "t2-2-1"]
    assert journal.gone == ["t1-1-1", "t1-2-1"]
    write(path, "t1-1-1")
    journal.read()
    assert journal.gone == ["t1-2-1"]


def test_losses_that_are_accepted_are_not_told_again(path: Path) -> None:
    journal = Journal(path)
    write(path, "t1-0-1", "t1-1-1")
    journal.read()
    lose(path, 0)
    journal.read()
    assert journal.gone == ["t1-0-1", "t1-1-1"]
    journal.accept_losses()
    journal.read()
    assert journal.gone == []
