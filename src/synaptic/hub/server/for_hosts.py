"""What hosts ask: to join, to be rid of their events, to be told what is new."""

import asyncio
import time

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from synaptic.hub.server.asked import list_answers, take_questions
from synaptic.hub.server.bodies import decode_body, read_body, unpack_body
from synaptic.hub.server.bundles import find_bundle, find_bundle_version
from synaptic.hub.server.door import SignedRequest
from synaptic.hub.server.hosts import join_host, require_active, take_status
from synaptic.hub.server.hub import Hub, HubParts
from synaptic.hub.server.incoming import read_batch
from synaptic.hub.server.ingest import MarkDiffersError, take_batch
from synaptic.hub.server.refused import RequestError
from synaptic.hub.server.secrets import find_code, require_code
from synaptic.hub.wire import (
    API,
    MOST_BATCH_BYTES,
    BatchAnswer,
    HostQuestion,
    HostStatus,
    HubNews,
    JoinAnswer,
    JoinRequest,
)

MOST_SMALL = 64 << 10
MOST_STATUS = 2 << 20
MOST_WAIT = 55.0
BUSY_SECONDS = 5.0


def get_hub(request: Request) -> Hub:
    hub: Hub = request.app.state.hub
    return hub


def answer_json(value: object, status: int = 200) -> Response:
    return Response(msgspec.json.encode(value), status, media_type="application/json")


async def join(request: Request) -> Response:
    hub = get_hub(request)
    hub.joins.check()
    asked = decode_body(unpack_body(request, await read_body(request, MOST_SMALL), MOST_SMALL), JoinRequest)
    async with hub.parts.database.connect() as connection:
        async with connection.transaction():
            found = await find_code(connection, asked.code)  # a wrong try is counted, whatever becomes of the rest
        if found is None:
            hub.joins.count()
        code = require_code(found)
        async with connection.transaction():
            code = require_code(await find_code(connection, asked.code))
            host = await join_host(connection, code, asked)
    return answer_json(JoinAnswer(host=host, hub=hub.settings.name, organisation_key=hub.settings.organisation_key))


async def take_events(request: Request) -> Response:
    hub = get_hub(request)
    signed = await hub.parts.door.let_host_in(request, MOST_BATCH_BYTES)
    try:
        async with asyncio.timeout(BUSY_SECONDS):
            await hub.batches.acquire()
    except TimeoutError as error:
        raise RequestError(503, "the hub takes in as much as it can", after=1) from error
    try:
        batch = read_batch(unpack_body(request, signed.body), hub.settings.retention_days)
        seq = await take_batch(hub.parts.database, hub.parts.days, signed.host.number, batch)
    except MarkDiffersError as error:
        return answer_json(BatchAnswer(error.seq), 409)
    finally:
        hub.batches.release()
    return answer_json(BatchAnswer(seq))


async def put_status(request: Request) -> Response:
    parts, signed, body = await _let_in(request, MOST_STATUS)
    status = decode_body(body, HostStatus)
    async with parts.database.act_as_host(signed.host.number) as connection:
        await require_active(connection, signed.host.number)
        await take_status(connection, signed.host.number, signed.at, status)
    return Response(status_code=204)


async def put_questions(request: Request) -> Response:
    parts, signed, body = await _let_in(request, MOST_STATUS)
    asked = decode_body(body, list[HostQuestion])
    async with parts.database.act_as_host(signed.host.number) as connection:
        await require_active(connection, signed.host.number)
        await take_questions(connection, signed.host.number, signed.at, asked)
    return Response(status_code=204)


async def get_news(request: Request) -> Response:
    """At once when there is news, else when there is some or the time is over."""
    parts, signed, _ = await _let_in(request, 0)
    hub, asked = get_hub(request), request.query_params
    after, bundle = _read_number(asked.get("after", "0")), _read_number(asked.get("bundle", "0"))
    until = time.monotonic() + min(_read_number(asked.get("wait", "0")), MOST_WAIT)
    with parts.news.watch(signed.host.number) as watch:
        while True:
            news = await _find_news(parts, signed.host.number, after)
            if news.answers or news.bundle != bundle or hub.is_closing.is_set():
                return answer_json(news)
            if not await watch.wait_until(until):
                return answer_json(news)


async def get_bundle(request: Request) -> Response:
    parts, signed, _ = await _let_in(request, 0)
    async with parts.database.act_as_host(signed.host.number) as connection:
        await require_active(connection, signed.host.number)
        found = await find_bundle(connection)
    if found is None:
        raise RequestError(404, "this hub has no bundle")
    return answer_json(found)


async def _let_in(request: Request, most: int) -> tuple[HubParts, SignedRequest, bytes]:
    parts = get_hub(request).parts
    signed = await parts.door.let_host_in(request, most)
    return parts, signed, unpack_body(request, signed.body, most) if signed.body else b""


async def _find_news(parts: HubParts, host: int, after: int) -> HubNews:
    async with parts.database.act_as_host(host) as connection:
        await require_active(connection, host)
        return HubNews(await list_answers(connection, host, after), await find_bundle_version(connection))


def _read_number(text: str) -> int:
    """Raises RequestError."""
    if not (text.isascii() and text.isdigit() and len(text) <= 18):
        raise RequestError(400, "a number is needed here")
    return int(text)


ROUTES = [
    Route(f"{API}/join", join, methods=["POST"]),
    Route(f"{API}/events", take_events, methods=["POST"]),
    Route(f"{API}/status", put_status, methods=["PUT"]),
    Route(f"{API}/questions", put_questions, methods=["PUT"]),
    Route(f"{API}/news", get_news),
    Route(f"{API}/bundle", get_bundle),
]
