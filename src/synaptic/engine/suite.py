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
from synaptic.files.bounded import read_start
from synaptic.model.effect import AppendLine, RemoveFile, WriteFile
from synaptic.model.errand import Errand, ErrandResult, RunTests
from synaptic.model.errors import StoreError
from synaptic.model.home import Home
from synaptic.model.project import TestStatus
from synaptic.model.state import Change
from synaptic.policies.practice import records
from synaptic.policies.practice.records import format_audit_line, format_status_line, make_record_path
from synaptic.policies.practice.sections import STRIKES, TESTS
from synaptic.runners import errands
from synaptic.runners.environment import EVENT_VARIABLES, MARK_VARIABLE
from synaptic.store import state
from synaptic.store.db import Store
from synaptic.store.redact import redact_text

RECORD_LIMIT = 64
"""Bytes of a record that is one number."""
LOOK_SECONDS = 0.1
"""Seconds between two looks at the lock."""
MAX_TOLD_CHARS = 1500
"""Characters of a failing run's output that the model is told."""
NO_TESTS_EXIT = 5
"""pytest's exit code when there was nothing to run."""
NOT_RUN_EXITS = {126: "could not be started", 127: "could not be started: a program of theirs is missing"}
"""What a shell, and a package manager after it, exits with when there was no program to run."""
SCRIPT_RUNNERS = frozenset({"npm", "pnpm", "yarn", "bun", "vitest", "jest"})
"""Their scripts often watch for changes and never end, unless they are told that nobody is watching."""
MISSING_PROGRAM = re.compile(
    r"^(?:\S*sh: )?(?:\d+: |line \d+: )?[\w./@-]+: (?:command )?not found$|node_modules missing", re.MULTILINE
)
FAILED_COUNT = re.compile(r"(\d+) (?:failed|failing|failures?|errors?)\b")
FAILED_LINE = re.compile(r"\b(?:FAIL|FAILED|ERROR)\b|\bfail")


class SuiteRun:
    """The run of one project."""

    def __init__(self, home: Home, root: str, run: RunTests) -> None:
        self.home = home
        self.root = root
        self.run = run
        self._token = f"{os.getpid()}\n"
        self._lock = Path(make_record_path(root, records.TEST_LOCK))

    async def work(self) -> str:
        """Wait for quiet, run, keep the result; what the model should know, or nothing."""
        replace_file(self.root, str(self._lock), self._token.encode())
        if not await self._wait_for_quiet():
            return ""
        self._write_record(records.TEST_LAST_RUN, f"{int(time.time())}\n")
        ended = await self._run_tests()
        if ended is None:
            return ""
        self._write_record(records.TEST_OUTPUT, ended.output)
        return self._conclude_run(ended)

    async def _wait_for_quiet(self) -> bool:
        """Wait for debounce and cooldown; False when a newer run took over meanwhile."""
        rest = self._read_last_run() + self.run.cooldown - time.time()
        until = time.monotonic() + max(self.run.debounce, min(rest, self.run.cooldown))
        while (left := until - time.monotonic()) > 0:
            await asyncio.sleep(min(LOOK_SECONDS, left))
            if self._is_superseded():
                return False
        return not self._is_superseded()

    async def _run_tests(self) -> ErrandResult | None:
        """The end of the tests; None when a newer run took over."""
        errand = Errand(argv=self.run.argv, cwd=self.run.cwd, timeout=self.run.timeout, name=self.run.name)
        env = {name: value for name, value in os.environ.items() if name not in EVENT_VARIABLES | {MARK_VARIABLE}}
        if self._is_script():
            env.setdefault("CI", "true")
        tests = asyncio.ensure_future(errands.run_errand(errand, env))
        while not tests.done():
            await asyncio.wait({tests}, timeout=LOOK_SECONDS)
            if self._is_superseded():
                tests.cancel()
                with suppress(asyncio.CancelledError):
                    await tests
                return None
        return tests.result()

    def _conclude_run(self, ended: ErrandResult) -> str:
        if trouble := ended.trouble or self._find_missing(ended):
            self._forget_status()
            return f"The tests ({self.run.name}) {trouble}; there is no result."
        if ended.exit == NO_TESTS_EXIT and self.run.name == "pytest":
            self._forget_status()
            return ""
        failures = 0 if ended.exit == 0 else count_failures(ended.output)
        status = TestStatus(result="fail" if failures else "pass", failures=failures, at=int(time.time()))
        self._keep_status(status)
        if status.has_passed:
            return f"Tests passed ({self.run.name})."
        # Redacted before it is cut: what is left of a secret whose beginning is gone has no shape any more.
        end = redact_text(ended.output)[-MAX_TOLD_CHARS:].strip()
        return f"Tests FAILED ({self.run.name}, exit {ended.exit}): {failures} failure(s).\n{end}"

    def _find_missing(self, ended: ErrandResult) -> str:
        """Why the tests did not begin, where their runner says so: that is no failure of theirs."""
        if ended.exit in NOT_RUN_EXITS or not ended.exit or not self._is_script():
            return NOT_RUN_EXITS.get(ended.exit, "")
        missing = MISSING_PROGRAM.search(ended.output) and not FAILED_COUNT.search(ended.output)
        return NOT_RUN_EXITS[127] if missing else ""

    def _is_script(self) -> bool:
        return self.run.name.partition(" ")[0] in SCRIPT_RUNNERS

    def _keep_status(self, status: TestStatus) -> None:
        """In the store first, then in the files that show it."""
        self._remember_status(status)
        self._write_record(records.TEST_STATUS_FILE, format_status_line(status))
        if status.has_passed:
            write_files(self.root, [RemoveFile(make_record_path(self.root, records.STRIKES_FILE))])
            return
        line = format_audit_line(status.at, "test_fail", f"{self.run.name}: {status.failures} failure(s)")
        write_files(self.root, [AppendLine(make_record_path(self.root, records.AUDIT_FILE), line)])

    def _remember_status(self, status: TestStatus) -> None:
        kept = Change(section=TESTS, put={**msgspec.structs.asdict(status), "stuck": 0})
        self._write_section(kept, *((Change(section=STRIKES, clear=True),) if status.has_passed else ()))

    def _write_section(self, *changes: Change) -> None:
        owner = state.SectionOwner(self.root)
        with suppress(StoreError):  # the file still says it
            # Opened for this write alone: a run may take minutes, and the daemon writes to the database meanwhile.
            store = Store.open(self.home)
            try:
                for change in changes:
                    state.write_change(store, owner, change)
            finally:
                store.close()

    def _forget_status(self) -> None:
        """An older result does not count any more: nobody can be held to what no run can make better."""
        self._write_section(Change(section=TESTS, put={"stuck": time.time()}))

    def _write_record(self, name: str, text: str) -> None:
        write_files(self.root, [WriteFile(make_record_path(self.root, name), text)])

    def _is_superseded(self) -> bool:
        """Whether a newer run took the lock. A missing lock was only cleaned up by somebody and stops nothing."""
        held = read_start(str(self._lock), RECORD_LIMIT)
        return bool(held) and held != self._token.encode()

    def _read_last_run(self) -> float:
        text = read_start(make_record_path(self.root, records.TEST_LAST_RUN), RECORD_LIMIT).strip()
        return float(text) if text.isdigit() else 0.0


def count_failures(output: str) -> int:
    """How many tests failed, from a summary if there is one, else from the lines that say so; at least one."""
    if numbers := [int(number[:9]) for number in FAILED_COUNT.findall(output)]:
        return max(1, *numbers)
    return max(1, sum(bool(FAILED_LINE.search(line)) for line in output.splitlines()))


def main(argv: list[str]) -> None:
    """The answer is one native object on stdout; without news there is none."""
    home, root, text = argv
    suite = SuiteRun(Home(Path(home)), root, msgspec.json.decode(text, type=RunTests))
    if told := asyncio.run(suite.work()):
        sys.stdout.write(msgspec.json.encode({"systemMessage": told}).decode())


if __name__ == "__main__":
    main(sys.argv[1:])
