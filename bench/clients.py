"""What other agents cost: their adapters in microseconds, and true sessions with and without us in seconds."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from tests.clients.client import NoClient
from tests.clients.kit.agents import AGENTS as DRIVEN
from tests.clients.kit.agents import driver
from tests.clients.kit.driver import Driver, User

from bench.line import Line, at_most, skipped
from synaptic.agents.shared.discover import find_adapter, list_agent_names
from synaptic.model.call import Request
from synaptic.model.decision import Decision, Kind

RECORDED = Path(__file__).parents[1] / "tests" / "agents"
MICROSECONDS = 100
REPEATS = 200
CALLS = 5
SESSIONS = 2
NAMED = ("copilot", "codex", "gemini", "qwen", "droid", "claude")
"""Agents whose entries name the event."""


def adapters() -> Iterator[Line]:
    """The dearest recorded event of each agent: decoded, its refusal degraded and encoded."""
    for agent in list_agent_names():
        dearest = max(_micros(request) for request in _requests(agent))
        yield at_most(f"adapter of {agent}, its dearest event", dearest, MICROSECONDS, "µs")


def sessions() -> Iterator[Line]:
    """One session with five shell calls, the best of two, with our entries and without any."""
    for agent in DRIVEN:
        try:
            yield _session(agent, driver(agent))
        except NoClient as error:
            yield skipped(f"session of {agent}", str(error))


def _requests(agent: str) -> Iterator[Request]:
    for file in sorted((RECORDED / agent).rglob("*.json")):
        if "schemas" in file.parts:
            continue
        data, env = file.read_bytes(), {}
        if agent == "amp":
            found = json.loads(data)
            data, env = json.dumps(found["stdin"]).encode(), found["env"]
        name = file.name.partition(".")[0] if agent in NAMED else "PreToolUse" if agent == "amp" else ""
        yield Request(agent, name, data, "1", env)


def _micros(request: Request) -> float:
    wire = find_adapter(request.agent)
    refused = Decision(kind=Kind.DENY, by="bench", reason="not here; write into the project instead")
    spent = []
    for _ in range(REPEATS):
        started = time.perf_counter_ns()
        call = wire.decode(request)
        wire.encode(call, wire.degrade(call, refused))
        spent.append(time.perf_counter_ns() - started)
    return median(spent) / 1000


def _session(agent: str, drives: Driver) -> Line:
    user = User(drives)
    try:
        turns = [(drives.shell(f"echo step {number}"),) for number in range(CALLS)]
        alone = min(user.run(*turns).seconds for _ in range(SESSIONS))
        user.session.synaptic("bootstrap", *drives.bootstrap)
        user.run(*turns)
        ours = min(user.run(*turns).seconds for _ in range(SESSIONS))
        events = len(user.session.journal()) // (SESSIONS + 1)
    finally:
        user.close()
    measured = f"{alone:.2f} s alone, {ours:.2f} s with us ({events} events)"
    return Line(
        name=f"session of {agent}, {CALLS} shell calls", measured=measured, values={"alone": alone, "with_us": ours}
    )
