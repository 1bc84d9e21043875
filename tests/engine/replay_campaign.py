"""`python -m tests.engine.replay_campaign [N [SEED]]`: N generated events through real engines, then all of them again.

With nothing changed no event may be decided otherwise. Each world is one user with one config; they take turns.
"""

import asyncio
import json
import random
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import msgspec

from synaptic.engine.past_catalog import CatalogChange
from synaptic.engine.past_facts import PastFacts
from synaptic.engine.replay import ReplayedEvent
from synaptic.engine.walk import Engine, open_engine
from synaptic.model.call import Answer, Request
from synaptic.store import grants, refused
from synaptic.store.db import Store
from synaptic.store.past_events import iter_past_events
from synaptic.work.replay import replay_events
from tests.daemon.setting import Setting
from tests.engine.replaying import EVER, NOTHING
from tests.engine.sessions import GeneratedSessions, Place, make_repository
from tests.lib.grants import grant_for

EVENTS, SEED = 100_000, 20
EVENTS_PER_WORLD = 4_000
RULES = """
[[rule]]
id = "our.curl"
run = "curl"
then = "deny"
say = "use the mirror"

[[rule]]
id = "our.tests"
edit = "tests/**"
then = "ask"
say = "tests are not changed lightly"

[[rule]]
id = "our.docs"
edit = "docs/**"
then = "advise"
say = "short sentences"
"""
MODES = """
[modes]
"@practice" = "advise"
"@sane" = "shadow"
"@no-such-preset" = "advise"
[policies."git.reset-hard"]
mode = "advise"
"""
HOOKED = "rules and hooks"
CONFIGS = {
    "essentials": "",
    "strict": 'presets = ["strict"]\n',
    HOOKED: f'presets = ["essentials", "practice"]\n{RULES}',
    "sane": 'presets = ["essentials", "sane"]\n',
    "modes": f'presets = ["strict"]\n{MODES}',
    "asking": 'presets = ["essentials", "strict"]\n[ask]\nwait = 0.01\n',
}
BLOCKS = """echo '{"action": "block", "reason": "not today"}'"""
WRITES = """echo '{"action": "modify", "modified_input": {"pattern": "*.c"}}'"""
HANDLE = re.compile(rb"synaptic allow ([2-9a-hj-km-np-z]+)")
SHARE_LIFTED = 0.25
"""Of the refusals, those that a person lifts."""
MOST_SHOWN = 20


class CampaignResult(msgspec.Struct):
    """What came of all events."""

    standings: Counter[str] = msgspec.field(default_factory=Counter)
    kinds: Counter[str] = msgspec.field(default_factory=Counter)
    why: Counter[str] = msgspec.field(default_factory=Counter)
    flips: list[ReplayedEvent] = []
    lifted: int = 0

    def add(self, one: ReplayedEvent) -> None:
        self.standings[str(one.standing)] += 1
        self.kinds[str(one.entry.decision.kind)] += 1
        self.lifted += bool(one.entry.decision.grants)
        if one.why:
            self.why[one.why] += 1
        if one.flips:
            self.flips.append(one)

    def describe(self) -> Iterator[str]:
        yield f"{self.standings.total()} events: {_list_counts(self.standings)}"
        yield f"decided: {_list_counts(self.kinds)}; an exception counted for {self.lifted}"
        yield from (f"  {count} {why}" for why, count in self.why.most_common(MOST_SHOWN))
        yield f"{len(self.flips)} are decided otherwise"


def describe_flip(one: ReplayedEvent) -> Iterator[str]:
    """An event and both decisions about it."""
    entry = one.entry
    yield f"  {entry.id} {one.standing} {entry.agent} {entry.event} {entry.tool} {(entry.payload or '')[:700]}"
    for word, decision in (("was", entry.decision), ("now", one.decision)):
        if decision is not None:
            yield f"     {word} {decision.kind} {decision.by} {decision.reason[:300]!r} {decision.input}"


def _list_counts(counts: Counter[str]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counts.most_common())


def make_world(folder: Path, name: str) -> Setting:
    """A user with this config and a project."""
    setting = Setting(folder)
    make_repository(setting.project)
    setting.config(f'trust = "all"\n{CONFIGS[name]}')
    if name == HOOKED:
        setting.register("quiet", "exit 0", matcher="WebFetch")
        setting.register("guard", BLOCKS, matcher="TodoWrite")
        setting.register("writer", WRITES, matcher="Glob")
        setting.register("fails", "exit 7", matcher="Grep", priority=40)
    return setting


class Person:
    """Somebody who lifts a refusal now and then: once, for the session, or in the project."""

    def __init__(self, engine: Engine, seed: int) -> None:
        self._store = engine.store
        self._random = random.Random(seed)

    def look(self, request: Request, answer: Answer) -> None:
        handle = HANDLE.search(answer.stdout)
        if handle is None or self._random.random() > SHARE_LIFTED:
            return
        session = str(json.loads(request.stdin).get("session_id", ""))
        lasting: dict[str, str] = {"scope": "session", "session": session}
        terms = self._random.choice(({}, lasting, {"scope": "here"}))
        for found in refused.find_by_code(self._store, handle[1].decode()):
            acts = [act for act in found.subject.acts if act.is_grantable]
            grants.add_grants(self._store, [grant_for(act, root=found.subject.root, **terms) for act in acts])


async def play(setting: Setting, seed: int, count: int) -> None:
    """So many events through one engine."""
    sends = GeneratedSessions(Place(setting.project, setting.user), seed).play()
    engine = open_engine(setting.home)
    person = Person(engine, seed)
    try:
        request = next(sends)
        for _ in range(count):
            answer = await engine.answer(request)
            person.look(request, answer)
            request = sends.send(answer)
    finally:
        await engine.close()


def iter_replayed(setting: Setting, change: CatalogChange = NOTHING) -> Iterator[ReplayedEvent]:
    """Everything in the journal, decided again, one after the other."""
    store = Store.open(setting.home)
    try:
        yield from replay_events(iter_past_events(store, EVER), PastFacts(store, change))
    finally:
        store.close()


def run_campaign(folder: Path, count: int, seed: int) -> CampaignResult:
    """Worlds by turns until all events are played."""
    result, names = CampaignResult(), tuple(CONFIGS)
    per_world = min(EVENTS_PER_WORLD, -(-count // len(names)))
    for number in range(-(-count // per_world)):
        name = names[number % len(names)]
        setting = make_world(folder / str(number), name)
        started = time.monotonic()
        asyncio.run(play(setting, seed * 1000 + number, min(per_world, count - number * per_world)))
        played, before = time.monotonic(), len(result.flips)
        for one in iter_replayed(setting):
            result.add(one)
        took = f"played in {played - started:.0f} s, again in {time.monotonic() - played:.0f} s"
        print(f"{number + 1}. {name}: {took}, {len(result.flips) - before} flips")
        print("".join(f"{line}\n" for one in result.flips[before:] for line in describe_flip(one)), end="", flush=True)
    return result


def main() -> int:
    count, seed = (int(word) for word in (*sys.argv[1:], *(EVENTS, SEED)[len(sys.argv) - 1 :]))
    with tempfile.TemporaryDirectory(prefix="replay-") as folder:
        result = run_campaign(Path(folder), count, seed)
    print("\n".join(result.describe()))
    return int(bool(result.flips))


if __name__ == "__main__":
    sys.exit(main())
