"""What the database itself keeps a host from, whatever statement is sent in its transaction."""

import asyncio
import time
import uuid

import pytest

psycopg = pytest.importorskip("psycopg")

from synaptic.hub.server.migrate import migrate  # noqa: E402
from synaptic.hub.wire import API  # noqa: E402
from synaptic.model.errors import SynapticError  # noqa: E402
from tests.hub.server.kit import make_event, open_hub  # noqa: E402

TABLES = ("events", "tallies", "sessions", "statuses", "grants", "questions", "question_lists", "answers")
SECRETS = ("codes", "tokens", "migrations", "settings")


def test_a_host_sees_and_changes_rows_of_its_own_only(database):
    async def go() -> None:
        async with open_hub(database) as one:
            await one.join("one")
            other = await one.another("other")
            await one.ships(0, make_event(1))
            await other.ships(0, make_event(1))
            numbers = dict(await one.rows("SELECT id, number FROM hosts"))
            mine, others = numbers[one.host], numbers[other.host]

            async def refuses(statement: str, *given: object) -> bool:
                """True also for a statement that finds nothing to do."""
                try:
                    async with one.database.act_as_host(mine) as connection:
                        return (await connection.execute(statement, given)).rowcount == 0
                except psycopg.errors.InsufficientPrivilege:
                    return True

            for table in TABLES:
                assert await refuses(f"SELECT * FROM {table} WHERE host = %s", others), table
                assert await refuses(f"UPDATE {table} SET host = %s", others), table
                assert await refuses(f"UPDATE {table} SET host = host WHERE host = %s", others), table
                assert await refuses(f"DELETE FROM {table} WHERE host = %s", others), table
                assert await refuses(f"TRUNCATE {table}"), table
            for table in SECRETS:
                assert await refuses(f"SELECT * FROM {table}"), table
            assert await refuses("SELECT * FROM events")
            assert await refuses("SELECT seq FROM hosts WHERE number = %s", others)
            assert await refuses("UPDATE hosts SET seq = 99 WHERE number = %s", others)
            assert await refuses("UPDATE hosts SET revoked_at = NULL WHERE number = %s", mine)
            assert await refuses("UPDATE hosts SET key = 'x' WHERE number = %s", mine)
            assert await refuses("SELECT key FROM hosts WHERE number = %s", mine)
            day = (await one.rows("SELECT day FROM events LIMIT 1"))[0][0]
            assert await refuses(f"SELECT * FROM events_{day:%Y%m%d}"), "not by the day's own table either"
            assert await refuses(f"DROP TABLE events_{day:%Y%m%d}")
            assert await refuses("INSERT INTO sessions VALUES (%s, 'x', '', '', 0, 0, 0, 0, 0, 0)", others)
            copied = (
                "INSERT INTO events SELECT 77, 0, 0, %s, %s, 0, 0, 0,"
                " '', '', '', '', '', '', '', '', '', '', '', '', '', NULL, NULL"
            )
            assert await refuses(copied, day, others)
            assert not await refuses(copied, day, mine)

    asyncio.run(go())


def test_a_transaction_that_names_no_host_sees_nothing(database):
    async def go() -> None:
        async with open_hub(database) as one:
            await one.join("one")
            await one.ships(0, make_event(1))
            async with one.database._act_as(one.database.roles.host, "") as connection:
                for table in ("sessions", "tallies", "hosts"):
                    found = await connection.execute(f"SELECT count(*) FROM {table}")
                    assert await found.fetchone() == (0,)

    asyncio.run(go())


def test_readers_change_nothing(database):
    async def go() -> None:
        async with open_hub(database) as one:
            await one.join("one")
            await one.ships(0, make_event(1))
            for statement in (
                "DELETE FROM events", "UPDATE hosts SET revoked_at = 1", "INSERT INTO bundles VALUES (1,'',0,'','','')",
                "SELECT * FROM tokens", "SELECT * FROM codes", "UPDATE events SET seq = 2",
            ):  # fmt: skip
                with pytest.raises(psycopg.errors.InsufficientPrivilege):
                    async with one.database.act_as_reader() as connection:
                        await connection.execute(statement)

    asyncio.run(go())


def test_what_was_left_by_one_transaction_is_not_there_for_the_next(database):
    """Role, host and copied rows end with the transaction, also with one that fails."""

    async def go() -> None:
        async with open_hub(database) as one:
            await one.join("one")
            for _ in range(3):
                with pytest.raises(ZeroDivisionError):
                    async with one.database.act_as_host(1) as connection:
                        await connection.execute("INSERT INTO incoming (seq, host) SELECT 1, 1 WHERE false")
                        raise ZeroDivisionError
                async with one.database.connect() as connection:
                    found = await connection.execute("SELECT current_user, current_setting('synaptic.host', true)")
                    assert await found.fetchone() in (("postgres", ""), ("postgres", None))
                    found = await connection.execute("SELECT count(*) FROM incoming")
                    assert await found.fetchone() == (0,)

    asyncio.run(go())


def test_a_login_that_is_no_superuser_runs_a_hub_and_is_kept_to_the_policies(postgres):
    """With roles of another name: they belong to the cluster, and this login may not act as those of others."""
    name = f"u{uuid.uuid4().hex[:12]}"
    with psycopg.connect(postgres.url, autocommit=True) as connection:
        connection.execute(f"CREATE ROLE {name} LOGIN CREATEROLE")
        connection.execute(f"CREATE DATABASE {name} OWNER {name}")
    url = postgres.url_as(name, name)

    async def go() -> None:
        async with open_hub(url, roles=name, retention_days=30) as one:
            await one.join("one")
            now = time.time()
            old = make_event(1, at=now - 20 * 86400, session="old")
            assert (await one.ships(0, old, make_event(2, at=now))).status_code == 200
            token = await one.token()
            answer = await one.http.get(f"{API}/events", headers=token)
            assert [row["seq"] for row in answer.json()["events"]] == [2, 1]
            one.hub.settings = type(one.hub.settings)(database=url, retention_days=10)
            assert await one.hub.keep_once()
            answer = await one.http.get(f"{API}/sessions", headers=token)
            assert [row["session"] for row in answer.json()["sessions"]] == ["s1"]
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                await one.rows("INSERT INTO sessions VALUES (7, 'x', '', '', 0, 0, 0, 0, 0, 0)")
            assert await one.rows("DELETE FROM events") == []
            answer = await one.http.get(f"{API}/events", headers=token)
            assert [row["seq"] for row in answer.json()["events"]] == [2]

    asyncio.run(go())
    with pytest.raises(SynapticError, match=name):
        asyncio.run(migrate(url, "others"))


def test_a_login_that_may_not_make_roles_is_told_which_ones_it_needs(postgres):
    name = f"u{uuid.uuid4().hex[:12]}"
    with psycopg.connect(postgres.url, autocommit=True) as connection:
        connection.execute(f"CREATE ROLE {name} LOGIN")
        connection.execute(f"CREATE DATABASE {name} OWNER {name}")
    with pytest.raises(SynapticError) as raised:
        asyncio.run(migrate(postgres.url_as(name, name), name))
    assert f"CREATE ROLE {name}_host NOLOGIN" in raised.value.hint
