"""Whatever comes again, late, cut or twice at once: each event once, in order, none missing."""

import asyncio

import psycopg
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.hub.server.kit import make_event, open_hub

LONGEST = 12
STEPS = st.lists(
    st.tuples(st.integers(0, 1), st.integers(0, LONGEST), st.integers(0, LONGEST), st.booleans()), max_size=14
)
"""Which host, after which sequence, up to which, and whether it is sent twice at the same moment."""


class HubModel:
    """What a hub has to do, in five lines."""

    def __init__(self) -> None:
        self.mark = 0
        self.kept: list[int] = []

    def take(self, after: int, last: int) -> int:
        if after != self.mark:
            return 409
        self.kept += range(after + 1, last + 1)
        self.mark = max(last, after)
        return 200


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS)
def test_batches_in_any_order_end_as_the_model_says(database, steps):
    with psycopg.connect(database, autocommit=True) as connection:
        if connection.execute("SELECT to_regclass('hosts')").fetchone() != (None,):
            connection.execute("TRUNCATE hosts, events, tallies, sessions")

    async def go() -> None:
        async with open_hub(database) as first:
            await first.join("first")
            clients = (first, await first.another("second"))
            models = (HubModel(), HubModel())
            for which, after, last, is_twice in steps:
                client, model = clients[which], models[which]
                events = [make_event(seq) for seq in range(after + 1, last + 1)]
                sent = [client.ships(after, *events) for _ in range(1 + is_twice)]
                answers = sorted(answer.status_code for answer in await asyncio.gather(*sent))
                assert answers == sorted(model.take(after, last) for _ in sent)
            for client, model in zip(clients, models, strict=True):
                found = await client.rows(
                    "SELECT e.seq FROM events e JOIN hosts h ON h.number = e.host WHERE h.id = %s ORDER BY 1",
                    client.host,
                )
                assert [seq for (seq,) in found] == model.kept
                counted = await client.rows(
                    "SELECT coalesce(sum(t.amount), 0)::int FROM tallies t JOIN hosts h ON h.number = t.host"
                    " WHERE h.id = %s AND hook = ''",
                    client.host,
                )
                assert counted == [(len(model.kept),)]
                assert await client.rows("SELECT seq FROM hosts WHERE id = %s", client.host) == [(model.mark,)]

    asyncio.run(go())
