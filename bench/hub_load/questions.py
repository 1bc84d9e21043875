"""What people ask of the hub, over HTTP with a reader's token, and how long the answers take."""

import json
import statistics
import time
from http.client import HTTPConnection
from urllib.parse import urlencode

import msgspec

from synaptic.hub.server.desk import ask_database
from synaptic.hub.server.secrets import add_token
from synaptic.hub.wire import API

RUNS = 15


class Question(msgspec.Struct, frozen=True):
    """One of them, in words and as it is asked."""

    name: str
    path: str
    asked: dict[str, str] = {}


class Answered(msgspec.Struct, frozen=True):
    """Milliseconds, and how many rows came."""

    name: str
    p50: float
    p95: float
    rows: int


def list_questions(rare: str, host: str, common: str = "git") -> list[Question]:
    """`rare` is a word that a handful of events have."""
    day = {"since": f"{time.time() - 2 * 86400:.0f}"}
    return [
        Question("fleet", "hosts"),
        Question("newest events", "events"),
        Question(f"search, a common word (`{common}`)", "events", {"q": common}),
        Question("search, a rare word", "events", {"q": rare}),
        Question("search, a rare word of the last two days", "events", {"q": rare, **day}),
        Question("search, two common words", "events", {"q": f"{common} parser"}),
        Question("search, a common and a rare word", "events", {"q": f"{common} {rare}"}),
        Question("search, a common word in what was refused", "events", {"q": common, "kind": "refused"}),
        Question("search, a word of a few hundred events (`300`)", "events", {"q": "300"}),
        Question("search, three words, each not rare", "events", {"q": "gateway cache docker"}),
        Question("search, a path", "events", {"q": "src/gateway/cache_300.py"}),
        Question(f"search, a common word on one host (`{common}`)", "events", {"q": common, "host": host}),
        Question("search, a word that is nowhere", "events", {"q": "nowhereatall"}),
        Question("events of one policy", "events", {"policy": "secrets.files"}),
        Question("refused", "events", {"kind": "refused"}),
        Question("denials by policy", "denials"),
        Question("days", "days"),
        Question("sessions", "sessions"),
        Question("latency of hooks", "latency"),
        Question("versions", "versions"),
    ]


class Asker:
    """A person with a token."""

    def __init__(self, database: str, port: int, name: str = "bench") -> None:
        token = ask_database(database, lambda connection: add_token(connection, f"{name}-{time.time_ns()}", "reader"))
        self._headers = {"authorization": f"Bearer {token}"}
        self._connection = HTTPConnection("127.0.0.1", port, timeout=120)

    def ask(self, question: Question) -> tuple[float, int]:
        """Milliseconds until the answer was read, and its rows."""
        target = f"{API}/{question.path}?{urlencode(question.asked)}"
        began = time.perf_counter()
        self._connection.request("GET", target, headers=self._headers)
        answer = self._connection.getresponse()
        body = answer.read()
        taken = (time.perf_counter() - began) * 1000
        if answer.status != 200:
            return taken, -answer.status
        return taken, len(json.loads(body)[question.path])

    def measure(self, question: Question, runs: int = RUNS) -> Answered:
        self.ask(question)
        found = [self.ask(question) for _ in range(runs)]
        times = sorted(taken for taken, _ in found)
        return Answered(
            question.name, statistics.median(times), times[min(int(len(times) * 0.95), len(times) - 1)], found[0][1]
        )
