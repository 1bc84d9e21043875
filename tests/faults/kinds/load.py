"""Load: many projects, many clients, few descriptors, large and broken requests."""

import contextlib
import resource
import signal
import socket
from pathlib import Path

from tests.faults import processes
from tests.faults.kind import kind
from tests.faults.step import Step

DOOR_WORDS = (
    b"SYN1",
    b"SYN1\xff\xff\xff\xff",
    b"GET / HTTP/1.1\r\n\r\n",
    b"{}\n",
    b"\0" * 64,
    b"POST /rpc HTTP/1.1\r\n",
)


def open_clients(step: Step, count: int) -> list[socket.socket]:
    """Connections that say nothing; closed when the fault is over."""
    clients = []
    for _ in range(count):
        if client := step.world.connect():
            clients.append(client)
            step.defer(client.close)
    return clients


def limit_descriptors(step: Step, spare: int) -> None:
    """The daemon may open only a few files more."""
    pid = step.world.find_daemon()
    with contextlib.suppress(ProcessLookupError, OSError):
        before = resource.prlimit(pid, resource.RLIMIT_NOFILE)
        highest = max((int(entry.name) for entry in Path(f"/proc/{pid}/fd").iterdir()), default=32)
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (highest + 1 + spare, before[1]))

        def restore() -> None:
            with contextlib.suppress(ProcessLookupError, OSError):
                resource.prlimit(pid, resource.RLIMIT_NOFILE, before)

        step.defer(restore)


@kind("load.many-projects", rare=2)
def visit_many_projects(step: Step) -> None:
    """A hundred folders, some of them asked about; each has the guard of its own registry."""
    text = step.world.registry.read_text()
    folders = [step.world.disk / "many-projects" / str(number) for number in range(100)]
    for folder in folders:
        hooks = folder / ".synaptic" / "hooks"
        hooks.mkdir(parents=True, exist_ok=True)
        (hooks / "registry.toml").write_text(text)
    for folder in step.random.sample(folders, 12):
        step.start(step.random.choice(("guarded", "echo")), folder)
    step.finish()


@kind("load.new-project-no-descriptors", "unwritten", "hooks", "effects", "unheard", "traces", "strangers", rare=2)
def visit_project_without_descriptors(step: Step) -> None:
    """The first event of a project comes while the daemon can open nothing; afterwards its guard is on."""
    folder = step.world.disk / f"late-{step.number}"
    step.world.make_project(folder)
    limit_descriptors(step, step.random.randrange(1, 5))
    step.call("guarded", folder)
    step.heal()
    step.call("guarded", folder)


@kind("load.no-descriptors", "unwritten", "hooks", "effects", "unheard", "traces", "strangers", rare=2)
def use_all_descriptors(step: Step) -> None:
    """Idle clients take all that the daemon may open."""
    limit_descriptors(step, 4)
    open_clients(step, 12)
    step.volley(3)
    step.wait(0.1, 0.5)


@kind("load.idle-clients")
def keep_clients_open(step: Step) -> None:
    """Fifty clients that say nothing."""
    open_clients(step, 50)
    step.mix(4)


@kind("load.idle-client-at-end", rare=4)
def end_daemon_with_idle_client(step: Step) -> None:
    """The daemon is asked to end while clients say nothing: it ends, and another one answers."""
    open_clients(step, 3)
    old = step.signal_daemon(signal.SIGTERM)
    step.mix(2)
    if not processes.wait_until(lambda: all(one.pid != old for one in processes.find_daemons(step.world.user)), 5):
        raise AssertionError("a daemon that was asked to end is kept by a client that says nothing")


@kind("load.half-requests")
def send_half_requests(step: Step) -> None:
    """Clients that send half a request and wait, or go."""
    for client in open_clients(step, 6):
        with contextlib.suppress(OSError):
            client.sendall(b"SYN1" + (100).to_bytes(4, "little") * 3 + b"x" * step.random.randrange(80))
            if step.random.random() < 0.5:
                client.close()
    step.mix(3)


@kind("load.garbage")
def send_garbage(step: Step) -> None:
    """Clients that send what is no request."""
    for client in open_clients(step, 8):
        with contextlib.suppress(OSError):
            client.sendall(step.random.choice(DOOR_WORDS) + step.random.randbytes(step.random.randrange(200)))
    step.mix(3)


@kind("load.slow-client")
def send_slowly(step: Step) -> None:
    """A client that sends byte by byte while others are served."""
    clients = open_clients(step, 1)
    for letter in b"SYN1\x10\0\0\0\0\0\0\0":
        with contextlib.suppress(OSError):
            clients and clients[0].sendall(bytes([letter]))
        step.start(step.random.choice(("echo", "reset")))
    step.finish()


@kind("load.burst", rare=2)
def send_burst(step: Step) -> None:
    """Eighty calls at once."""
    step.volley(80)


@kind("load.soak", rare=4)
def send_many(step: Step) -> None:
    """Two hundred calls, one after the other."""
    step.mix(200)


@kind("load.large-payloads", rare=2)
def send_large_payloads(step: Step) -> None:
    """Calls of a megabyte: the log grows and is emptied again."""
    for _ in range(6):
        step.start(step.random.choice(("echo", "reset")), padding="y" * 900_000)
    step.finish()


@kind("load.too-large-payload")
def send_too_large_payload(step: Step) -> None:
    """A call of eight megabytes: judged, and kept without its text."""
    call = step.call("reset", padding="z" * (8 << 20))
    call.allowed = call.allowed | {"unkept"}


@kind("load.odd-payloads")
def send_odd_payloads(step: Step) -> None:
    """Fields of other types than they should be."""
    for odd in (None, 3, [], {"a": [1, 2]}, "\ud800", "x" * 1000):
        step.start(step.random.choice(("echo", "reset")), agent_id="", transcript_path=odd, permission_mode=odd)
    step.finish()


@kind("load.long-session")
def send_many_refusals(step: Step) -> None:
    """Twenty refusals of one kind, one after the other: each is counted."""
    for _ in range(20):
        step.call("reset")
