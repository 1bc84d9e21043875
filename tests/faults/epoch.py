"""`python -m tests.faults.epoch`: the steps of one epoch in one home; what happened as lines of JSON."""

import argparse
import contextlib
import json
import random
import sys
import time
from collections.abc import Iterable
from pathlib import Path

from tests.faults import evidence as gathered
from tests.faults import namespace, processes
from tests.faults.calls import Call
from tests.faults.deck import list_steps
from tests.faults.evidence import Counters, Evidence, Journal
from tests.faults.invariants import Violation, count_journalled, find_violations, list_crowded_out
from tests.faults.kind import Kind
from tests.faults.kinds import load_kinds
from tests.faults.step import SESSIONS, Step
from tests.faults.world import ANSWER_SECONDS, World

BATCH_SIZES = (1, 1, 2, 4)
"""Steps between two looks: mostly one, so that it is known which fault broke something; sometimes faults add up."""
SETTLE_SECONDS = 15.0
SETTLE_PAUSE = 0.05
SETTLING = (
    "nothing is left behind",
    "no zombies",
    "one daemon",
    "background hook once",
    "audit line once",
    "counters",
    "the journal is readable",
    "journalled once",
    "what is journalled stays",
    "state never relaxes",
)
"""What may take a moment after the last answer."""
OWN_CALLS = 1000
"""The numbers of our own calls begin here."""
NO_FAULT = Kind("none", lambda step: None)


class Epoch:
    """One home, and the steps that happen to it."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.world = World()
        self.calls: list[Call] = []
        self.steps: list[int] = []
        self.asked = 0
        self.told: bool | None = None

    def run(self, steps: Iterable[tuple[int, Kind]]) -> None:
        self.build()
        for number, kind in steps:
            if kind.needs_disk and not self.world.has_own_disk:
                self.tell(step=number, kind=kind.name, left_out=True)
                continue
            for _ in range(2):  # what was broken before has begun a new home, whose calls count as well
                if kind.loses and self.calls:
                    self.check()
            self.run_step(number, kind)
            if kind.loses or kind.fail != "open" or len(self.steps) >= self.batch:
                self.check(kind)
        self.check()

    @property
    def batch(self) -> int:
        return random.Random(f"{self.seed}/batch/{self.steps[0]}").choice(BATCH_SIZES)

    def run_step(self, number: int, kind: Kind) -> None:
        started = time.monotonic()
        step = Step(self.world, number, kind, self.seed)
        trouble: list[Violation] = []
        if kind.fail != "open":
            self.build(kind.fail)
        known = set(self.journal.rows)
        try:
            step.run()
        except AssertionError as error:
            trouble = [Violation("the kind's own claim", number, str(error))]
        except Exception as error:  # the harness itself must not end a campaign of hours: it is told as a violation
            trouble = [Violation("the harness", number, f"{type(error).__name__}: {error}")]
        self.known = known
        self.calls += step.calls
        self.steps.append(number)
        self.tell(step=number, kind=kind.name, calls=len(step.calls), seconds=round(time.monotonic() - started, 3))
        self.report(trouble)

    def build(self, fail: str = "open") -> None:
        """A new home with a daemon and a tripped breaker."""
        self.world.build(fail)  # type: ignore[arg-type]
        self.journal = Journal(self.world.home.database)
        self.calls, self.steps = [], []
        self.before = Counters(0, True, {})
        self.wounded: Kind | None = None
        self.told_for: list[int] = []
        self.log_size = 0
        self.usual: dict[int, int] = {}
        self.leftovers: set[str] = set()
        for shape in ("echo", "failure", "failure", "failure"):
            self.ask(shape)
        self.wait_for_daemon()

    def wait_for_daemon(self) -> bool:
        """Call until a daemon answers, as an agent that goes on working would."""
        end = time.monotonic() + ANSWER_SECONDS
        while not self.world.is_answering():
            if time.monotonic() > end:
                return False
            self.ask("echo")
            time.sleep(0.05)
        return True

    def ask(self, shape: str, **extra: object) -> None:
        """A call of our own, beside those of the steps; nothing is excused in it."""
        step = Step(self.world, self.steps[-1] if self.steps else 0, NO_FAULT, self.seed)
        self.asked += 1
        step.spoken = OWN_CALLS + self.asked
        self.calls.append(step.call(shape, **extra))

    def use_all_state(self) -> None:
        """A section that is not believed any more is replaced when it is next used: count from there."""
        for session in self.list_sessions():
            self.ask("reset", session_id=session)
        self.ask("failure")

    def list_sessions(self) -> list[str]:
        return [f"faults-{self.world.builds}-{number}" for number in range(SESSIONS)]

    def check(self, kind: Kind | None = None) -> None:
        """Look at everything; where something is broken, say so and begin in a new home."""
        if not self.calls:
            return
        is_back = self.wait_for_daemon()
        end = time.monotonic() + SETTLE_SECONDS
        while True:
            kind = self.find_loss(kind)
            now = self.gather(kind, is_back=is_back)
            found = find_violations(now)
            if self.wounded and self.journal.has_other_file and not (kind and kind.loses):
                continue  # it was replaced while it was looked at
            if not any(one.invariant in SETTLING for one in found) or time.monotonic() > end:
                break
            time.sleep(SETTLE_PAUSE)
        self.journal.accept_losses()
        self.leftovers = set(gathered.find_leftovers(self.world))
        self.log_size = now.log_size
        for call in list_crowded_out(now):
            self.tell(crowded_out=call.step, what=f"{call.shape.name} {call.seconds:.0f} s {call.places}")
        if found:
            self.report(found)
            self.build()
            return
        self.begin_anew(now)
        self.calls, self.steps = [], []

    def find_loss(self, kind: Kind | None) -> Kind | None:
        """The kind by which something may be lost: this one, or an earlier one whose damage is found only now.

        Bits that were changed below a running daemon are not seen by anybody until those pages are read.
        """
        if kind and kind.loses:
            self.wounded = kind
        elif self.wounded and self.journal.has_other_file:
            kind = self.wounded
        if kind and kind.loses and self.told_for != self.steps:
            self.told_for = list(self.steps)
            self.ask("start")  # what a person should know is told when a session starts
            self.use_all_state()
            self.told = None
        return kind

    def begin_anew(self, now: Evidence) -> None:
        """Count from what is there now: what was lost was told, and what could count or not has been decided."""
        failures, refused = count_journalled(now)
        refusals = {name: count - refused.get(name, 0) for name, count in now.counters.refusals.items()}
        self.before = Counters(now.counters.failures - failures, True, refusals)

    def gather(self, kind: Kind | None, *, is_back: bool) -> Evidence:
        world, is_lossy = self.world, bool(kind and kind.loses)
        self.journal.read(whole=is_lossy)
        root = str(world.projects["tripped"])
        traces, log_size = gathered.read_traces(world.home.log, self.log_size)
        now = Evidence(
            calls=self.calls,
            rows=self.journal.rows,
            counters=self.journal.read_counters(root, self.list_sessions()),
            before=self.before,
            journal_trouble=self.journal.trouble,
            gone=[] if is_lossy else self.journal.gone,
            sentinel=gathered.count_tokens(world.sentinel.read_text(errors="replace")),
            audit=gathered.count_tokens(world.read_audit()),
            daemons=len(processes.find_daemons(world.user)),
            is_answering=is_back,
            zombies=[str(one.pid) for one in processes.find_zombies(world.user)],
            strays=gathered.find_strays(world) + gathered.find_hook_processes(world),
            leftovers=sorted(self.leftovers & set(gathered.find_leftovers(world))),
            traces=traces,
            log_size=log_size,
            log_bytes=measure(world),
            tripped_root=root,
        )
        pid = world.find_daemon()
        now.descriptors = processes.count_descriptors(pid)
        now.usual_descriptors = self.usual.setdefault(pid, now.descriptors)
        if is_lossy and kind:
            self.look_for_losses(now, kind)
        return now

    def look_for_losses(self, now: Evidence, kind: Kind) -> None:
        """What was there before and is not now; counting begins anew, whatever was kept."""
        now.lost_file = kind.loses
        now.missing_before = sorted(self.known - set(now.rows))
        self.begin_anew(now)
        now.before = self.before
        if now.missing_before and self.told is None:
            self.told = self.is_told(kind.loses)
        now.is_loss_told = bool(self.told)

    def is_told(self, name: str) -> bool:
        """Whether somebody has named the file: an answer, a session's start, or `doctor`."""
        said = b"".join(call.stdout + call.stderr for call in self.calls).decode("utf-8", "replace")
        return name in said or name in self.world.run_doctor()

    def report(self, found: list[Violation]) -> None:
        last = self.steps[-1] if self.steps else 0
        # Only what is seen in the home as a whole may be the fault of an earlier step of the same batch.
        for one in dict.fromkeys(Violation(one.invariant, one.step or last, one.what) for one in found):
            what = one.what.replace(str(self.world.disk), "").replace(str(Path.cwd()), "")  # the same on every machine
            self.tell(violation=one.invariant, step=one.step, batch=list(self.steps), what=what)

    def tell(self, **fields: object) -> None:
        print(json.dumps(fields), flush=True)


def measure(world: World) -> int:
    with contextlib.suppress(OSError):
        return world.home.database.with_name("synaptic.db-wal").stat().st_size
    return 0


def read_options(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.faults.epoch")
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--first", type=int, required=True)
    parser.add_argument("--last", type=int, required=True)
    parser.add_argument("--kinds", default="", help="only these, comma-separated")
    parser.add_argument("--evenly", action="store_true", help="those that wait for seconds as often as the others")
    return parser.parse_args(words)


def main(words: list[str]) -> int:
    options = read_options(words)
    load_kinds()
    names = tuple(filter(None, options.kinds.split(",")))
    steps = list_steps(options.seed, options.last, names, evenly=options.evenly)
    namespace.end_by_exception()
    epoch = Epoch(options.seed)
    try:
        epoch.run(steps[options.first - 1 :])
    finally:
        epoch.world.close()
    return 0


if __name__ == "__main__":
    sys.exit(namespace.run_below_init(lambda: main(sys.argv[1:])))
