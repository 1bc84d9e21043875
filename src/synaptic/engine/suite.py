"""One background run of a project's tests: `python -m synaptic.engine.suite HOME ROOT RUN`.

A process of its own, so that a result is kept even when the daemon goes. The newest run has its name in the lock file,
also after its end; an older one sees that, ends its own tests with everything they started, and says nothing. No
process id in a file is believed: whoever can write the file could name any process.
"""

import asyncio
import os
import re
import sys
import time
from contextlib import suppress
from pathlib import Path

import msgspec

from synaptic.engine.operator_files import replace_file, write_files
from synaptic.model.effect import AppendLine, RemoveFile, WriteFile
from synaptic.model.errand import Ended, Errand, RunTests
from synaptic.model.errors import StoreError
from synaptic.model.home import Home
from synaptic.model.project import TestStatus
from synaptic.model.state import Change
from synaptic.policies.practice import records
from synaptic.policies.practice.records import audit_line, record_path, status_line
from synaptic.policies.practice.sections import STRIKES, TESTS
from synaptic.runners import errands
from synaptic.runners.environment import MARK, OWN
from synaptic.store import state
from synaptic.store.db import Store

LOOK = 0.1
"""Seconds between two looks at the lock."""
TAIL = 1500
"""Characters of a failing run's output that the model is told."""
NO_TESTS = 5
"""pytest's exit code when there was nothing to run."""
FAILED = re.compile(r"(\d+) (?:failed|failing|failures?|errors?)\b")
FAILED_LINE = re.compile(r"\b(?:FAIL|FAILED|ERROR)\b|\bfail")


class Suite:
    """The run of one project."""

    def __init__(self, home: Home, root: str, run: RunTests) -> None:
        self.home = home
        self.root = root
        self.run = run
        self._token = f"{os.getpid()}\n"
        self._lock = Path(record_path(root, records.TEST_LOCK))

    async def work(self) -> str:
        """Wait for quiet, run, keep the result; what the model should know, or nothing."""
        replace_file(self._lock, self._token.encode())
        if not await self._quiet():
            return ""
        self._note(records.TEST_LAST_RUN, f"{int(time.time())}\n")
        ended = await self._ended()
        if ended is None:
            return ""
        self._note(records.TEST_OUTPUT, ended.output)
        return self._concluded(ended)

    async def _quiet(self) -> bool:
        """Wait for debounce and cooldown; False when a newer run took over meanwhile."""
        rest = self._last_run() + self.run.cooldown - time.time()
        until = time.monotonic() + max(self.run.debounce, min(rest, self.run.cooldown))
        while (left := until - time.monotonic()) > 0:
            await asyncio.sleep(min(LOOK, left))
            if self._superseded():
                return False
        return not self._superseded()

    async def _ended(self) -> Ended | None:
        """The end of the tests; None when a newer run took over."""
        errand = Errand(argv=self.run.argv, cwd=self.run.cwd, timeout=self.run.timeout, name=self.run.name)
        env = {name: value for name, value in os.environ.items() if name not in OWN | {MARK}}
        tests = asyncio.ensure_future(errands.run(errand, env))
        while not tests.done():
            await asyncio.wait({tests}, timeout=LOOK)
            if self._superseded():
                tests.cancel()
                with suppress(asyncio.CancelledError):
                    await tests
                return None
        return tests.result()

    def _concluded(self, ended: Ended) -> str:
        if ended.trouble:
            return f"The tests ({self.run.name}) {ended.trouble}; there is no result."
        if ended.exit == NO_TESTS and self.run.name == "pytest":
            return ""
        failures = 0 if ended.exit == 0 else count_failures(ended.output)
        status = TestStatus(result="fail" if failures else "pass", failures=failures, at=int(time.time()))
        self._keep(status)
        if status.passed:
            return f"Tests passed ({self.run.name})."
        return (
            f"Tests FAILED ({self.run.name}, exit {ended.exit}): {failures} failure(s).\n{ended.output[-TAIL:].strip()}"
        )

    def _keep(self, status: TestStatus) -> None:
        """In the store first, then in the files that show it."""
        self._remember(status)
        self._note(records.TEST_STATUS, status_line(status))
        if status.passed:
            write_files([RemoveFile(record_path(self.root, records.STRIKES))])
            return
        line = audit_line(status.at, "test_fail", f"{self.run.name}: {status.failures} failure(s)")
        write_files([AppendLine(record_path(self.root, records.AUDIT), line)])

    def _remember(self, status: TestStatus) -> None:
        owner = state.Owner(self.root)
        with suppress(StoreError):  # the file still says it
            # Opened for this write alone: a run may take minutes, and the daemon writes to the database meanwhile.
            store = Store.open(self.home)
            try:
                state.write(store, owner, Change(section=TESTS, put=msgspec.structs.asdict(status)))
                if status.passed:
                    state.write(store, owner, Change(section=STRIKES, clear=True))
            finally:
                store.close()

    def _note(self, name: str, text: str) -> None:
        write_files([WriteFile(record_path(self.root, name), text)])

    def _superseded(self) -> bool:
        """Whether a newer run took the lock. A missing lock was only cleaned up by somebody and stops nothing."""
        try:
            return self._lock.read_text() != self._token
        except OSError:
            return False

    def _last_run(self) -> float:
        try:
            text = Path(record_path(self.root, records.TEST_LAST_RUN)).read_text().strip()
        except (OSError, ValueError):
            return 0.0
        return float(text) if text.isascii() and text.isdigit() else 0.0


def count_failures(output: str) -> int:
    """How many tests failed, from a summary if there is one, else from the lines that say so; at least one."""
    if numbers := [int(number[:9]) for number in FAILED.findall(output)]:
        return max(1, *numbers)
    return max(1, sum(bool(FAILED_LINE.search(line)) for line in output.splitlines()))


def main() -> None:
    """The answer is one native object on stdout; without news there is none."""
    home, root, text = sys.argv[1:4]
    suite = Suite(Home(Path(home)), root, msgspec.json.decode(text, type=RunTests))
    if told := asyncio.run(suite.work()):
        sys.stdout.write(msgspec.json.encode({"systemMessage": told}).decode())


if __name__ == "__main__":
    main()
