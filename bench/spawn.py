"""Runs commands in turn, round after round, so that whatever disturbs the machine disturbs them all alike."""

import subprocess  # noqa: TID251  the bench starts what it measures
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

SOURCE = Path(__file__).with_name("spawn.c")
WARM_UP = 20
"""Rounds before those that count."""


class Command(msgspec.Struct, frozen=True):
    """Something to spawn: what it reads, what it must answer, and how rarely it takes part in a round."""

    name: str
    argv: tuple[str, ...]
    stdin: Path
    env: Mapping[str, str]
    stride: int = 1
    speaks: bool = False
    """An answer on stdout is expected; a command that is silent then has failed."""


class Samples(msgspec.Struct, frozen=True):
    """How long each run took, in milliseconds, sorted; and how many runs went wrong."""

    name: str
    millis: tuple[float, ...]
    errors: int

    def percentile(self, share: float) -> float:
        return self.millis[min(len(self.millis) - 1, int(share * len(self.millis)))]


def compile_spawner(folder: Path) -> Path:
    """The spawner, built for this machine."""
    program = folder / "spawn"
    subprocess.run(["cc", "-O2", "-Wall", "-Wextra", "-o", str(program), str(SOURCE)], check=True)
    return program


def sample(spawner: Path, commands: Sequence[Command], rounds: int, warm_up: int = WARM_UP) -> tuple[Samples, ...]:
    """Samples of every command, in the order given."""
    plan = b"".join(_plan(command) for command in commands)
    done = subprocess.run([str(spawner), str(rounds), str(warm_up)], input=plan, capture_output=True, check=True)
    runs = [tuple(int(word) for word in line.split()) for line in done.stdout.splitlines()]
    return tuple(_samples(command, [run for run in runs if run[0] == i]) for i, command in enumerate(commands))


def _plan(command: Command) -> bytes:
    env = [f"{key}={value}" for key, value in command.env.items()]
    head = [str(command.stride), str(command.stdin)]
    fields = [*head, str(len(command.argv)), *command.argv, str(len(env)), *env]
    return b"".join(field.encode() + b"\0" for field in fields)


def _samples(command: Command, runs: Sequence[tuple[int, ...]]) -> Samples:
    wrong = sum(1 for _, _, code, size in runs if code or bool(size) is not command.speaks)
    return Samples(command.name, tuple(sorted(nanos / 1e6 for _, nanos, _, _ in runs)), wrong)
