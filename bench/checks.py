"""How many decisions a second `synaptic check --policies-only --jsonl` makes, its start included."""

import json
import subprocess  # noqa: TID251  the bench starts what it measures
import sys
import time
from pathlib import Path

from bench.payload import COMMANDS
from bench.world import World


def per_second(world: World, count: int) -> tuple[float, int]:
    """Lines a second, and how many lines got no decision."""
    questions = world.folder / "questions.jsonl"
    questions.write_text("".join(_question(world, number) for number in range(count)))
    command = [str(Path(sys.executable).with_name("synaptic")), "check", "--policies-only", "--jsonl"]
    start = time.perf_counter()
    with questions.open() as stdin:
        done = subprocess.run(command, stdin=stdin, env=world.env, cwd=world.project, capture_output=True, check=True)
    took = time.perf_counter() - start
    answered = sum(1 for line in done.stdout.splitlines() if "decision" in json.loads(line))
    return count / took, count - answered


def _question(world: World, number: int) -> str:
    command = COMMANDS[number % len(COMMANDS)]
    return json.dumps({"tool_name": "Bash", "tool_input": {"command": command}, "cwd": str(world.project)}) + "\n"
