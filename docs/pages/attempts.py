"""How often somebody tried to get past the guard: the attempts in tests/security, counted by harness and topic."""

from collections import Counter
from collections.abc import Iterator, Sequence

from tests.security.collect import Attempt, collect_attempts

from docs.pages.table import HEADER, table

PATH = "docs/attempts.md"
HARNESSES = {
    "repository": "a repository that somebody cloned",
    "agent": "the agent itself, or what it starts",
    "packages": "a package, a registry or a lockfile",
    "differentials": "a command that a shell reads differently than we do",
}
INTRO = """\
# Attempts

Each attempt is a test in [tests/security](../tests/security): it tries to get past the guard, and passes when it does
not. A known hole is an attempt that still gets through; its test must keep failing until it is closed, and
[SECURITY.md](../SECURITY.md) says what to do about it meanwhile. `make test` runs all of them.

"""


def pages() -> Iterator[tuple[str, str]]:
    """The one page."""
    attempts = collect_attempts()
    yield (
        PATH,
        HEADER + INTRO + "\n".join(_describe_harness(name, attempts) for name in HARNESSES) + _list_holes(attempts),
    )


def _describe_harness(harness: str, attempts: Sequence[Attempt]) -> str:
    mine = [attempt for attempt in attempts if attempt.harness == harness]
    holes = Counter(attempt.topic for attempt in mine if attempt.hole)
    rows = [(topic, str(number), str(holes[topic] or "")) for topic, number in Counter(a.topic for a in mine).items()]
    total = ("**all**", f"**{len(mine)}**", f"**{holes.total()}**")
    head = ("what is tried", "attempts", "known holes")
    return f"## By {HARNESSES[harness]}\n\n{table(head, [*rows, total])}"


def _list_holes(attempts: Sequence[Attempt]) -> str:
    holes = Counter((attempt.topic, attempt.hole) for attempt in attempts if attempt.hole)
    if not holes:
        return ""
    rows = [(topic, why, str(number)) for (topic, why), number in holes.items()]
    return f"\n## Known holes\n\n{table(('topic', 'why', 'attempts'), rows)}"
