"""Tool calls that reach out of the project."""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain
from typing import Annotated

from synaptic.model.decision import Verdict, deny
from synaptic.model.event import PreToolUse
from synaptic.model.tool import Tool
from synaptic.policies.base import FEWER, Policy
from synaptic.policies.facts import Facts
from synaptic.policies.reading import runs_elsewhere
from synaptic.policies.secrets.private import iter_named_paths
from synaptic.shell.book.entries import find_program
from synaptic.shell.paths import Standpoint, is_inside, list_readings, resolve_path
from synaptic.shell.read.script import Command
from synaptic.shell.reading import CommandReading

PROGRAM_FOLDERS = ("/bin", "/sbin", "/usr", "/opt", "/nix/store", "/snap/bin", "/home/linuxbrew/.linuxbrew")
DEVICES = ("/dev/null", "/dev/zero", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/fd", "/dev/urandom")
OPTION_PREFIX = re.compile(r"^(?:-{1,2}[\w-]+=|\w+\+?=|-[A-Za-z](?=[/~])|@)")
TEXTS = frozenset({"pattern", "code", "print"})
"""Roles of options whose value is no path."""
SAYERS = frozenset({"echo", "printf"})


class OutsideProject(Policy):
    """Reading or writing outside the project.

    ## What it does
    Denies every tool call that names a path outside the project's root, the folders added to the workspace, and the
    folders in `also` and `scratch`. In shell commands it looks at each word that is a path, at redirections and at
    values such as `--file=/etc/hosts`; running a program from a system folder is fine, naming a file there is not.
    ## Why
    An agent that works on one project has no business in the keys, the settings or the other projects of its user.
    ## Known gaps
    Links inside the project that lead out of it are not followed, and unknown variables are not guessed. A pattern such
    as `/api/v1` is taken for a path unless it is the first argument of grep, sed, awk and their like. File systems
    that ignore case are compared with case.
    """

    id = "paths.outside-project"
    events = (PreToolUse,)
    priority = 20
    preset = "strict"
    needs = ("extra_roots",)

    also: Annotated[tuple[str, ...], FEWER] = ("~/.claude/plans", "~/.claude/projects")
    """Folders outside the project that may be used all the same."""
    scratch: Annotated[tuple[str, ...], FEWER] = ("/tmp", "/var/tmp", "/var/folders")
    """Folders for temporary files."""

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        if not facts.root:
            return None
        at = Standpoint(event.cwd or facts.root, facts.home)
        roots = (facts.root, *facts.extra_roots, *_resolve_folders((*self.also, *self.scratch), facts.root, facts.home))
        known = facts.command
        found = chain(_find_in_command(known, at, roots) if known else (), _find_in_input(event.tool, at, roots))
        return next((_deny_path(path, facts.root) for path in found), None)


@lru_cache(maxsize=64)
def _resolve_folders(names: tuple[str, ...], root: str, home: str) -> tuple[str, ...]:
    resolved = (resolve_path(name, Standpoint(root, home)) for name in names)
    return tuple(path for path in resolved if path)


def _deny_path(path: str, root: str) -> Verdict:
    return deny(
        f"{path!r} is outside the project {root}. Work inside the project; if the user wants this folder used, they "
        'can add it to `also` under [policies."paths.outside-project"] in ~/.synaptic/config.toml.'
    )


def _find_in_input(tool: Tool, at: Standpoint, roots: tuple[str, ...]) -> Iterator[str]:
    """Paths outside the roots among the values that name paths."""
    yield from (text for text in iter_named_paths(tool) if _is_outside(text, at, roots))


def _find_in_command(known: CommandReading, at: Standpoint, roots: tuple[str, ...]) -> Iterator[str]:
    """Paths outside the roots among the words of the commands that run, each seen from the folder it runs in."""
    for redirect in known.script.redirects:
        # The target of these is text, not a file.
        if redirect.operator not in ("<<", "<<<") and not runs_elsewhere(redirect):
            yield from _find_in_words([redirect.target.text], Standpoint(redirect.cwd or at.cwd, at.home), roots)
    broken = any(gap.kind == "syntax" for gap in known.script.unresolved)
    for command in known.script.commands:
        if runs_elsewhere(command):
            continue
        here = Standpoint(command.cwd or at.cwd, at.home)
        program = command.argv[0].text
        if _looks_like_path(program) and not _is_runnable(program, here, roots):
            yield program
        yield from _find_in_words([word.text for _, word in command.assignments], here, roots)
        arguments = _find_arguments(command)
        # Text that is no shell may be cut elsewhere by whoever runs it.
        yield from _find_in_words(
            [piece for word in arguments for piece in word.split()] if broken else arguments, here, roots
        )


def _is_runnable(program: str, at: Standpoint, roots: tuple[str, ...]) -> bool:
    return not _is_outside(program, at, roots) or all(
        is_inside(path, PROGRAM_FOLDERS) for path in list_readings(program, at)
    )


def _find_in_words(words: list[str], at: Standpoint, roots: tuple[str, ...]) -> Iterator[str]:
    for word in words:
        text = OPTION_PREFIX.sub("", word)
        if _looks_like_path(text) and _is_outside(text, at, (*roots, *DEVICES)):
            yield text


def _find_arguments(command: Command) -> list[str]:
    """The arguments without text that is no path: patterns, programs of a language, messages."""
    program = find_program(command.name)
    if program.name in SAYERS:
        return []
    given = program.read(command.argv[1:])
    spoken = [flag for flag in given.flags if flag.role in TEXTS]
    texts = [flag.word if flag.word.text[:2] == "--" and "=" in flag.word.text else flag.value for flag in spoken]
    if program.roles.first[:1] == ("pattern",) and not given.has_role("pattern", "pattern-file", "no-pattern"):
        texts += given.operands[:1]
    spared = {id(text) for text in texts}  # by identity: the same text may stand elsewhere as a path
    return [word.text for word in command.argv[1:] if id(word) not in spared]


def _looks_like_path(text: str) -> bool:
    return text.startswith(("/", "~", "$HOME", "${HOME", "$PWD", "${PWD", "file:///")) or ".." in text or "%2" in text


def _is_outside(text: str, at: Standpoint, roots: tuple[str, ...]) -> bool:
    """A NUL ends a name early for the system and not for us, so such a text is never inside."""
    return "\0" in text or not all(is_inside(path, roots) for path in list_readings(text, at))
