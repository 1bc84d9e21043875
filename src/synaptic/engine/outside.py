"""Find out what files with policies from outside hold, by asking a worker of each, and remember it by their digest."""

import asyncio
import hashlib
import os
import time
from collections import OrderedDict
from contextlib import suppress

import msgspec

import synaptic
from synaptic.files.bounded import read_content
from synaptic.files.replace import replace_own
from synaptic.hooks.catalog import HookCatalog
from synaptic.hooks.outside import FileFinding, join_findings, make_placeholder
from synaptic.hooks.trust import MAY_RUN, HookStanding, HookTrust
from synaptic.model.decision import Failure
from synaptic.model.home import Home
from synaptic.model.outside import PolicySource
from synaptic.runners.policies import PolicyFile, PolicyRunner
from synaptic.runners.policy_wire import FileDescription, WorkerRequest

DESCRIBE_SECONDS = 5.0
"""For a file to be loaded, and to say what it holds."""
RETRY_SECONDS = 300.0
"""After this long, a file that could not be asked is asked again, though it has not changed."""
MAX_AT_ONCE = 2
MAX_JOINED = 64
MAX_KEPT = 500
"""Descriptions on the disk."""
DESCRIPTION_LIMIT = 4 << 20

Standings = tuple[HookStanding, ...]


class _Joined(msgspec.Struct):
    """A catalog with what its files held, while nothing about them changes."""

    plain: HookCatalog
    standings: Standings
    whole: HookCatalog
    ends: float


class OutsidePolicies:
    """The policies from outside of one home. What they hold is asked once for each content."""

    def __init__(self, home: Home, runner: PolicyRunner) -> None:
        self._folder = home.run / "policies"
        self._runner = runner
        self._joined: OrderedDict[int, _Joined] = OrderedDict()
        self._joining: dict[int, asyncio.Future[HookCatalog]] = {}

    async def join(self, catalog: HookCatalog, trust: HookTrust) -> HookCatalog:
        """The catalog with its policies from outside; a file of a repository that nobody has agreed to is not asked."""
        standings = tuple(_examine(source, trust) for source in catalog.policy_sources)
        known = self._joined.get(id(catalog))
        if known and known.plain is catalog and known.standings == standings and time.monotonic() < known.ends:
            return known.whole
        joining = self._joining.get(id(catalog))
        if joining is None:
            joining = asyncio.ensure_future(self._join_anew(catalog, standings))
            self._joining[id(catalog)] = joining
            joining.add_done_callback(lambda _: self._joining.pop(id(catalog), None))
        return await asyncio.shield(joining)

    async def _join_anew(self, catalog: HookCatalog, standings: Standings) -> HookCatalog:
        turn = asyncio.Semaphore(MAX_AT_ONCE)

        async def find(source: PolicySource, standing: HookStanding) -> FileFinding:
            if standing.refusal:
                return FileFinding(source, is_asked=False)
            async with turn:
                return await self._ask_file(catalog, source, standing)

        pairs = zip(catalog.policy_sources, standings, strict=True)
        findings = tuple(await asyncio.gather(*(find(source, standing) for source, standing in pairs)))
        whole = join_findings(catalog, findings)
        is_whole = all(one.policies or not one.is_asked or not one.problems for one in findings)
        ends = float("inf") if is_whole else time.monotonic() + RETRY_SECONDS
        self._joined[id(catalog)] = _Joined(catalog, standings, whole, ends)
        if len(self._joined) > MAX_JOINED:
            self._joined.popitem(last=False)
        return whole

    async def _ask_file(self, catalog: HookCatalog, source: PolicySource, standing: HookStanding) -> FileFinding:
        tables = tuple(dict(file.outside) for file in catalog.policy_settings)
        request = WorkerRequest(kind="describe", tables=tables)  # type: ignore[arg-type]  # read-only there
        name = f"{self._folder}/{_hash_question(source, standing, request)}.json"
        if known := _read_description(name):
            return FileFinding(source, known.policies, known.problems)
        place = PolicyFile(
            file=source.file,
            module=source.module,
            digest=source.digest,
            accepted=standing.contents,
        )
        answer = await self._runner.ask(place, request, DESCRIBE_SECONDS)
        if isinstance(answer, Failure):
            where = "" if answer.message.startswith(source.file) else f"{source.file}: "
            return FileFinding(source, problems=(f"{where}{answer.message}; no policy of this file runs",))
        try:
            found = msgspec.json.decode(answer, type=FileDescription)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            return FileFinding(source, problems=(f"{source.file}: told nothing that can be read: {error}",))
        self._keep_description(name, bytes(answer))
        return FileFinding(source, found.policies, found.problems)

    def _keep_description(self, name: str, answer: bytes) -> None:
        """For the next process. Where it cannot be kept, that asks again."""
        with suppress(OSError):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if len(old := os.listdir(self._folder)) >= MAX_KEPT:  # noqa: PTH208 - names only
                for one in old:
                    (self._folder / one).unlink(missing_ok=True)
            replace_own(name, answer, 0o600)


def _examine(source: PolicySource, trust: HookTrust) -> HookStanding:
    """Whether a file may be asked. This is looked at for every event."""
    return trust.examine(make_placeholder(source)) if source.is_local or source.skill else MAY_RUN


def _hash_question(source: PolicySource, standing: HookStanding, request: WorkerRequest) -> str:
    """All that an answer depends on: the file and its neighbours, what of it may run, the options, this program."""
    sums = standing.contents or {}
    accepted = None if standing.contents is None else sorted((path, *sorted(found)) for path, found in sums.items())
    asked = (synaptic.__version__, source.file, source.digest, source.module, accepted, request.tables)
    return hashlib.sha256(msgspec.json.encode(asked)).hexdigest()


def _read_description(name: str) -> FileDescription | None:
    content = read_content(name, DESCRIPTION_LIMIT)
    try:
        return msgspec.json.decode(content, type=FileDescription) if isinstance(content, bytes) else None
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
