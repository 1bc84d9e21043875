"""One step of a campaign: a fault, the calls that are made meanwhile, and how it ends."""

import random
import signal
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.faults import processes
from tests.faults.calls import COMMON_SHAPES, SHAPES, Call, build_payload, finish_call, start_call
from tests.faults.kind import Kind
from tests.faults.world import World, remove

AFTER = ("echo", "reset", "write", "guarded")
"""What is asked after every fault: a free call, and three that must be stopped, each by another part."""
SESSIONS = 3
START_SECONDS = 10.0


class Step:
    """What a kind's function is given."""

    def __init__(self, world: World, number: int, kind: Kind, seed: int) -> None:
        self.world, self.number, self.kind = world, number, kind
        self.spoken = 0
        """How many calls of this step were made by somebody else before."""
        self.home = world.home
        self.random = random.Random(f"{seed}/step/{number}")
        self.calls: list[Call] = []
        self._excuses = kind.excuses | ({f"off:{kind.off}"} if kind.off else frozenset())
        self._undo: list[Callable[[], object]] = []

    def run(self) -> None:
        """Inject, undo, and make the calls that everybody makes afterwards."""
        try:
            self.kind.inject(self)
        finally:
            self.finish()
            self.heal()
        for shape in AFTER:
            self.call(shape)

    def heal(self) -> None:
        """Undo what was done; nothing is excused from here on."""
        while self._undo:
            self._undo.pop()()
        processes.continue_all(self.world.user)
        self.world.put_back()
        self._excuses = frozenset()

    def defer(self, undo: Callable[[], object]) -> None:
        """Undo this when the fault is over, the last one first."""
        self._undo.append(undo)

    # ---- calls

    def start(self, shape: str = "echo", project: Path | None = None, **extra: object) -> Call:
        """A call that is on its way when this returns."""
        made = SHAPES[shape]
        token = f"t{self.number}-{self.spoken + len(self.calls)}-{self.world.builds}"
        session = f"faults-{self.world.builds}-{self.random.randrange(SESSIONS)}"
        call = Call(token, self.number, made, session, self._excuses, is_counted=project is None)
        payload = build_payload(call, project or self.world.projects[made.project], extra)
        self.calls.append(call)
        return start_call(call, self.home.dispatch, self.world.user, payload)

    def finish(self, *calls: Call) -> None:
        """Wait for these calls, or for all that are on their way."""
        for call in calls or self.calls:
            if call.process is not None:
                finish_call(call, self.look)

    def call(self, shape: str = "echo", project: Path | None = None, **extra: object) -> Call:
        return finish_call(self.start(shape, project, **extra), self.look)

    def look(self) -> str:
        return processes.describe_waiting(self.world.user)

    def mix(self, count: int) -> None:
        """Some calls, one after the other."""
        for _ in range(count):
            self.call(self.random.choice(COMMON_SHAPES))

    def volley(self, count: int, shapes: Sequence[str] = COMMON_SHAPES) -> list[Call]:
        """Some calls at once; they are on their way when this returns."""
        return [self.start(self.random.choice(shapes)) for _ in range(count)]

    def cut(self, call: Call, number: int = signal.SIGKILL) -> None:
        """End a call's dispatcher. Nobody is told anything then, whatever it had printed."""
        if call.process is not None:
            call.is_cut = True
            processes.send_signal(call.process.pid, number)

    def wait(self, least: float, most: float) -> float:
        """A moment of chance, in seconds."""
        seconds = self.random.uniform(least, most)
        time.sleep(seconds)
        return seconds

    def is_quiet(self) -> bool:
        """Whether no call is on its way."""
        return all(call.process is None or call.process.poll() is not None for call in self.calls)

    # ---- processes

    def signal_daemon(self, number: int = signal.SIGKILL) -> int:
        """Send a signal to the daemon; its process, or 0 when there was none."""
        pid = self.world.find_daemon()
        if pid:
            processes.send_signal(pid, number)
        return pid

    def kill_daemon(self) -> None:
        """End the daemon and wait until it is gone."""
        pid = self.signal_daemon()
        processes.wait_until(lambda: not pid or not processes.find_daemons(self.world.user), 10, 0.002)

    def find_starting_daemon(self, but: int = 0) -> processes.Process | None:
        found = lambda: [one for one in processes.find_daemons(self.world.user) if one.pid != but]  # noqa: E731
        return processes.wait_for_process(found, START_SECONDS)

    def find_fallback(self) -> processes.Process | None:
        def find() -> list[processes.Process]:
            return [one for one in processes.list_processes(self.world.user) if one.is_fallback and one.state != "Z"]

        return processes.wait_for_process(find, START_SECONDS, self.is_quiet)

    def find_script(self, name: str) -> processes.Process | None:
        """A hook's process, by what its command line names."""

        def find() -> list[processes.Process]:
            every = processes.list_processes(self.world.user)
            return [one for one in every if one.state != "Z" and _runs_hook(one, name)]

        return processes.wait_for_process(find, START_SECONDS)

    # ---- files

    def replace(self, path: Path, content: bytes) -> None:
        """Other bytes under this name, put there whole; what a person or installer wrote comes back by itself."""
        fresh = path.with_name(f"{path.name}.fresh")
        fresh.write_bytes(content)
        fresh.chmod(0o755 if path.suffix == ".sh" else 0o600)
        fresh.rename(path)

    def make_folder(self, path: Path) -> None:
        """A folder in the place of a file."""
        remove(path)
        path.mkdir()
        self.defer(lambda: path.is_dir() and remove(path))

    def flip(self, path: Path, count: int = 8, start: int = 0) -> None:
        """Other bits in some bytes of a file, in place."""
        size = path.stat().st_size if path.exists() else 0
        if size <= start:
            return
        with path.open("r+b") as file:
            for _ in range(count):
                place = self.random.randrange(start, size)
                file.seek(place)
                old = file.read(1)
                file.seek(place)
                file.write(bytes([old[0] ^ (1 << self.random.randrange(8))]))

    def truncate(self, path: Path) -> None:
        """A file without its end."""
        if path.exists() and (size := path.stat().st_size):
            with path.open("r+b") as file:
                file.truncate(self.random.randrange(size))

    def write_hook(self, text: str, name: str = "odd") -> None:
        """Another script in the place of one of the project's."""
        self.world.write_script(self.world.projects["main"], name, text)


def _runs_hook(process: processes.Process, name: str) -> bool:
    return not process.is_daemon and not process.is_dispatcher and name in " ".join(process.words)
