"""How long the verbs take that people type, beside other programs' quickest answers, in one run."""

import shutil
import subprocess  # noqa: TID251  the bench starts what it measures
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec

from bench import load
from bench.line import Line, at_most, skipped, timing
from bench.spawn import Command, Samples, compile_spawner, sample
from bench.world import World, build

VERBS = ("--version", "", "status", "tail", "explain", "list", "check ls")
MOST_MILLIS = 120
OTHERS = ("git status", "node --version", "npm --version", "python3 -c pass", "gh --version", "uv --version")
SHARE = 40
"""One run for so many of a dispatch: these are slow, and their medians are what counts."""


def measured(folder: Path, rounds: int) -> list[Line]:
    """Every verb and every other program that is here, as multiples of `/bin/true`, with a daemon that runs."""
    world = build(folder / "startup", "startup")
    world.start()
    try:
        load.at_once(world, world.command().stdin.read_bytes(), 1)  # an event to show
        others = list(_list_others(folder, world))
        commands = [_make_command(world, "/bin/true", ("/bin/true",), speaks=False), *_list_verbs(world)]
        found = [one for one in others if isinstance(one, Command)]
        true, *rest = sample(compile_spawner(folder), [*commands, *found], max(rounds // SHARE, 5))
    finally:
        world.stop()
    verbs = rest[: len(VERBS)]
    missing = [skipped(name, "not installed") for name in others if isinstance(name, str)]
    return [*(timing(one, true) for one in rest), *missing, _judge_slowest(verbs)]


def _judge_slowest(verbs: list[Samples]) -> Line:
    slowest = max(verbs, key=lambda one: one.percentile(0.5))
    return at_most(f"slowest verb ({slowest.name})", slowest.percentile(0.5), MOST_MILLIS, "ms")


def _list_verbs(world: World) -> Iterator[Command]:
    program = str(Path(sys.executable).with_name("synaptic"))
    for verb in VERBS:
        yield _make_command(world, f"synaptic {verb}".strip(), (program, *verb.split()))


def _list_others(folder: Path, world: World) -> Iterator[Command | str]:
    """The commands that are installed, and the names of those that are not."""
    repository = folder / "repository"
    for name in OTHERS:
        program, *words = name.split()
        path = shutil.which(program)
        if path is None:
            yield name
            continue
        if program == "git":
            subprocess.run([path, "init", "-q", str(repository)], check=True)
            words = ["-C", str(repository), *words]
        yield _make_command(world, name, (path, *words), speaks=name != "python3 -c pass")


def _make_command(world: World, name: str, argv: tuple[str, ...], speaks: bool = True) -> Command:
    return msgspec.structs.replace(world.command(), name=name, argv=argv, speaks=speaks)
