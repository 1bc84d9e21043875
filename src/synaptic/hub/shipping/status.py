"""What a host says of itself: version, bundle, agents, exceptions, what was witnessed, and what is wrong."""

import asyncio
import time
from collections import Counter
from contextlib import suppress

import msgspec

import synaptic
from synaptic.engine.environment import find_user_home
from synaptic.hooks.bundle_seal import find_bundle, read_trouble
from synaptic.hub.questions.book import list_answer_troubles
from synaptic.hub.shipping.link import HubLink, repeat_for_ever
from synaptic.hub.shipping.outbox import Contents, clean_name, clean_path, clean_text
from synaptic.hub.wire import HostAgent, HostGrant, HostStatus
from synaptic.model.home import Home
from synaptic.pipeline.witness import judge_kept
from synaptic.store import fleet, grants, witnessed
from synaptic.store.db import Store
from synaptic.store.fleet import FleetMember
from synaptic.store.grants import StoredGrant

EVERY_SECONDS = 15.0
LEAST_SECONDS = 1.0
"""Between two, however often something changes."""
WITNESS_SECONDS = 7 * 86400.0
MOST_AGENTS, MOST_GRANTS, MOST_PROBLEMS = 200, 500, 50


class BundleState(msgspec.Struct, frozen=True):
    """The bundle in force, such as `acme 7`, and what is wrong with the one that was offered."""

    name: str = ""
    trouble: str = ""


def describe_bundle(home: Home) -> BundleState:
    """As the daemon finds it."""
    kept, trouble = find_bundle(home).kept, read_trouble(home)
    return BundleState(
        name=clean_name(f"{kept.name} {kept.version}") if kept and kept.text else "",
        trouble=clean_text(trouble.why) if trouble else "",
    )


class StatusSource(msgspec.Struct, frozen=True):
    """How much is said, and in which words."""

    user_home: str
    contents: Contents


def make_status(link: HubLink) -> HostStatus:
    """Read everything together. Raises StoreError."""
    source = StatusSource(find_user_home(link.home), link.plan.ship.contents)
    bundle = describe_bundle(link.home)
    troubles = (*link.plan.problems, *link.list_troubles(), *list_answer_troubles(link.home))
    return HostStatus(
        version=synaptic.__version__,
        bundle=bundle.name,
        bundle_trouble=_hide_home(bundle.trouble, source.user_home),
        is_managed=bool(link.plan.member and link.plan.member.is_managed),
        contents=source.contents,
        newest=link.shipper.newest_mark,
        agents=tuple(_make_agent(one, source) for one in _list_newest(link.reader)),
        grants=tuple(_make_grant(one, source) for one in grants.list_grants(link.reader)[:MOST_GRANTS]),
        witness=_count_witness(link.reader),
        problems=tuple(clean_path(_hide_home(one, source.user_home), "") for one in troubles[:MOST_PROBLEMS]),
    )


async def run_status(link: HubLink) -> None:
    """Tell the hub whenever it changed, and every few seconds in any case."""
    told: HostStatus | None = None
    told_at = 0.0

    async def tell() -> None:
        nonlocal told, told_at
        seen = link.pulse.count
        status = await asyncio.to_thread(make_status, link)
        if _drop_times(status) != told or time.monotonic() > told_at + EVERY_SECONDS:
            await link.client.put_status(status)
            told, told_at = _drop_times(status), time.monotonic()
        await asyncio.sleep(LEAST_SECONDS)
        with suppress(TimeoutError):
            async with asyncio.timeout(EVERY_SECONDS):
                await link.pulse.wait_after(seen)

    await repeat_for_ever(link, "telling the hub how it is here", tell)


def _hide_home(text: str, user_home: str) -> str:
    """Whose home it is, is nobody's business; what is told names files anywhere in it."""
    return text.replace(f"{user_home}/", "~/") if len(user_home) > 1 else text


def _drop_times(status: HostStatus) -> HostStatus:
    """What counts as a change: not that time goes by, nor that there are more events."""
    agents = tuple(msgspec.structs.replace(one, updated_at=0.0) for one in status.agents)
    return msgspec.structs.replace(status, newest=0, agents=agents)


def _list_newest(reader: Store) -> list[FleetMember]:
    return sorted(fleet.list_members(reader), key=lambda one: -one.seen)[:MOST_AGENTS]


def _make_agent(one: FleetMember, source: StatusSource) -> HostAgent:
    return HostAgent(
        id=clean_name(one.agent),
        kind=clean_name(one.kind),
        status=one.status,
        project=clean_path(one.project, source.user_home),
        label=clean_name(one.label),
        note=clean_text(one.note) if source.contents == "full" else "",
        session=clean_name(one.host),
        updated_at=one.seen,
    )


def _make_grant(one: StoredGrant, source: StatusSource) -> HostGrant:
    grant = one.grant
    return HostGrant(
        id=grant.id,
        at=grant.at,
        policy=clean_name(grant.policy),
        scope=grant.scope,
        granted_by=clean_name(grant.granted_by),
        uses=one.uses,
        last_used=one.last_used,
        expires=grant.expires,
        revoked=grant.revoked,
        project=clean_path(grant.root, source.user_home),
        shown=clean_text(grant.shown) if source.contents == "full" else "",
    )


def _count_witness(reader: Store) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for signs, count in witnessed.count_signs(reader, time.time() - WITNESS_SECONDS).items():
        counts[str(judge_kept(signs))] += count
    return dict(counts)
