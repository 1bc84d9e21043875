"""What other agents do with an answer: a small model of each reader, as it was observed in the true clients.

Each stands in `reader.py` beside the agent's goldens. It is given the event as the agent names it. `None` from it means
that the client takes the hook for failed and goes on as if it had said nothing. Keys that a reader does not know fail
the test where the client would drop them: whoever writes them believes in something that does not happen.
"""

import json
from collections.abc import Callable
from functools import cache
from importlib import import_module

import msgspec

from synaptic.model.call import Answer


class Heard(msgspec.Struct, kw_only=True):
    """What the client takes from an answer."""

    blocked: bool = False
    asked: bool = False
    allowed: bool = False
    reason: str = ""
    input: dict | None = None
    context: str = ""
    user: str = ""


Reader = Callable[[str, Answer], Heard | None]


@cache
def reader(agent: str) -> Reader:
    """How an agent reads answers."""
    found: Reader = import_module(f"tests.agents.{agent}.reader").hear
    return found


def read_json(answer: Answer) -> dict | None:
    """Strict JSON, or nothing."""
    return json.loads(answer.stdout.decode()) if answer.stdout.strip() else None


def by_exit(answer: Answer) -> Heard:
    text = answer.stderr.decode().strip()
    return Heard(blocked=answer.exit == 2 and bool(text), reason=text)


def read_known(answer: Answer, *known: str) -> dict:
    """JSON in which every key means something to the client."""
    assert answer.exit == 0, "an exit code says something else here"
    body = json.loads(answer.stdout.decode()) if answer.stdout else {}
    assert body.keys() <= set(known), body
    return body
