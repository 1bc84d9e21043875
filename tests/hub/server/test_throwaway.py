"""A real PostgreSQL that comes and goes."""

import sys
import time
from pathlib import Path

import psycopg
import pytest

from synaptic.hub.server.throwaway import ThrowawayPostgres


def test_it_is_killed_and_comes_back_with_what_was_committed(postgres):
    with ThrowawayPostgres() as server:
        with psycopg.connect(server.url, autocommit=True) as connection:
            connection.execute("CREATE TABLE t AS SELECT 7 AS n")
        server.kill()
        server.start()
        with psycopg.connect(server.url) as connection:
            assert connection.execute("SELECT n FROM t").fetchone() == (7,)
        folder = server.folder
    assert not folder.exists()


@pytest.mark.skipif(sys.platform != "linux", reason="processes are found in /proc")
def test_killed_it_is_gone_at_once_in_the_middle_of_a_statement():
    with ThrowawayPostgres() as server:
        connection = psycopg.connect(server.url, autocommit=True)
        connection.pgconn.send_query(b"SELECT count(*) FROM generate_series(1, 1000000000)")
        pid = connection.info.backend_pid
        time.sleep(0.2)
        server.kill()
        assert not is_running(pid)
        connection.close()


def is_running(pid: int) -> bool:
    """Dead and not waited for is no more; it is what it is for a moment after the signal."""
    time.sleep(0.2)
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_each_test_has_a_database_of_its_own(database):
    with psycopg.connect(database) as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)
