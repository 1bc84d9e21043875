"""One event of an orchestrator, from whoever has one: completed, checked, and answered with the merged result."""

import os
import time
from collections.abc import Mapping
from typing import Any

import msgspec

from synaptic.agents.shared.discover import OWN_NAME
from synaptic.daemon import client, fallback
from synaptic.model.call import Answer, Request
from synaptic.model.context import describe_fault
from synaptic.model.home import Home
from synaptic.pipeline.decide import BLOCKING_ONLY

SESSION_VARIABLE = "SYNAPTIC_SESSION"
SPEAK_AS_USER = "speak as the user"


class Emission(msgspec.Struct, frozen=True, kw_only=True):
    """An event, its context, and who is asked."""

    event: str
    context: Mapping[str, Any]
    blocking_only: bool = False


class EmissionResult(msgspec.Struct, frozen=True, kw_only=True):
    """What the hooks said together."""

    result: dict[str, Any]
    blocked: bool
    warnings: tuple[str, ...]


def complete_context(event: str, context: Mapping[str, Any], root: str) -> dict[str, Any]:
    """The context with what can be derived: its event, a session, the time, the repository."""
    derived = {
        "event_type": event,
        # The parent is usually a shell: what is typed in one terminal is one session.
        "session_id": os.environ.get(SESSION_VARIABLE) or f"cli-{os.getppid()}",
        "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    }
    return {**derived, **({"repository_root": root} if root else {}), **context}


def make_request(emission: Emission, env: Mapping[str, str]) -> Request:
    """Build the request that the engine is asked with."""
    marked = {**env, BLOCKING_ONLY: "1"} if emission.blocking_only else dict(env)
    stdin = msgspec.json.encode(emission.context)
    return Request(agent=OWN_NAME, event=emission.event, stdin=stdin, id=client.new_call_id(), env=marked)


def emit_through(home: Home, emission: Emission) -> EmissionResult:
    """Ask the daemon, or run the engine here when there is none."""
    # It counts before the context's folder, and the session around us may be about another project.
    env = {name: value for name, value in os.environ.items() if name != "CLAUDE_PROJECT_DIR"}
    request = msgspec.structs.replace(make_request(emission, env), cwd=client.find_own_folder())
    return read_result(emission, client.send_request(home, request) or _answer_in_process(home, request))


def read_result(emission: Emission, answer: Answer) -> EmissionResult:
    """Read an answer into values; a context with a wrong field is one of the warnings."""
    lines = answer.stderr.decode("utf-8", "replace").splitlines()
    broken = describe_fault(emission.event, emission.context)
    warnings = dict.fromkeys((*([broken] if broken else []), *(line.removeprefix("synaptic: ") for line in lines)))
    result = msgspec.json.decode(answer.stdout, type=dict[str, Any]) if answer.stdout else {}
    return EmissionResult(result=result, blocked=answer.exit == 2, warnings=tuple(warnings))


def _answer_in_process(home: Home, request: Request) -> Answer:
    given: list[Answer] = []
    fallback.answer_in_turn(home, request, given.append)
    return given[0]
