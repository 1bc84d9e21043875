"""`python -m tests.security.collect`: every attempt in this folder, without running any."""

import functools
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

FOLDER = Path(__file__).parent
ROOT = FOLDER.parents[1]


class Attempt(msgspec.Struct, frozen=True):
    """One collected test."""

    harness: str
    topic: str
    name: str
    hole: str = ""


class AttemptCollector:
    """A pytest plugin that keeps what is collected."""

    def __init__(self) -> None:
        self.attempts: list[Attempt] = []

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        for item in session.items:
            harness = item.path.relative_to(FOLDER).parts[0]
            if isinstance(item, pytest.Function):
                hole = item.get_closest_marker("known_hole")
                self.attempts.append(
                    Attempt(harness, _find_topic(item), item.name, str(hole.args[0]) if hole is not None else "")
                )


@functools.cache
def collect_attempts() -> tuple[Attempt, ...]:
    """Collect the tests without running any, in a process of their own: pytest does not nest."""
    argv = [sys.executable, "-m", "tests.security.collect"]
    found = subprocess.run(argv, cwd=ROOT, capture_output=True, check=True)
    return msgspec.json.decode(found.stdout.splitlines()[-1], type=tuple[Attempt, ...])


def main() -> int:
    """Print what was collected as one line of JSON, the last one."""
    collector = AttemptCollector()
    code = pytest.main(["--collect-only", "-q", "-p", "no:cacheprovider", str(FOLDER)], plugins=[collector])
    print()
    print(msgspec.json.encode(collector.attempts).decode())
    return 0 if code == pytest.ExitCode.NO_TESTS_COLLECTED else int(code)


def _find_topic(item: pytest.Function) -> str:
    return str(item.module.__doc__ or item.path.stem).strip().split("\n", maxsplit=1)[0].rstrip(".")


if __name__ == "__main__":
    sys.exit(main())
