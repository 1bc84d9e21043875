"""`python -m tests.faults`: a number of faults by a seed, injected into real homes; what was broken, and how to see it.

Epochs of 200 faults run beside each other, each in a home and, as root, in a process namespace of its own.
"""

import argparse
import ctypes
import json
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.faults import namespace
from tests.faults.deck import EPOCH, find_epoch
from tests.faults.kind import KINDS
from tests.faults.kinds import load_kinds
from tests.faults.table import Findings, format_progress, format_table, format_violations

PR_SET_PDEATHSIG = 1
PROGRESS_SECONDS = 10.0
INTRODUCTION = """\
# Faults, injected

Written by `make faults N={count} SEED={seed}`: {progress}.

Every fault is injected into a throw-away home with the real dispatcher, daemon, SQLite and git, while calls are made;
which one comes when follows from the seed. After every few faults it is looked at whether every answered call is in the
journal once and with the answer that was told, whether what must be stopped was stopped, whether one daemon answers and
nothing is left behind, whether counters, background hooks and audit lines are exact, and whether a loss was told
([the invariants](../tests/faults/invariants.py)).

"""


def main() -> int:
    options = read_options()
    load_kinds()
    findings = Findings(options.seed, describe_choice(options))
    runner = Runner(findings, options)
    try:
        runner.run(list_epochs(options))
    except KeyboardInterrupt:
        runner.stop()
    return show(findings, options)


class Runner:
    """Runs epochs beside each other and takes in what they tell."""

    def __init__(self, findings: Findings, options: argparse.Namespace) -> None:
        self.findings, self.options = findings, options
        self.started = self.shown = time.monotonic()
        self._lock = threading.Lock()
        self._running: set[subprocess.Popen[str]] = set()

    def run(self, epochs: list[tuple[int, int]]) -> None:
        with ThreadPoolExecutor(self.options.lanes) as pool:
            for done in [pool.submit(self.run_epoch, first, last) for first, last in epochs]:
                done.result()

    def run_epoch(self, first: int, last: int) -> None:
        words = ["tests.faults.epoch", "--seed", str(self.options.seed), "--first", str(first), "--last", str(last)]
        if self.options.names:
            words += ["--kinds", ",".join(self.options.names)]
        # In this thread, which lives as long as the epoch: the kernel ends the epoch with the thread that started it.
        child = subprocess.Popen(
            namespace.build_command(words),
            stdout=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            text=True,
            preexec_fn=die_with_parent,
        )
        self._running.add(child)
        assert child.stdout is not None
        for line in child.stdout:
            self.take(line)
        self._running.discard(child)
        if child.wait():
            self.findings.violations.append(
                {"violation": "the harness", "step": last, "what": f"an epoch ended with {child.returncode}"}
            )

    def take(self, line: str) -> None:
        with self._lock:
            self.findings.take(json.loads(line))
            now = time.monotonic()
            self.findings.seconds = now - self.started
            if now - self.shown > PROGRESS_SECONDS:
                self.shown = now
                print(format_progress(self.findings, self.options.count), file=sys.stderr, flush=True)

    def stop(self) -> None:
        for child in tuple(self._running):
            child.terminate()


def die_with_parent() -> None:
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


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
    parser.add_argument("--kinds", default="", help="only these, comma-separated; `kill.` means all that begin so")
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
    """The names that begin with one of the wanted and none of the unwanted words."""
    but = tuple(filter(None, unwanted.split(",")))
    return [name for name in KINDS if name.startswith(tuple(wanted.split(","))) and not (but and name.startswith(but))]


if __name__ == "__main__":
    sys.exit(main())
