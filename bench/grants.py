"""What exceptions cost: where there are none, a refusal where there are many, and a call that one lets through."""

import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import msgspec

from bench import load
from bench.line import Line, added
from bench.payload import event, line
from bench.spawn import Command, Samples, compile_spawner, sample
from bench.world import World, build
from synaptic.model.grant import Grant, RefusedAct
from synaptic.store import grants, refused
from synaptic.store.db import Store

MANY = 10_000
PATTERNS = 3
"""Of those, for the same policy and program."""
MOST_POLICIES = 5
"""Of those that may refuse the call one after another."""
PROMISED = 0.03


class Worlds(msgspec.Struct, frozen=True):
    """The same project three times: without exceptions, with many about other calls, and with one about this call."""

    none: World
    many: World
    lifted: World


def measured(folder: Path, rounds: int) -> list[Line]:
    """One line a kind of call: how much longer its median is where there are exceptions."""
    with ExitStack() as stack:
        worlds = Worlds(*(build(folder / name, name) for name in ("ungranted", "granted", "lifted")))
        for world in (worlds.none, worlds.many, worlds.lifted):
            stack.callback(world.stop)
            world.start()
            load.at_once(world, line(_make_refused(world)), 1)
        _fill(worlds)
        spawner = compile_spawner(folder)
        return [_added(name, sample(spawner, pair, rounds)) for name, pair in _pairs(worlds).items()]


def _fill(worlds: Worlds) -> None:
    act = _read_acts(worlds.many)[0]
    _put(worlds.many, list(_make_others(act)))
    _lift(worlds.lifted)


def _lift(world: World) -> None:
    """Make exceptions for whoever refuses the call, one after another, until nobody does."""
    for number in range(MOST_POLICIES):
        for act in _read_acts(world):
            _put(world, [_make(number, act, scope="always")])
        if b"permissionDecision" not in load.at_once(world, line(_make_refused(world)), 1)[0]:
            return


def _read_acts(world: World) -> tuple[RefusedAct, ...]:
    """What kept the call from running the last time, as the daemon has written it down."""
    store = Store.open(world.home)
    try:
        return refused.list_refused(store)[0].subject.acts
    finally:
        store.close()


def _put(world: World, made: list[Grant]) -> None:
    store = Store.open(world.home)
    try:
        grants.add_grants(store, made)
        store.checkpoint()
    finally:
        store.close()


def _make_others(act: RefusedAct) -> Iterator[Grant]:
    for number in range(MANY):
        if number < PATTERNS:
            yield _make(number, act, fingerprint="", like=f"rm -r lib{number}/*", subject="rm", scope="always")
        else:
            policy = act.policy if number % 2 else f"rule.{number % 50}"
            yield _make(number, act, policy=policy, fingerprint=f"{number:032x}")


def _make(number: int, act: RefusedAct, **changes: object) -> Grant:
    made = Grant(
        id=f"g{number}{act.policy}",
        at=time.time(),
        policy=act.policy,
        options=act.options,
        fingerprint=act.fingerprint,
        shown="a call that was refused",
    )
    return msgspec.structs.replace(made, **changes)


def _pairs(worlds: Worlds) -> dict[str, tuple[Command, Command]]:
    none, many, lifted = worlds.none, worlds.many, worlds.lifted
    return {
        f"{MANY:,} exceptions, a call that nobody minds": (_calm(none), _calm(many)),
        f"{MANY:,} exceptions, a refusal": (_refused(none), _refused(many)),
        "a call that an exception lets through, against its refusal": (_refused(none), _refused(lifted, speaks=False)),
    }


def _added(name: str, pair: tuple[Samples, ...]) -> Line:
    without, with_it = pair
    wrong = without.errors + with_it.errors
    found = added(f"{name} ({without.percentile(0.5):.2f} ms without)", without, with_it, PROMISED)
    return msgspec.structs.replace(found, met=False, measured=f"{wrong} wrong answers") if wrong else found


def _calm(world: World) -> Command:
    return _command(world, "calm", event(world.project), speaks=False)


def _refused(world: World, *, speaks: bool = True) -> Command:
    return _command(world, "refused", _make_refused(world), speaks=speaks)


def _make_refused(world: World) -> dict[str, object]:
    """Nobody could be asked in this mode: the same refused call again stays refused. It is never run."""
    return {**event(world.project, "rm -r /opt/elsewhere"), "permission_mode": "bypassPermissions"}


def _command(world: World, name: str, payload: dict[str, object], *, speaks: bool) -> Command:
    stdin = world.folder / f"{name}.json"
    stdin.write_bytes(line(payload))
    return msgspec.structs.replace(world.command(), stdin=stdin, speaks=speaks)
