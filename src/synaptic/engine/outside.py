"""Find out what files with policies from outside hold, by asking a worker of each, and remember it by their digest."""

import asyncio
import hashlib
import os
import time
from collections import OrderedDict
from contextlib import suppress

import msgspec

import synaptic
from synaptic.engine.last_known import KnownPolicies
from synaptic.files.bounded import read_content
from synaptic.files.replace import replace_own
from synaptic.hooks.catalog import HookCatalog
from synaptic.hooks.outside import FileFinding, find_fault, join_findings, make_placeholder
from synaptic.hooks.trust import MAY_RUN, HookStanding, HookTrust
from synaptic.model.decision import Failure
from synaptic.model.home import Home
from synaptic.model.outside import PolicySource
from synaptic.runners.policies import PolicyFile, PolicyRunner
from synaptic.runners.policy_wire import FileDescription, WorkerRequest

DESCRIBE_SECONDS = 5.0
"""For a file to be loaded, and to say what it holds."""
LEAST_RETRY_SECONDS = 10.0
RETRY_SHARE = 20.0
"""A file that could not be asked is asked again, though it has not changed, after so many times what asking took: a
library may have been mended, or the machine was too busy, and one that hangs must not make every event wait for it."""
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
        self._known = KnownPolicies(home.described)
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
        started = time.monotonic()

        async def find(source: PolicySource, standing: HookStanding) -> FileFinding:
            if standing.refusal:
                return self._hold_refused(source, standing)
            if source.trouble:
                return self._hold(source, f"{source.file}: {source.trouble}")
            async with turn:
                return await self._ask_file(catalog, source, standing)

        pairs = zip(catalog.policy_sources, standings, strict=True)
        findings = tuple(await asyncio.gather(*(find(source, standing) for source, standing in pairs)))
        whole = join_findings(catalog, findings)
        ended = time.monotonic()
        is_whole = not any(one.broken and one.is_asked for one in findings)
        ends = float("inf") if is_whole else ended + max(LEAST_RETRY_SECONDS, RETRY_SHARE * (ended - started))
        self._joined[id(catalog)] = _Joined(catalog, standings, whole, ends)
        if len(self._joined) > MAX_JOINED:
            self._joined.popitem(last=False)
        return whole

    async def _ask_file(self, catalog: HookCatalog, source: PolicySource, standing: HookStanding) -> FileFinding:
        request = _make_request(catalog)
        name = f"{self._folder}/{_hash_question(source, standing, request)}.json"
        if known := _read_description(name):
            return self._note(source, known)
        place = PolicyFile(
            file=source.file,
            module=source.module,
            digest=source.digest,
            accepted=standing.contents,
        )
        answer = await self._runner.ask(place, request, DESCRIBE_SECONDS)
        if isinstance(answer, Failure):
            where = "" if answer.message.startswith(source.file) else f"{source.file}: "
            return self._hold(source, f"{where}{answer.message}")
        try:
            found = msgspec.json.decode(answer, type=FileDescription)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            return self._hold(source, f"{source.file}: told nothing that can be read: {error}")
        self._keep_description(name, bytes(answer))
        return self._note(source, found)

    def _note(self, source: PolicySource, found: FileDescription) -> FileFinding:
        """What a file holds, for the day when it cannot be asked. A policy that is in it no more is gone.

        One that is in it and cannot be used, while it could before, is known as it was then.
        """
        faulty = {policy.id for policy in found.policies if find_fault(policy)}
        before = tuple(policy for policy in self._known.recall(source) if policy.id in faulty)
        usable = tuple(policy for policy in found.policies if policy.id not in faulty)
        trouble = self._known.keep(source, (*usable, *before))
        problems = (*found.problems, *((trouble,) if trouble else ()))
        return FileFinding(source, found.policies, problems, known=before)

    def _hold(self, source: PolicySource, why: str) -> FileFinding:
        """A file that cannot be asked still has the policies that it was last known to hold: each of them fails."""
        return FileFinding(source, known=self._known.recall(source), broken=why)

    def _hold_refused(self, source: PolicySource, standing: HookStanding) -> FileFinding:
        """The same for a file that must not be asked: one that was wanted, and was changed or taken away since.

        Of a repository's file that has changed since it was agreed to, only the guards that deny fail. The others are
        left out until somebody agrees again, as with every hook of a repository.
        """
        known = self._known.recall(source) if standing.fails or standing.was_agreed else ()
        if not standing.fails:
            known = tuple(policy for policy in known if policy.on_error == "deny")
        return FileFinding(source, is_asked=False, known=known, broken=standing.refusal if known else "")

    def _keep_description(self, name: str, answer: bytes) -> None:
        """For the next process. Where it cannot be kept, that asks again."""
        with suppress(OSError):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if len(old := os.listdir(self._folder)) >= MAX_KEPT:  # noqa: PTH208 - names only
                for one in old:
                    (self._folder / one).unlink(missing_ok=True)
            replace_own(name, answer, 0o600)


def recall_outside(home: Home, catalog: HookCatalog, trust: HookTrust) -> HookCatalog:
    """The catalog with its policies from outside as they were told last: no process is started, nothing is written."""
    known, folder = KnownPolicies(home.described), home.run / "policies"

    def recall(source: PolicySource) -> FileFinding:
        name = _hash_question(source, _examine(source, trust), _make_request(catalog))
        found = _read_description(f"{folder}/{name}.json")
        return FileFinding(source, found.policies if found else known.recall(source))

    return join_findings(catalog, tuple(map(recall, catalog.policy_sources))) if catalog.policy_sources else catalog


def _make_request(catalog: HookCatalog) -> WorkerRequest:
    tables = tuple(dict(file.outside) for file in catalog.policy_settings)
    return WorkerRequest(kind="describe", tables=tables)  # type: ignore[arg-type]  # read-only there


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
