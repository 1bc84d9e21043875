"""Run the cases of policies from outside: each file's beside it, in a worker of the file, as the engine asks it."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import msgspec

from synaptic.cli.place import CommandPlace
from synaptic.cli.registered import load_hook_catalog, read_trust
from synaptic.files.bounded import read_content
from synaptic.hooks.catalog import HookCatalog
from synaptic.hooks.outside import make_placeholder
from synaptic.hooks.trust import HookTrust
from synaptic.model.decision import Failure
from synaptic.model.outside import PolicySource
from synaptic.runners.execute import HookRunners
from synaptic.runners.policies import PolicyFile
from synaptic.runners.policy_wire import CaseResult, WorkerRequest

CASES_LIMIT = 1 << 20
CASES_SECONDS = 60.0


def run_outside_cases(place: CommandPlace, name: str = "") -> tuple[CaseResult, ...]:
    """How each policy from outside does, or the one of a name. A file that may not run, or has no cases, has none."""
    catalog = load_hook_catalog(place)
    if not catalog.policy_sources:
        return ()
    with read_trust(place.home, catalog) as trust:
        found = asyncio.run(_run_files(place, catalog, trust))
    return tuple(one for one in found if name in ("", one.policy))


def find_cases(source: PolicySource) -> Path:
    """Where the cases of a file are."""
    return Path(source.file).with_suffix(".toml")


async def _run_files(place: CommandPlace, catalog: HookCatalog, trust: HookTrust) -> list[CaseResult]:
    runners = HookRunners(place.home.spool)
    try:
        return [result for source in catalog.policy_sources for result in await _run_file(runners, source, trust)]
    finally:
        await runners.close()


async def _run_file(runners: HookRunners, source: PolicySource, trust: HookTrust) -> tuple[CaseResult, ...]:
    standing = trust.examine(make_placeholder(source))
    text = read_content(str(find_cases(source)), CASES_LIMIT)
    if standing.refusal or not isinstance(text, bytes):
        return ()
    if source.trouble:
        return (CaseResult(policy=source.label, failed=(f"{source.file}: {source.trouble}",)),)
    place = PolicyFile(file=source.file, module=source.module, digest=source.digest, accepted=standing.contents)
    request = WorkerRequest(kind="cases", text=text.decode("utf-8", "replace"))
    answer = await runners.policies.ask(place, request, CASES_SECONDS)
    if isinstance(answer, Failure):
        return (CaseResult(policy=source.label, failed=(answer.message,)),)
    return tuple(_iter_results(source, answer))


def _iter_results(source: PolicySource, answer: msgspec.Raw) -> Iterator[CaseResult]:
    try:
        yield from msgspec.json.decode(answer, type=tuple[CaseResult, ...])
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        yield CaseResult(policy=source.label, failed=(f"no result that can be read: {error}",))
