"""Tool calls that reach out of the project: what they change, and what they read of a person."""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import chain
from typing import Annotated

from synaptic.model.decision import Verdict, deny
from synaptic.model.event import PreToolUse
from synaptic.model.tool import Tool
from synaptic.policies.base import FEWER, MORE, ON, Policy
from synaptic.policies.facts import Facts
from synaptic.policies.path_words import list_path_words
from synaptic.policies.reading import runs_elsewhere
from synaptic.policies.secrets.private import is_secret, iter_named_paths
from synaptic.shell.paths import Standpoint, is_inside, list_readings, resolve_path
from synaptic.shell.read.script import Word
from synaptic.shell.reading import CommandReading

PROGRAM_FOLDERS = ("/bin", "/sbin", "/usr", "/opt", "/nix/store", "/snap/bin", "/home/linuxbrew/.linuxbrew")
DEVICES = ("/dev/null", "/dev/zero", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/fd", "/dev/urandom")
OPTION_PREFIX = re.compile(r"^(?:-{1,2}[\w-]+=|\w+\+?=|-[A-Za-z](?=[/~])|@)")
CHANGED = "would be changed, and it is outside the project {root}. Work inside the project."
PERSONAL = "is personal, and outside the project {root}. Work inside the project."
OUTSIDE = "is outside the project {root}. Work inside the project."


class OutsideProject(Policy):
    """Writing outside the project, and reading what is personal there.

    ## What it does
    Denies every tool call that writes, moves or deletes a file outside the project's root, the folders added to the
    workspace, and the folders in `also` and `scratch`; and every call that names a file there that holds keys,
    passwords or tokens, or lies in a personal folder (`personal`). Reading anything else outside is fine: programs,
    toolchains, caches, documentation, other checkouts. A personal folder that holds the project itself is none here.
    With `reads` every read outside is refused, too: then each word of a command that is a path counts, and each value
    such as `--file=/etc/hosts`; running a program from a system folder stays fine.
    ## Why
    An agent that works on one project has no business in the keys, the settings or the letters of its user, and what it
    changes in other projects nobody looks at. What it reads of the machine is how it finds out how things work.
    ## Known gaps
    Links inside the project that lead out of it are not followed, and unknown variables are not guessed. A file that an
    unknown program writes is not known to be written. With `reads`, a pattern such as `/api/v1` is taken for a path
    unless it is the first argument of grep, sed, awk and their like. File systems that ignore case are compared with
    case.
    """

    id = "paths.outside-project"
    events = (PreToolUse,)
    priority = 20
    preset = "strict"
    needs = ("extra_roots",)

    also: Annotated[tuple[str, ...], FEWER] = ("~/.claude/plans", "~/.claude/projects")
    """Folders outside the project that may be used all the same."""
    scratch: Annotated[tuple[str, ...], FEWER] = ("/tmp", "/var/tmp", "/var/folders", "/private/tmp", "/dev/shm")
    """Folders for temporary files."""
    reads: Annotated[bool, ON] = False
    """Whether every read outside the project is refused, too."""
    personal: Annotated[tuple[str, ...], MORE] = (
        "Desktop", "Documents", "Movies", "Music", "Pictures", "Videos", "Mail", ".thunderbird",
        "Library/Mail", "Library/Messages", "Library/Calendars", "Library/Safari", "Library/Cookies",
        "Library/Keychains", "Library/Application Support/AddressBook",
    )  # fmt: skip
    """Folders of a home that nothing is read from, unless the project lies there."""

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        if not facts.root:
            return None
        at = Standpoint(event.cwd or facts.root, facts.home)
        roots = (facts.root, *facts.extra_roots, *_resolve_folders((*self.also, *self.scratch), facts.root, facts.home))
        found = chain(self._find_changes(event, facts, at, roots), self._find_reads(event, facts, at, roots))
        return next((_deny_path(path, doing, facts.root) for path, doing in found), None)

    def _find_changes(
        self, event: PreToolUse, facts: Facts, at: Standpoint, roots: tuple[str, ...]
    ) -> Iterator[tuple[str, str]]:
        if facts.command:
            yield from ((path, CHANGED) for path in _find_written(facts.command, at, roots))
        if event.tool.may_write:
            yield from ((path, CHANGED) for path, _ in _find_in_input(event.tool, at, roots))

    def _find_reads(
        self, event: PreToolUse, facts: Facts, at: Standpoint, roots: tuple[str, ...]
    ) -> Iterator[tuple[str, str]]:
        known = facts.command
        # What a tool that may write names was looked at before, and is inside.
        given = () if event.tool.may_write else _find_in_input(event.tool, at, roots)
        named = chain(_find_in_command(known, at, roots) if known else (), given)
        for text, here in named:
            if self.reads or "\0" in text:
                yield text, OUTSIDE
            elif any(map(self._make_personal_test(facts), list_readings(text, here))):
                yield text, PERSONAL

    def _make_personal_test(self, facts: Facts) -> Callable[[str], bool]:
        pattern = _compile_personal(self.personal, facts.home)
        return lambda path: is_secret(path, facts.home) or _is_personal(path, pattern, facts.root)


@lru_cache(maxsize=64)
def _resolve_folders(names: tuple[str, ...], root: str, home: str) -> tuple[str, ...]:
    resolved = (resolve_path(name, Standpoint(root, home)) for name in names)
    return tuple(path for path in resolved if path)


@lru_cache(maxsize=64)
def _compile_personal(names: tuple[str, ...], home: str) -> re.Pattern[str]:
    homes = "|".join(filter(None, (r"/home/[^/]+|/users/[^/]+|/root", re.escape(home))))
    return re.compile(f"(?:{homes})/(?:{'|'.join(map(re.escape, names))})(?=/|$)", re.IGNORECASE)


def _is_personal(path: str, pattern: re.Pattern[str], root: str) -> bool:
    """A folder that holds the project is a folder of projects, whatever its name is."""
    folder = pattern.match(path)
    return folder is not None and not is_inside(root, (folder[0],))


def _deny_path(path: str, doing: str, root: str) -> Verdict:
    return deny(
        f"{path!r} {doing.format(root=root)} If the user wants this folder used, they can add it to `also` under "
        '[policies."paths.outside-project"] in ~/.synaptic/config.toml.'
    )


def _find_written(known: CommandReading, at: Standpoint, roots: tuple[str, ...]) -> Iterator[str]:
    """What a command changes outside the roots; where no word names the files, the folder that they are in."""
    for change in known.effects.changes:
        folder = change.cwd or at.cwd
        text = OPTION_PREFIX.sub("", change.word.text) or folder
        if not runs_elsewhere(change) and _is_outside(text, Standpoint(folder, at.home), (*roots, *DEVICES)):
            yield text


def _find_in_input(tool: Tool, at: Standpoint, roots: tuple[str, ...]) -> Iterator[tuple[str, Standpoint]]:
    """Paths outside the roots among the values that name paths."""
    yield from ((text, at) for text in iter_named_paths(tool) if _is_outside(text, at, roots))


def _find_in_command(known: CommandReading, at: Standpoint, roots: tuple[str, ...]) -> Iterator[tuple[str, Standpoint]]:
    """Paths outside the roots among the words of the commands that run, each with the folder it is seen from."""
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
            yield program, here
        yield from _find_in_words([word.text for _, word in command.assignments], here, roots)
        if not broken and not any(map(_names_path, command.argv[1:])):
            continue
        arguments = list_path_words(command)
        # Text that is no shell may be cut elsewhere by whoever runs it.
        yield from _find_in_words(
            [piece for word in arguments for piece in word.split()] if broken else arguments, here, roots
        )


def _is_runnable(program: str, at: Standpoint, roots: tuple[str, ...]) -> bool:
    return not _is_outside(program, at, roots) or all(
        is_inside(path, PROGRAM_FOLDERS) for path in list_readings(program, at)
    )


def _find_in_words(words: list[str], at: Standpoint, roots: tuple[str, ...]) -> Iterator[tuple[str, Standpoint]]:
    for word in words:
        text = _strip_option(word)
        if _looks_like_path(text) and _is_outside(text, at, (*roots, *DEVICES)):
            yield text, at


def _names_path(word: Word) -> bool:
    return _looks_like_path(_strip_option(word.text))


def _strip_option(text: str) -> str:
    """A word without what stands before a path in it; of most words one look says that nothing does."""
    return OPTION_PREFIX.sub("", text) if text[:1] in ("-", "@") or "=" in text else text


def _looks_like_path(text: str) -> bool:
    return text.startswith(("/", "~", "$HOME", "${HOME", "$PWD", "${PWD", "file:///")) or ".." in text or "%2" in text


def _is_outside(text: str, at: Standpoint, roots: tuple[str, ...]) -> bool:
    """A NUL ends a name early for the system and not for us, so such a text is never inside."""
    return "\0" in text or not all(is_inside(path, roots) for path in list_readings(text, at))
