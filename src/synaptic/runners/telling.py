"""How a person is told that a call waits for them: on the desktop, by the bell of their terminals, by their program.

What is told comes from an agent. No shell reads it, and no variable of the agent's own says where a program or a
desktop is: a repository can set those.
"""

import asyncio
import os
import shlex
import stat
import subprocess  # noqa: TID251 - only for its name of the null device
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import msgspec

from synaptic.model.errand import Alert, Errand
from synaptic.runners.bell import ring_bells
from synaptic.runners.desktop import build_alert_command
from synaptic.runners.errands import run_errand

TELL_SECONDS = 10.0
"""After which a program that tells is ended with everything it has started."""
MOST_TOLD = 200
"""Characters of a call that a desktop shows."""
KEPT_VARIABLES = ("HOME", "USER", "LOGNAME", "PATH", "SHELL", "LANG", "LC_ALL", "TZ", "TMPDIR")
"""Of the engine's own: those that say where things are were set by its installation."""
VARIABLE_PREFIX = "SYNAPTIC_ASK_"


class AskNote(msgspec.Struct, frozen=True, kw_only=True):
    """What a person is told about a call that waits: without secrets."""

    code: str
    """`synaptic allow CODE` lets it run."""
    policy: str
    what: str
    """The command, or the files."""
    reason: str
    project: str
    agent: str
    session: str
    seconds: float
    """How long it waits."""


async def tell_person(note: AskNote, how: str, is_persons: Callable[[int], bool]) -> str:
    """Tell a person; why that could not be done, or "". Takes no longer than a program may take."""
    if how == "bell":
        return await asyncio.to_thread(ring_bells, is_persons)
    if how == "desktop":
        return await _show_on_desktop(note)
    return await _run_program(note, how)


async def _show_on_desktop(note: AskNote) -> str:
    env = _build_environment()
    words = build_alert_command(make_alert(note), env, sys.platform)
    if not words:
        return "there is no desktop here: set `ask.notify` to `bell` or to a command"
    return await _run(words, env, b"")


async def _run_program(note: AskNote, line: str) -> str:
    try:
        words = tuple(shlex.split(line))  # noqa: TID251 - words of the user's own config; no shell runs them
    except ValueError as error:
        return f"{line!r} is no command: {error}"
    if not words:
        return f"{line!r} is no command"
    return await _run(words, {**_build_environment(), **_build_variables(note)}, msgspec.json.encode(note))


async def _run(words: tuple[str, ...], env: dict[str, str], stdin: bytes) -> str:
    errand = Errand(argv=words, cwd=env.get("HOME", "/"), timeout=TELL_SECONDS)
    with _open_input(stdin) as source:
        ended = await run_errand(errand, env, stdin=source)
    if ended.trouble:
        return f"{words[0]} {ended.trouble}"
    if ended.exit:
        return f"{words[0]} ended with {ended.exit}: {' '.join(ended.output[-MOST_TOLD:].split())}"
    return ""


def make_alert(note: AskNote) -> Alert:
    """The few lines that fit on a desktop."""
    where = os.path.basename(note.project) or note.project  # noqa: PTH119 - the last part of a text
    text = f"{show_line(note.what)}\n{note.policy}, {note.agent} in {show_line(where)}\nsynaptic allow {note.code}"
    return Alert("Synaptic: may this run?", text)


def show_line(text: str) -> str:
    """An agent's text as one line, without letters that would change how the rest is shown."""
    line = "".join(letter if letter.isprintable() else " " for letter in text)
    short = " ".join(line.split())
    return short if len(short) <= MOST_TOLD else f"{short[:MOST_TOLD]}…"


def _build_environment() -> dict[str, str]:
    env = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
    runtime = f"/run/user/{os.geteuid()}"
    if _is_own_socket(f"{runtime}/bus"):
        # The address itself could be a program to run, so it is never taken from an event.
        env |= {"XDG_RUNTIME_DIR": runtime, "DBUS_SESSION_BUS_ADDRESS": f"unix:path={runtime}/bus"}
    return env


def _build_variables(note: AskNote) -> dict[str, str]:
    return {f"{VARIABLE_PREFIX}{name.upper()}": str(value) for name, value in msgspec.structs.asdict(note).items()}


def _is_own_socket(path: str) -> bool:
    try:
        found = os.stat(path, follow_symlinks=False)  # noqa: PTH116
    except OSError:
        return False
    return stat.S_ISSOCK(found.st_mode) and found.st_uid == os.geteuid()


@contextmanager
def _open_input(content: bytes) -> Iterator[int]:
    """Something to read these bytes from. A program that does not read them keeps nobody waiting."""
    if not content:
        yield subprocess.DEVNULL
        return
    reader, writer = os.pipe()
    try:
        os.set_blocking(writer, False)  # a pipe takes far more than a note has
        os.write(writer, content)
    finally:
        os.close(writer)
    try:
        yield reader
    finally:
        os.close(reader)
