"""Tool calls that reach out of the project."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Annotated

from synaptic.model.decision import Verdict, deny
from synaptic.model.event import PreToolUse
from synaptic.model.facts import Facts
from synaptic.model.tool import PATH_KEYS, Tool
from synaptic.parse.paths import Standpoint, inside, readings, resolve
from synaptic.parse.words import simple_commands
from synaptic.policies.base import FEWER, Policy

KEYS = (*PATH_KEYS, "paths", "source", "destination", "directory", "uri", "old_path", "new_path")
PROGRAMS = ("/bin", "/sbin", "/usr", "/opt", "/nix/store", "/snap/bin", "/home/linuxbrew/.linuxbrew")
DEVICES = ("/dev/null", "/dev/zero", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/fd", "/dev/urandom")
BEFORE_PROGRAM = frozenset(
    ("if", "then", "else", "elif", "do", "while", "until", "!", "{", "time", "exec", "env", "sudo", "nohup", "command")
)
PATTERN_FIRST = frozenset({"sed", "gsed", "awk", "gawk", "mawk", "grep", "egrep", "fgrep", "rg", "ag", "jq", "perl"})
ASSIGNMENT = re.compile(r"\w+\+?=")
VALUE = re.compile(r"^(?:-{1,2}[\w-]+=|\w+\+?=|-[A-Za-z](?=[/~])|@)")
DEPTH = 3


class OutsideProject(Policy):
    """Reading or writing outside the project.

    ## What it does
    Denies every tool call that names a path outside the project's root, the folders added to the workspace, and the
    folders in `also` and `scratch`. In shell commands it looks at each word that is a path, at redirections and at
    values such as `--file=/etc/hosts`; running a program from a system folder is fine, naming a file there is not.
    ## Why
    An agent that works on one project has no business in the keys, the settings or the other projects of its user.
    ## Known gaps
    Links inside the project that lead out of it are not followed. Variables other than HOME and PWD, globs, brace
    lists, `$'...'` quoting, aliases, and paths that a script computes are not expanded. A pattern such as `/api/v1` is
    taken for a path unless it is the first argument of grep, sed, awk and their like. File systems that ignore case
    are compared with case. Patches are not read.
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
        roots = (facts.root, *facts.extra_roots, *_folders((*self.also, *self.scratch), facts.root, facts.home))
        found = _in_command(event.tool.command, at, roots) if event.tool.command else _in_input(event.tool, at, roots)
        return next((_denial(path, facts.root) for path in found), None)


@lru_cache(maxsize=64)
def _folders(names: tuple[str, ...], root: str, home: str) -> tuple[str, ...]:
    resolved = (resolve(name, Standpoint(root, home)) for name in names)
    return tuple(path for path in resolved if path)


def _denial(path: str, root: str) -> Verdict:
    return deny(
        f"{path!r} is outside the project {root}. Work inside the project; if the user wants this folder used, they "
        'can add it to `also` under [policies."paths.outside-project"] in ~/.synaptic/config.toml.'
    )


def _in_input(tool: Tool, at: Standpoint, roots: tuple[str, ...]) -> Iterator[str]:
    """Paths outside the roots among the values that name paths."""
    keys = (*KEYS, "pattern") if tool.name == "Glob" else KEYS
    for key in keys:
        value = tool.input.get(key)
        for text in value if isinstance(value, list | tuple) else (value,):
            if isinstance(text, str) and text and _outside(text, at, roots):
                yield text


def _in_command(command: str, at: Standpoint, roots: tuple[str, ...], depth: int = 0) -> Iterator[str]:
    """Paths outside the roots among the words of a command; `cd` moves the place that later words start from."""
    for words in simple_commands(command):
        start = _program(words)
        program = words[start] if start < len(words) else ""
        yield from _in_words(words[:start], at, roots)
        if _looks_like_path(program) and not _runnable(program, at, roots):
            yield program
        arguments = words[start + 1 :]
        yield from _in_words(_without_pattern(program, arguments), at, roots)
        for text in _nested(program, arguments) if depth < DEPTH else ():
            yield from _in_command(text, at, roots, depth + 1)
        if program == "cd" and arguments:
            at = Standpoint(resolve(arguments[-1], at) or at.cwd, at.home)


def _program(words: list[str]) -> int:
    for index, word in enumerate(words):
        if word and word not in BEFORE_PROGRAM and not ASSIGNMENT.match(word):
            return index
    return len(words)


def _runnable(program: str, at: Standpoint, roots: tuple[str, ...]) -> bool:
    return not _outside(program, at, roots) or all(inside(path, PROGRAMS) for path in readings(program, at))


def _in_words(words: list[str], at: Standpoint, roots: tuple[str, ...]) -> Iterator[str]:
    for word in words:
        text = VALUE.sub("", word)
        if _looks_like_path(text) and _outside(text, at, (*roots, *DEVICES)):
            yield text


def _without_pattern(program: str, arguments: list[str]) -> list[str]:
    """The arguments without the pattern that such a program takes first; `-f` names a file."""
    if program.rpartition("/")[2] not in PATTERN_FIRST:
        return arguments
    for index, word in enumerate(arguments):
        if word in ("-f", "--file"):
            return arguments
        if not word.startswith("-"):
            return arguments[:index] + arguments[index + 1 :]
    return arguments


def _nested(program: str, arguments: list[str]) -> Iterator[str]:
    """Arguments that are shell text themselves."""
    if program == "eval":
        yield " ".join(arguments)
    for before, word in zip([program, *arguments], arguments, strict=False):
        if "$(" in word or "`" in word or before in ("-c", "-lc"):
            yield word


def _looks_like_path(text: str) -> bool:
    return text.startswith(("/", "~", "$HOME", "${HOME", "$PWD", "${PWD", "file:///")) or ".." in text or "%2" in text


def _outside(text: str, at: Standpoint, roots: tuple[str, ...]) -> bool:
    """A NUL ends a name early for the system and not for us, so such a text is never inside."""
    return "\0" in text or not all(inside(path, roots) for path in readings(text, at))
