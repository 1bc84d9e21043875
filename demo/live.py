"""The journal, read while the agent works: every decision on the screen as soon as it is on disk."""

import sys
import threading
from collections.abc import Iterator

from demo.scenes import shown
from synaptic.cli.event import format_entry_line
from synaptic.model.decision import POLICIES, TraceStep
from synaptic.model.home import Home
from synaptic.pipeline.explain import KIND_WORDS
from synaptic.store.db import Store
from synaptic.store.journal import read_entries_after
from synaptic.store.record import JournalEntry

PAGE = 200
POLL = 0.05


def say(text: str = "") -> None:
    """One line, at once."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


class Live:
    """Follows one journal in a thread of its own. `silent` counts events that no hook was registered for."""

    def __init__(self, home: Home) -> None:
        self._store = Store.open(home)
        self._seen = 0
        self._lock = threading.Lock()
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._follow, daemon=True)
        self.silent = 0
        self.shown: set[str] = set()
        self.denied: list[int] = []

    def __enter__(self) -> "Live":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        self._thread.join()
        self.catch_up()
        self._store.close()

    def announce(self, text: str) -> None:
        """Say something after everything that has happened before it."""
        self.catch_up()
        say(f"\n{text}")

    def catch_up(self) -> None:
        """Print what is new."""
        with self._lock:
            for entry in read_entries_after(self._store, self._seen, PAGE):
                self._seen = entry.id
                self._print(entry)

    def _follow(self) -> None:
        while not self._end.wait(POLL):
            self.catch_up()

    def _print(self, entry: JournalEntry) -> None:
        if not entry.decision.trace:
            self.silent += 1
            return
        found = shown(entry)
        self.shown |= found
        self.denied += [entry.id] if "deny" in found else []
        say(f"  {format_entry_line(entry)}")
        for line in _steps(entry):
            say(f"           {line}")


def _steps(entry: JournalEntry) -> Iterator[str]:
    """What each hook said, and what of it reached whom."""
    for step in (step for step in entry.decision.trace if step.hook != POLICIES):
        yield f"{step.priority:>3} {step.hook}: {_said(step)}"
    for text in (*entry.decision.context, *entry.decision.feedback):
        yield f"    told to the model: {text}"
    if entry.decision.input is not None:
        yield f"    runs as: {entry.decision.input.get('command', entry.decision.input)}"


def _said(step: TraceStep) -> str:
    if step.fault:
        return f"{step.fault}; the call goes on"
    if step.phase == "skipped":
        return f"skipped, {step.note}"
    again = "looked again, " if step.phase == "recheck" else ""
    return f"{again}{KIND_WORDS[step.kind]}"
