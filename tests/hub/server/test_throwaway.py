"""A real PostgreSQL that comes and goes."""

import psycopg

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


def test_each_test_has_a_database_of_its_own(database):
    with psycopg.connect(database) as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)
