"""What persons ask, each with a token: questions, answers that they have signed, an administrator's work."""

from collections.abc import Awaitable, Callable, Sequence

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from synaptic.hub.server.asked import GivenAnswer, take_answer
from synaptic.hub.server.bodies import decode_body, read_body, unpack_body
from synaptic.hub.server.bundles import publish_bundle
from synaptic.hub.server.database import Connection
from synaptic.hub.server.for_hosts import answer_json, get_hub
from synaptic.hub.server.hosts import revoke_host
from synaptic.hub.server.queries.denials import list_days, list_denials
from synaptic.hub.server.queries.events import list_events
from synaptic.hub.server.queries.filter import HubFilter, read_filter
from synaptic.hub.server.queries.hosts import count_versions, list_hosts
from synaptic.hub.server.queries.latency import list_latencies
from synaptic.hub.server.queries.overrides import list_overrides
from synaptic.hub.server.queries.questions import list_questions
from synaptic.hub.server.queries.sessions import list_sessions
from synaptic.hub.server.queries.witness import list_witness
from synaptic.hub.server.secrets import make_code
from synaptic.hub.wire import API, SignedBundle

MOST_SMALL = 64 << 10
MOST_BUNDLE = 4 << 20
Query = Callable[[Connection, HubFilter], Awaitable[Sequence[object]]]
QUERIES: dict[str, Query] = {
    "hosts": list_hosts,
    "versions": count_versions,
    "events": list_events,
    "sessions": list_sessions,
    "denials": list_denials,
    "days": list_days,
    "questions": list_questions,
    "witness": list_witness,
    "latency": list_latencies,
    "overrides": list_overrides,
}
"""By the last word of the address; the answer is `{"<word>": [...]}`."""


class CodeRequest(msgspec.Struct, frozen=True):
    """What a new code is to be."""

    hours: float = 1.0
    is_managed: bool = False


async def answer_query(request: Request) -> Response:
    parts, name = get_hub(request).parts, request.url.path.rpartition("/")[2]
    await parts.door.let_person_in(request)
    async with parts.database.act_as_reader() as connection:
        rows = await QUERIES[name](connection, read_filter(request.query_params))
    return answer_json({name: rows})


async def post_answer(request: Request) -> Response:
    parts = get_hub(request).parts
    await parts.door.let_person_in(request)
    given = decode_body(await _read(request, MOST_SMALL), GivenAnswer)
    async with parts.database.act_as_reader() as connection:
        await take_answer(connection, given)
    return Response(status_code=204)


async def post_bundle(request: Request) -> Response:
    hub = get_hub(request)
    person = await hub.parts.door.let_person_in(request, is_admin=True)
    body = await _read(request, MOST_BUNDLE)
    # As it was signed: what is no text is no bundle, and nothing in it is replaced.
    bundle = decode_body(body, SignedBundle, is_exact=True)
    async with hub.parts.database.act_as_admin() as connection:
        version = await publish_bundle(connection, bundle, person.name, hub.settings.organisation_key)
    return answer_json({"version": version})


async def post_code(request: Request) -> Response:
    parts = get_hub(request).parts
    await parts.door.let_person_in(request, is_admin=True)
    asked = decode_body(await _read(request, MOST_SMALL) or b"{}", CodeRequest)
    async with parts.database.act_as_admin() as connection:
        code, until = await make_code(connection, asked.hours, asked.is_managed)
    return answer_json({"code": code, "expires": until})


async def revoke(request: Request) -> Response:
    parts = get_hub(request).parts
    person = await parts.door.let_person_in(request, is_admin=True)
    async with parts.database.act_as_admin() as connection:
        await revoke_host(connection, request.path_params["host"], person.name)
    return Response(status_code=204)


async def _read(request: Request, most: int) -> bytes:
    return unpack_body(request, await read_body(request, most), most)


ROUTES = [
    *(Route(f"{API}/{name}", answer_query, methods=["GET"]) for name in QUERIES),
    Route(f"{API}/answers", post_answer, methods=["POST"]),
    Route(f"{API}/bundle", post_bundle, methods=["POST"]),
    Route(f"{API}/codes", post_code, methods=["POST"]),
    Route(f"{API}/hosts/{{host}}/revoke", revoke, methods=["POST"]),
]
