"""`python -m tests.engine.replay_campaign [N [SEED]]`: N generated events, decided by real engines, and all of them
decided again: with nothing changed none of them may be decided otherwise."""

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

from synaptic.engine.past_facts import PastFacts
from synaptic.engine.replay import ReplayedEvent, Standing
from synaptic.engine.walk import Engine, open_engine
from synaptic.engine.past_catalog import CatalogChange
from synaptic.model.call import Answer, Request
from synaptic.store import grants, refused
from synaptic.store.past_events import iter_past_events
from synaptic.work.replay import replay_events
from tests.daemon.setting import Setting
from tests.engine.sessions import GeneratedSessions, Place, make_repository
from tests.lib.grants import grant_for

EVENTS_PER_WORLD = 4_000
EVER = (0.0, 1e12)
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
CONFIGS = {
    "essentials": 'trust = "all"\n',
    "strict": 'trust = "all"\npresets = ["strict"]\n',
    "rules and hooks": f'trust = "all"\npresets = ["essentials", "practice"]\n{RULES}',
    "sane": 'trust = "all"\npresets = ["essentials", "sane"]\n',
    "modes": 'trust = "all"\npresets = ["strict"]\n[modes]\n"@practice" = "advise"\n"@sane" = "shadow"\n"git.*" = "advise"\n',
    "asking": 'trust = "all"\npresets = ["essentials", "strict"]\n[ask]\nwait = 0.01\n',
}
HOOKED = "rules and hooks"
HANDLE = re.compile(rb"synaptic allow ([2-9a-hj-km-np-z]+)")
SHARE_LIFTED = 0.25
"""Of the refusals that a person lifts."""


class CampaignResult(msgspec.Struct):
    """What came of all events."""

    events: int = 0
    standings: Counter[str] = msgspec.field(default_factory=Counter)
    kinds: Counter[str] = msgspec.field(default_factory=Counter)
    why: Counter[str] = msgspec.field(default_factory=Counter)
    flips: list[ReplayedEvent] = msgspec.field(default_factory=list)
    lifted: int = 0

    def add(self, one: ReplayedEvent) -> None:
        self.events += 1
        self.standings[str(one.standing)] += 1
        self.kinds[str(one.entry.decision.kind)] += 1
        self.lifted += bool(one.entry.decision.grants)
        if one.why:
            self.why[one.why] += 1
        if one.flips:
            self.flips.append(one)


def make_world(folder: Path, name: str) -> Setting:
    """A user with this config and a project."""
    setting = Setting(folder)
    make_repository(setting.project)
    setting.config(CONFIGS[name])
    if name == HOOKED:
        setting.register("quiet", "exit 0", matcher="WebFetch")
        setting.register("guard", 'echo \'{"action": "block", "reason": "not today"}\'', matcher="TodoWrite")
        setting.register("writer", """echo '{"action": "modify", "modified_input": {"pattern": "*.c"}}'""", matcher="Glob")
        setting.register("fails", "exit 7", matcher="Grep", priority=40)
    return setting


class Person:
    """Somebody who lifts a refusal now and then."""

    def __init__(self, engine: Engine, seed: int) -> None:
        self._store = engine.store
        self._random = random.Random(seed)

    def look(self, request: Request, answer: Answer) -> None:
        handle = HANDLE.search(answer.stdout)
        if handle is None or self._random.random() > SHARE_LIFTED:
            return
        session = str(json.loads(request.stdin).get("session_id", ""))
        terms: dict[str, object] = self._random.choice(({}, {"scope": "session", "session": session}, {"scope": "here"}))
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


def replay_all(setting: Setting, change: CatalogChange = CatalogChange()) -> Iterator[ReplayedEvent]:
    """Everything in the journal, decided again."""
    from synaptic.store.db import Store

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
        asyncio.run(play(setting, seed * 1000 + number, per_world))
        played, before = time.monotonic(), len(result.flips)
        for one in replay_all(setting):
            result.add(one)
        print(
            f"{number + 1}. {name}: {per_world} events in {played - started:.0f} s, "
            f"again in {time.monotonic() - played:.0f} s, {len(result.flips) - before} flips",
            flush=True,
        )
    return result


def main() -> int:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 20
    with tempfile.TemporaryDirectory(prefix="replay-") as folder:
        result = run_campaign(Path(folder), count, seed)
    print(f"{result.events} events: " + ", ".join(f"{n} {name}" for name, n in result.standings.most_common()))
    print("decided: " + ", ".join(f"{n} {name}" for name, n in result.kinds.most_common()) + f", {result.lifted} lifted")
    for why, number in result.why.most_common(20):
        print(f"  {number} {why}")
    print(f"{len(result.flips)} are decided otherwise")
    for one in result.flips[:20]:
        now = one.decision
        assert now is not None
        entry = one.entry
        print(f"  {entry.id} {one.standing} {entry.agent} {entry.event} {entry.tool} {(entry.payload or '')[:700]}")
        print(f"     was {entry.decision.kind} {entry.decision.by} {entry.decision.reason[:300]!r} {entry.decision.input}")
        print(f"     now {now.kind} {now.by} {now.reason[:300]!r} {now.input} ({one.why})")
    return int(any(one.standing is Standing.EXACT for one in result.flips))


if __name__ == "__main__":
    sys.exit(main())
