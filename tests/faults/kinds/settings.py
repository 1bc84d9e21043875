"""What people and installers write: config, registry, engine file and the engine's own start file."""

import signal
import tomllib

from tests.faults import processes
from tests.faults.kind import kind
from tests.faults.step import Step
from tests.faults.world import CONFIG, remove

OFF_WITH_CONFIG = ("write", "guarded", "hooks", "effects")
"""What the config has switched on by itself is off while it cannot be read: its policies, and its trust in hooks."""
SHAPES = ("echo", "reset", "write", "guarded", "glob")
"""No failures: whether they are counted depends on the config that is being hit."""


def maybe_kill(step: Step) -> None:
    if step.random.random() < 0.5:
        step.kill_daemon()


def call_all(step: Step) -> None:
    """A session starts, and calls of every sort are made."""
    step.call("start")
    for shape in SHAPES:
        step.call(shape)


def cut_toml(step: Step, text: bytes) -> bytes:
    """The beginning of a file, such that it is no valid TOML any more."""
    while True:
        part = text[: step.random.randrange(1, len(text) - 1)]
        try:
            tomllib.loads(part.decode())
        except ValueError:
            return part


@kind("settings.config-cut", *OFF_WITH_CONFIG, off="config.toml")
def cut_config(step: Step) -> None:
    """A config that ends in the middle of a word."""
    step.replace(step.home.config, cut_toml(step, CONFIG.encode()))
    maybe_kill(step)
    call_all(step)


@kind("settings.config-garbage", *OFF_WITH_CONFIG, off="config.toml")
def spoil_config(step: Step) -> None:
    """A config of random bytes."""
    step.replace(step.home.config, step.random.randbytes(300))
    maybe_kill(step)
    call_all(step)


@kind("settings.config-removed", *OFF_WITH_CONFIG)
def remove_config(step: Step) -> None:
    """No config: the defaults hold, and nobody needs to be told."""
    remove(step.home.config)
    maybe_kill(step)
    call_all(step)


@kind("settings.config-is-folder", *OFF_WITH_CONFIG, off="config.toml")
def put_folder_for_config(step: Step) -> None:
    """A folder where the config should be."""
    step.make_folder(step.home.config)
    maybe_kill(step)
    call_all(step)


@kind("settings.config-huge", *OFF_WITH_CONFIG, off="config.toml")
def grow_config(step: Step) -> None:
    """A config of two megabytes."""
    step.replace(step.home.config, CONFIG.encode() + b"# " + b"x" * (2 << 20))
    call_all(step)


@kind("settings.config-rewritten")
def rewrite_config(step: Step) -> None:
    """A config that is written again and again, whole, while calls are made."""
    for number in range(6):
        step.replace(step.home.config, f"{CONFIG}# {number}\n".encode())
        step.start(step.random.choice(("reset", "write", "guarded", "echo")))
    step.finish()


@kind("settings.config-hardens")
def harden_config(step: Step) -> None:
    """A config that is stricter for a while."""
    step.replace(step.home.config, f'presets = ["essentials", "practice"]\n{CONFIG}'.encode())
    step.volley(2, ("reset", "write", "guarded"))
    step.finish()


@kind("settings.registry-cut", "guarded", "hooks", off="registry.toml")
def cut_registry(step: Step) -> None:
    """A registry that ends in the middle of a word."""
    step.replace(step.world.registry, cut_toml(step, step.world.registry.read_bytes()))
    maybe_kill(step)
    call_all(step)


@kind("settings.registry-garbage", "guarded", "hooks", off="registry.toml")
def spoil_registry(step: Step) -> None:
    """A registry of random bytes."""
    step.replace(step.world.registry, step.random.randbytes(500))
    call_all(step)


@kind("settings.engine-removed", "unchecked")
def remove_engine_file(step: Step) -> None:
    """No engine file and no daemon: an open fail policy lets calls pass, and says so."""
    step.kill_daemon()
    remove(step.home.engine)
    step.mix(2)


@kind("settings.engine-emptied", "unchecked")
def empty_engine_file(step: Step) -> None:
    """An empty engine file and no daemon."""
    step.kill_daemon()
    step.home.engine.write_bytes(b"")
    step.mix(2)


@kind("settings.engine-garbage", "unchecked")
def spoil_engine_file(step: Step) -> None:
    """Garbage in the engine file, and no daemon."""
    step.kill_daemon()
    step.home.engine.write_bytes(step.random.randbytes(400))
    step.mix(2)


@kind("settings.engine-under-daemon")
def remove_engine_file_under_daemon(step: Step) -> None:
    """No engine file while the daemon runs: it is not needed then."""
    remove(step.home.engine)
    step.mix(3)


@kind("settings.python-missing", "unchecked")
def lose_python(step: Step) -> None:
    """The Python that the engine file names is gone, and so is the daemon."""
    text = step.home.engine.read_text().replace("python=", "python=/nowhere", 1)
    step.kill_daemon()
    step.replace(step.home.engine, text.encode())
    step.mix(2)


@kind("settings.python-fails", "unchecked", "unheard")
def break_python(step: Step) -> None:
    """The Python that the engine file names is another program."""
    program = step.random.choice(("/bin/true", "/bin/false", "/bin/cat"))
    lines = [f"python={program}" if line.startswith("python=") else line for line in read_lines(step)]
    step.kill_daemon()
    step.replace(step.home.engine, "\n".join(lines).encode() + b"\n")
    step.mix(2)


@kind("settings.start-file-removed")
def remove_start_file(step: Step) -> None:
    """The file that starts the engine is gone: it starts without it."""
    step.kill_daemon()
    remove(step.home.start)
    step.mix(2)


@kind("settings.start-file-cut", "unchecked", "unheard")
def cut_start_file(step: Step) -> None:
    """The file that starts the engine has lost its end."""
    step.kill_daemon()
    step.truncate(step.home.start)
    step.mix(2)


@kind("settings.engine-list-flipped", "unchecked", "unheard")
def flip_engine_list(step: Step) -> None:
    """Other bits in the list of the engine's files: it may not start, and says so."""
    step.kill_daemon()
    step.flip(step.home.engine_files, 3)
    step.mix(2)


@kind("settings.engine-removed-closed", "unheard", rare=2, fail="closed")
def remove_engine_file_closed(step: Step) -> None:
    """No engine file and no daemon, where failing means refusing."""
    step.kill_daemon()
    remove(step.home.engine)
    for shape in ("reset", "write", "echo"):
        step.call(shape)


@kind("settings.engine-emptied-closed", "unheard", rare=2, fail="closed")
def empty_engine_file_closed(step: Step) -> None:
    """An empty engine file and no daemon, where failing means refusing."""
    step.kill_daemon()
    step.home.engine.write_bytes(b"")
    for shape in ("reset", "guarded", "echo"):
        step.call(shape)


@kind("settings.python-missing-closed", "unheard", rare=2, fail="closed")
def lose_python_closed(step: Step) -> None:
    """Its Python is gone, where failing means refusing."""
    lines = ["python=/nowhere" if line.startswith("python=") else line for line in read_lines(step)]
    step.kill_daemon()
    step.replace(step.home.engine, "\n".join(lines).encode() + b"\n")
    for shape in ("reset", "write", "echo"):
        step.call(shape)


@kind("settings.fallback-killed-closed", "unheard", rare=2, fail="closed")
def kill_fallback_closed(step: Step) -> None:
    """The Python in the place of the daemon is ended, where failing means refusing."""
    step.kill_daemon()
    step.start("reset")
    if found := step.find_fallback():
        step.wait(0, 0.3)
        processes.send_signal(found.pid, signal.SIGKILL)


def read_lines(step: Step) -> list[str]:
    return step.home.engine.read_text().splitlines()
