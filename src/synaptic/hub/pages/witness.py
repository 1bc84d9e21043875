"""Witness: whether agents did what they were told, as each host saw it in the last seven days."""

import time
from collections import Counter

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from synaptic.fleet.roster import describe_age
from synaptic.hub.pages.fleet import read_all_hosts
from synaptic.hub.pages.page import read_hub, render_page
from synaptic.model.witness import ALARMS, Standing
from synaptic.work.event_words import show_line
from synaptic.work.witness_report import MEANING

NAMES = tuple(str(one) for one in Standing)
ALARMING = tuple(str(one) for one in Standing if one in ALARMS)
ROWS = 200


class WitnessHost(msgspec.Struct, frozen=True):
    """What one host has seen."""

    host: str
    seen: str
    counts: tuple[int, ...]
    """By NAMES."""
    alarms: int


async def show_witness(request: Request) -> Response:
    """The page: hosts with alarms first."""
    async with read_hub(request) as connection:
        found = [one for one in await read_all_hosts(connection) if one.status and not one.revoked_at]
    now, rows, totals = time.time(), [], Counter[str]()
    for one in found:
        calls = one.status.witness if one.status else {}
        totals.update({name: calls.get(name, 0) for name in NAMES})
        alarms = sum(calls.get(name, 0) for name in ALARMING)
        counts = tuple(calls.get(name, 0) for name in NAMES)
        if any(counts):
            rows.append(WitnessHost(show_line(one.id), f"{describe_age(now - one.seen_at)} ago", counts, alarms))
    rows.sort(key=lambda row: (-row.alarms, row.host))
    return await render_page(
        request, "witness.html", page="witness", hosts=rows[:ROWS], names=NAMES, alarming=ALARMING, totals=totals,
        meaning={str(name): text for name, text in MEANING.items()}, told=len(found),
        alarms=sum(row.alarms for row in rows), more=max(len(rows) - ROWS, 0),
    )  # fmt: skip


ROUTES = [Route("/witness", show_witness, methods=["GET"])]
