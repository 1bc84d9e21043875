"""What simulated hosts ship: batches of events like those of a developer's day, packed as a host packs them."""

import gzip
import random
import time
from collections.abc import Iterator

import msgspec

from synaptic.hub.wire import EventBatch, HookRun, ShippedEvent

GZIP_LEVEL = 1
TOOLS = (
    ("Bash",) * 8 + ("Read",) * 6 + ("Edit",) * 4 + ("Grep",) * 3 + ("Write", "Glob", "WebFetch", "mcp__tracker__find")
)
EVENTS = ("PreToolUse",) * 9 + ("PostToolUse",) * 9 + ("UserPromptSubmit", "Stop")
KINDS = ("none",) * 190 + ("advise",) * 3 + ("rewrite",) * 2 + ("deny",) * 4 + ("ask",)
HOOKS = (
    "git.force-push", "git.commit-everything", "paths.outside-project", "secrets.files", "shell.pipe-to-shell",
    "sane.refuse", "audit.tool-use", "code.unknown-launcher", "work.claims", "files.lock-files",
)  # fmt: skip
PROGRAMS = (
    "git status",
    "git diff",
    "pytest -q",
    "rg -n",
    "ls -la",
    "sed -n 1,80p",
    "make test",
    "npm run build",
    "curl -s",
)
NAMES = (
    "parser",
    "config",
    "session",
    "engine",
    "store",
    "router",
    "index",
    "client",
    "render",
    "schema",
    "token",
    "queue",
)
REASON = "The branch is protected: push with --force-with-lease, or ask its owner"


class HostEvents:
    """One developer: a project or two, sessions of some hundred events."""

    def __init__(self, seed: int, host: int) -> None:
        self._source = random.Random(f"{seed} {host}")
        self._host, self._seq = host, 0
        self.is_full = host % 4 == 0
        """Every fourth host ships its texts."""

    @property
    def seq(self) -> int:
        return self._seq

    def make(self, count: int, at: float) -> tuple[ShippedEvent, ...]:
        return tuple(self._make_one(at + number * 1e-4) for number in range(count))

    def pack(self, count: int, at: float) -> bytes:
        """The body of the next batch, as it travels."""
        after = self._seq
        plain = msgspec.json.encode(EventBatch(after, self.make(count, at)))
        return gzip.compress(plain, GZIP_LEVEL, mtime=0) if len(plain) >= 1024 else plain

    def _make_one(self, at: float) -> ShippedEvent:
        source = self._source
        self._seq += 1
        kind, tool = source.choice(KINDS), source.choice(TOOLS)
        by = source.choice(HOOKS) if kind != "none" else ""
        said = (HookRun(by, kind, source.randrange(20, 900)),) if by else ()
        project = f"~/src/{source.choice(NAMES)}-{self._host % 97}"
        return ShippedEvent(
            seq=self._seq, call=f"{int(at * 1000):012x}{source.getrandbits(64):016x}{self._host:04x}", at=at,
            agent="claude" if self._host % 3 else "codex", event=source.choice(EVENTS), tool=tool, project=project,
            session=f"{self._host:08x}-5f{self._seq // 300:06x}", kind=kind, by=by,
            code=f"k{source.getrandbits(24):06x}" if kind in ("deny", "ask") else "",
            micros=int(source.lognormvariate(7.0, 0.6)), size=source.randrange(300, 6000),
            tool_use=f"toolu_{source.getrandbits(80):020x}", quiet=38, runs=(*said, *self._make_runs()),
            subject=self._make_subject() if self.is_full else "", reason=REASON if self.is_full and by else "",
        )  # fmt: skip

    def _make_runs(self) -> Iterator[HookRun]:
        """What policies that look at every call have cost; most of them are only counted."""
        for hook in self._source.sample(HOOKS, 2):
            yield HookRun(hook, "none", self._source.randrange(10, 400))

    def _make_subject(self) -> str:
        source = self._source
        return (
            f"{source.choice(PROGRAMS)} src/{source.choice(NAMES)}/{source.choice(NAMES)}_{source.randrange(4000)}.py"
        )


def measure_bytes(count: int = 500) -> tuple[float, float]:
    """Bytes of an event as it travels, in batches of so many, packed and plain; one host in four ships its texts."""
    packed = plain = 0
    for host in range(8):
        events = HostEvents(0, host)
        body = events.pack(count, time.time())
        packed += len(body)
        plain += len(gzip.decompress(body)) if body[:2] == b"\x1f\x8b" else len(body)
    return packed / (8 * count), plain / (8 * count)
