"""From a person's yes to the answer of a call that waits for it."""

import json
import subprocess  # noqa: TID251  the bench starts what it measures
import time
from pathlib import Path

from bench.line import Line, at_most
from bench.payload import event, line
from bench.world import World, build
from synaptic.model.grant import Grant, RefusedAct
from synaptic.store import grants, refused
from synaptic.store.db import Store

ASKED = "terraform destroy -auto-approve"
MOST_MILLIS = 200.0
ROUNDS = 20


def measure_held(folder: Path) -> list[Line]:
    """The slowest of some calls, each in a process of its own, as an agent's hook is; the yes comes from another."""
    world = build(folder / "held", "a call that waits")
    with world.home.config.open("a") as config:
        config.write("[ask]\nwait = 60\n")
    world.start()
    store = Store.open(world.home)
    try:
        slowest = max(_answer_once(world, store) for _ in range(ROUNDS))
    finally:
        store.close()
        world.stop()
    return [at_most("from the yes to a call that waits, to its answer (slowest)", slowest, MOST_MILLIS, "ms")]


def _answer_once(world: World, store: Store) -> float:
    given = {**event(world.project), "tool_input": {"command": ASKED}}
    waiting = subprocess.Popen(
        (str(world.home.dispatch), "codex", "PreToolUse"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=world.env
    )
    assert waiting.stdin
    before = sum(one.count for one in refused.list_refused(store))
    waiting.stdin.write(line(given))
    waiting.stdin.close()
    waiting.stdin = None
    while sum(one.count for one in refused.list_refused(store)) == before:
        time.sleep(0.01)
    (question,) = refused.list_refused(store)
    begin = time.perf_counter()
    grants.add_grants(store, [_allow(act) for act in question.subject.acts])
    told = waiting.communicate(timeout=60)[0]
    if told:
        raise RuntimeError(f"it was not let through: {json.loads(told)}")
    return (time.perf_counter() - begin) * 1000


def _allow(act: RefusedAct) -> Grant:
    named = {"policy": act.policy, "options": act.options, "fingerprint": act.fingerprint, "stakes": act.stakes}
    return Grant(id=grants.make_grant_id(), at=time.time(), **named)
