"""`python -m tests.faults`: a number of faults by a seed, injected into real homes; what was broken, and how to see it.

Epochs of 100 faults run beside each other, each in a home and, as root, in a process namespace of its own.
"""

import argparse
import ctypes
import json
import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.faults import namespace
from tests.faults.deck import EPOCH, find_epoch
from tests.faults.kind import KINDS
from tests.faults.kinds import QUICK, load_kinds
from tests.faults.table import Findings, format_progress, format_table, format_violations

LIBC = ctypes.CDLL(None)
PR_SET_PDEATHSIG = 1
PROGRESS_SECONDS = 10.0
INTRODUCTION = """\
# Faults, injected

Written by `make faults N={count} SEED={seed}`: {progress}.

Every fault is injected into a throw-away home with the real dispatcher, daemon, SQLite and git, while calls are made;
which one comes when follows from that number. After every few faults it is looked at whether every answered call is
in the journal once and with the answer that was told, whether what must be stopped was stopped, whether one daemon
answers and nothing is left behind, whether counters, background hooks and audit lines are exact, and whether a loss
was told
([the invariants](../tests/faults/invariants.py)).

"Out of time" are calls that no engine judged within 20 seconds while three processes and more wanted each processor.
They were refused, or passed with words that say so; what must be stopped was stopped. On a quiet machine it is 0.

"""


def main() -> int:
    options = read_options()
    load_kinds()
    findings = Findings(options.seed, describe_choice(options))
    namespace.end_by_exception()
    Runner(findings, options).run(list_epochs(options))
    return show(findings, options)


class Runner:
    """Runs epochs beside each other and takes in what they tell."""

    def __init__(self, findings: Findings, options: argparse.Namespace) -> None:
        self.findings, self.options = findings, options
        self.started = self.shown = time.monotonic()
        self._is_stopped = False
        self._lock = threading.Lock()
        self._running: set[subprocess.Popen[str]] = set()

    def run(self, epochs: list[tuple[int, int]]) -> None:
        """Run them all; Ctrl-C ends those that run, and what was found until then is shown."""
        with (
            TemporaryDirectory(prefix="faults-", ignore_cleanup_errors=True) as self._folder,
            self._open_pool() as pool,
        ):
            waiting = [pool.submit(self.run_epoch, first, last) for first, last in epochs]
            try:
                for done in waiting:
                    done.result()
            except KeyboardInterrupt:
                pool.shutdown(wait=False, cancel_futures=True)
                self.stop()

    def _open_pool(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(self.options.lanes)

    def run_epoch(self, first: int, last: int) -> None:
        words = ["tests.faults.epoch", "--seed", str(self.options.seed), "--first", str(first), "--last", str(last)]
        if self.options.names:
            words += ["--kinds", ",".join(self.options.names)]
        if self.options.kinds:
            words.append("--evenly")
        # In this thread, which lives as long as the epoch: the kernel ends the epoch with the thread that started it.
        child = subprocess.Popen(
            namespace.build_command(words),
            stdout=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            text=True,
            preexec_fn=die_with_parent,
            env={**os.environ, "TMPDIR": self._folder},
        )
        self._running.add(child)
        assert child.stdout is not None
        for line in child.stdout:
            if line.endswith("\n"):  # the last words of one that was ended may be half a line
                self.take(line)
        self._running.discard(child)
        if child.wait() and not self._is_stopped:
            self.findings.violations.append(
                {"violation": "the harness", "step": last, "what": f"an epoch ended with {child.returncode}"}
            )

    def take(self, line: str) -> None:
        with self._lock:
            told = json.loads(line)
            self.findings.take(told)
            if "violation" in told:  # at once: a campaign takes an hour
                print(f"step {told['step']}: {told['violation']}: {told['what']}", file=sys.stderr, flush=True)
            if "crowded_out" in told:
                print(f"step {told['crowded_out']}: out of time: {told['what']}", file=sys.stderr, flush=True)
            now = time.monotonic()
            self.findings.seconds = now - self.started
            if now - self.shown > PROGRESS_SECONDS:
                self.shown = now
                print(format_progress(self.findings, self.options.count), file=sys.stderr, flush=True)

    def stop(self) -> None:
        self._is_stopped = True
        for child in tuple(self._running):
            child.send_signal(namespace.choose_end())


def die_with_parent() -> None:
    """The epoch puts its home away, or its namespace ends with it."""
    LIBC.prctl(PR_SET_PDEATHSIG, namespace.choose_end(), 0, 0, 0)


def list_epochs(options: argparse.Namespace) -> list[tuple[int, int]]:
    """First and last steps. One step alone begins in a fresh home; with the earlier ones, as it did in the campaign."""
    if options.only_step:
        first = find_epoch(options.only_step)[0] if options.with_earlier else options.only_step
        return [(first, options.only_step)]
    return [(first, min(first + EPOCH - 1, options.count)) for first in range(1, options.count + 1, EPOCH)]


def show(findings: Findings, options: argparse.Namespace) -> int:
    table, broken = format_table(findings), format_violations(findings)
    progress = format_progress(findings, options.count)
    print(f"{table}\n{progress}\n\n{broken}")
    if options.save:
        intro = INTRODUCTION.format(count=options.count, seed=options.seed, progress=progress)
        tail = f"\n## Violations\n\n{broken}" if broken else ""
        Path(options.save).write_text(intro + table + tail, encoding="utf-8")
    return int(bool(findings.violations))


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("--seed", type=int, default=15)
    parser.add_argument("--count", type=int, default=200, help="how many faults")
    parser.add_argument("--lanes", type=int, default=os.cpu_count() or 1, help="how many homes at the same time")
    parser.add_argument("--only-step", type=int, default=0, metavar="K", help="only this one")
    parser.add_argument("--with-earlier", action="store_true", help="and those before it in the same home")
    parser.add_argument(
        "--kinds", default="", help="only these, comma-separated; `kill.` is a whole theme, `quick` those of the tests"
    )
    parser.add_argument("--without", default="", help="all but these")
    parser.add_argument("--save", metavar="FILE", help="write the table as Markdown too")
    options = parser.parse_args()
    load_kinds()
    options.names = choose_kinds(options.kinds, options.without) if options.kinds or options.without else []
    return options


def describe_choice(options: argparse.Namespace) -> str:
    given = (("kinds", options.kinds), ("without", options.without))
    return "".join(f" --{name} {words}" for name, words in given if words)


def choose_kinds(wanted: str, unwanted: str) -> list[str]:
    """The kinds that are named by one of the wanted and none of the unwanted words."""
    return [name for name in KINDS if (not wanted or is_named(name, wanted)) and not is_named(name, unwanted)]


def is_named(name: str, words: str) -> bool:
    """Whether a kind is one of these, of a theme among them (`kill.`), or quick and `quick` is among them."""
    given = words.split(",")
    return name in given or f"{name.partition('.')[0]}." in given or ("quick" in given and name in QUICK)


if __name__ == "__main__":
    sys.exit(main())
