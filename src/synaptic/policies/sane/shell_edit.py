"""Whether a shell command is an edit: a command that only reads, or writes temporary files, is free."""

import re

from synaptic.policies.reading import runs_elsewhere
from synaptic.shell.book.entries import normalize_name
from synaptic.shell.effects.effects import Effect
from synaptic.shell.names import split_names
from synaptic.shell.paths import Standpoint, is_inside, resolve_path
from synaptic.shell.programs.git_line import read_git_call
from synaptic.shell.reading import CommandReading

DEVICES = ("/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/fd", "/proc/self/fd")
TEMPORARY = ("/tmp", "/var/tmp", "/var/folders", "/dev/shm")
TEMPORARY_NAME = re.compile(
    r"\$TMPDIR(?!\w)|\$\{TMPDIR(?::?-/(?:var/)?tmp/?)?\}"
    r"|(?:\$\(|`)mktemp(?: +(?:-[dqu]+|-t +[\w.-]+|--suffix[= ][\w.-]+|--tmpdir|/(?:var/)?tmp/[\w./-]*))* *[)`]"
)
"""How a name begins that only the shell can work out. Not `${TMPDIR:-src}`, and not `mktemp -p src`."""
FOLDER_MAKERS = frozenset({"mkdir"})
"""Programs that make a place for files and change none."""
BUILDERS = split_names("go gcc g++ cc c++ clang clang++ ld ar rustc javac kotlinc swiftc tsc esbuild ghc zig nim dmd")
"""Programs whose output is made from the sources, and can be made again."""
COMMITTED_WORK = split_names(
    "checkout switch merge rebase pull cherry-pick revert reset restore stash bisect worktree clone submodule"
)
"""Commands of git that bring files which were committed before. What they would lose is another guard's question."""
MADE_AGAIN = split_names("__pycache__ node_modules .pytest_cache .mypy_cache .ruff_cache .next .turbo coverage")
"""Folders of what programs make by themselves, and make again."""
PROJECT_SCRATCH = "tmp"
"""The folder below the root that `scratch.shared-tmp` moves temporary files to."""


def edits_files(command: CommandReading, root: str) -> bool:
    """Whether a command changes files of this machine that are not temporary.

    Text that cannot be read to its end may hide a change, so it counts as one.
    """
    return bool(command.script.truncated) or any(_is_edit(effect, command, root) for effect in command.effects.changes)


def authors_files(command: CommandReading, root: str) -> bool:
    """Whether some of what it changes is new work: neither made from sources, nor committed before, nor made again."""
    return bool(command.script.truncated) or any(
        _is_edit(effect, command, root) and not _is_made_again(effect, command) for effect in command.effects.changes
    )


def _is_edit(effect: Effect, command: CommandReading, root: str) -> bool:
    if runs_elsewhere(effect) or (effect.command is not None and effect.command.name in FOLDER_MAKERS):
        return False
    text = effect.word.text
    if TEMPORARY_NAME.match(text) and ".." not in text:
        return False
    path = _resolve_target(effect, command)
    if path is None or is_inside(path, DEVICES):
        return path is None
    if root and is_inside(path, (f"{root}/{PROJECT_SCRATCH}",)):
        return False
    # A project may itself lie in a temporary folder: its files are no scratch files.
    return is_inside(path, (root,)) or not is_inside(path, TEMPORARY)


def _resolve_target(effect: Effect, command: CommandReading) -> str | None:
    folder = effect.cwd or command.standpoint.cwd
    return resolve_path(effect.word.text, Standpoint(folder, command.home)) if effect.is_named else folder


def _is_made_again(effect: Effect, command: CommandReading) -> bool:
    name = normalize_name(effect.command.name) if effect.command else ""
    if effect.command and name == "git":
        return not effect.is_named and read_git_call(effect.command).verb in COMMITTED_WORK
    if name in BUILDERS and effect.kind != "delete":
        return True
    return not MADE_AGAIN.isdisjoint((_resolve_target(effect, command) or "").split("/"))
