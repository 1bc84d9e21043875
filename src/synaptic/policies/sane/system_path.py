"""Reading or writing system folders and secrets."""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain
from typing import Annotated

from synaptic.model import sane
from synaptic.model.decision import Verdict
from synaptic.model.event import PreToolUse
from synaptic.policies.base import FEWER, MORE, ON, Policy
from synaptic.policies.facts import Facts
from synaptic.policies.path_words import list_path_words
from synaptic.policies.reading import runs_elsewhere
from synaptic.policies.sane.refuse import refuse_call
from synaptic.policies.secrets.private import is_secret
from synaptic.shell.paths import Standpoint, is_inside, list_readings
from synaptic.shell.reading import CommandReading

ALWAYS_GUARDED = r"\.env\b|/objects|/\.synaptic|%|\.\.|\x00"
PROGRAM_FOLDERS = ("/usr", "/bin", "/sbin")
"""Folders whose programs a command may run and name, and never write."""
HOME_ONLY = frozenset({".docker", ".kube"})
"""Folders that hold secrets in a home, and plain files in a project."""


class SystemPath(Policy):
    """Reading or writing system folders and secrets.

    ## What it does
    Denies every tool, reads included, a path in a system folder, a folder of keys, or a file of secrets. Traversal,
    percent encoding, `~` and links are seen through. A shell command may run programs of the system and may look at
    what lies in system folders (`ls /etc/apt`, `cat /etc/os-release`), but for secrets; it may write none of them.
    With `reads` it may not even name them, but for /usr, /bin and /sbin.
    ## Why
    Nothing that a project needs is there, and what is there is not the agent's to read.
    ## Known gaps
    In shell commands, links are not followed, and paths that a program computes are not seen.
    """

    id = "sane.system-path"
    events = (PreToolUse,)
    priority = 20
    preset = "sane"
    needs = ("real_paths", sane.ENFORCEMENT)

    folders: Annotated[tuple[str, ...], MORE] = ("/etc", "/var", "/usr", "/bin", "/sbin", "/System", "/Library")
    """System folders, as absolute paths."""
    secret_folders: Annotated[tuple[str, ...], MORE] = (".ssh", ".gnupg", ".aws", ".kube", ".docker")
    """Folders of keys, wherever they are."""
    secret_files: Annotated[tuple[str, ...], MORE] = (
        ".netrc", "credentials.json", "secrets.yml", "secrets.yaml", ".claude_hook_secret",
    )  # fmt: skip
    """Files of secrets by name, wherever they are; files that end in `.env` are always among them."""
    also: Annotated[tuple[str, ...], FEWER] = ("/var/tmp", "/var/folders", "/usr/include", "/usr/share/doc")
    """Places in system folders that may be used all the same."""
    reads: Annotated[bool, ON] = False
    """Whether a shell command may not even name a path in a system folder."""

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        known = facts.command
        if known and not known.has_long_words and not self._may_name_guarded(known.words):
            known = None
        at = Standpoint(event.cwd or facts.root, facts.home)
        in_command = self._find_in_command(known, at, facts) if known else ()
        path = next(chain(in_command, self._find_in_input(event, at, facts)), None)
        if path is None:
            return None
        reason = f"{path!r} is a system path or a secret: agents stay out of it. Work inside the project {facts.root}."
        return refuse_call(self.id, event, facts, reason)

    def _find_in_input(self, event: PreToolUse, at: Standpoint, facts: Facts) -> Iterator[str]:
        for text in _list_named_paths(event):
            meant = (*list_readings(text, at), *filter(None, (facts.real_paths.get(text),)))
            if "\0" in text or any(self._may_name_guarded(path) and self._is_guarded(path, facts) for path in meant):
                yield text

    def _find_in_command(self, known: CommandReading, at: Standpoint, facts: Facts) -> Iterator[str]:
        """What is written, and then what is named in any way."""
        for change in known.effects.changes:
            paths = list_readings(change.word.text, Standpoint(change.cwd or at.cwd, at.home))
            if not runs_elsewhere(change) and any(self._is_guarded(path, facts) for path in paths):
                yield change.word.text
        for word, cwd in _iter_words(known):
            text = word.partition("=")[2] if "=/" in word or "=~" in word else word
            looked_at = _looks_like_path(text) or (cwd and is_inside(cwd, self.folders))
            paths = list_readings(text, Standpoint(cwd or at.cwd, at.home)) if looked_at else ()
            if any(self._is_kept_from_reading(path, facts) for path in paths):
                yield text

    def _may_name_guarded(self, text: str) -> bool:
        """A text that names nothing that is guarded, as most calls do, needs no second look."""
        guarded = (self.folders, self.secret_folders, self.secret_files)
        low = text.lower()
        # Some letters match a plain one when case is ignored and are not found by `in`, so other text goes to the
        # pattern.
        if text.isascii() and not _holds_hint(low, _list_hints(guarded)):
            return False
        return _compile_names(guarded).search(text) is not None

    def _is_kept_from_reading(self, path: str, facts: Facts) -> bool:
        """Whether a shell command may not name a path: in a system folder, the secrets; elsewhere what is guarded."""
        if not self._is_guarded(path, facts) or is_inside(path, PROGRAM_FOLDERS):
            return False
        # The objects of a repository are no secret; only writing them breaks it.
        is_open = is_inside(path, self.folders) or "/.git/objects" in path
        return self.reads or not is_open or self._is_secret(path, facts)

    def _is_secret(self, path: str, facts: Facts) -> bool:
        named = path.rpartition("/")[2] in self.secret_files or any(
            part in self.secret_folders for part in path.split("/")
        )
        return named or is_secret(path, facts.home)

    def _is_guarded(self, path: str, facts: Facts) -> bool:
        parts = path.split("/")
        name = parts[-1]
        if name in self.secret_files or name.endswith(".env") or "/.git/objects" in path:
            return True
        if path == f"{facts.home}/.synaptic/state.key":
            return True
        secret = [part for part in parts if part in self.secret_folders]
        if is_inside(path, (facts.root,)):
            return any(part not in HOME_ONLY for part in secret)
        return bool(secret) or (is_inside(path, self.folders) and not is_inside(path, self.also))


def _holds_hint(text: str, hints: tuple[str, ...]) -> bool:
    for hint in hints:  # noqa: SIM110  asked of every call: a generator would cost three times as much
        if hint in text:
            return True
    return False


@lru_cache(maxsize=64)
def _list_hints(guarded: tuple[tuple[str, ...], ...]) -> tuple[str, ...]:
    """What such a text holds at least: cheaper to ask than the pattern."""
    return (*(name.lower() for group in guarded for name in group), ".env", "/objects", "/.synaptic", "%", "..", "\0")


@lru_cache(maxsize=64)
def _compile_names(guarded: tuple[tuple[str, ...], ...]) -> re.Pattern[str]:
    names = (re.escape(name) for group in guarded for name in group)
    return re.compile("|".join((*names, ALWAYS_GUARDED)), re.IGNORECASE)


def _iter_words(known: CommandReading) -> Iterator[tuple[str, str]]:
    """Every argument and every file of a redirection, with the folder it is seen from."""
    for command in known.script.commands:
        if not runs_elsewhere(command):
            yield from ((text, command.cwd) for text in list_path_words(command))
    for redirect in known.script.redirects:
        if not redirect.operator.startswith("<<") and not runs_elsewhere(redirect):
            yield redirect.target.text, redirect.cwd


def _list_named_paths(event: PreToolUse) -> tuple[str, ...]:
    """Every path a call names; what a search looks for counts when it is a path itself."""
    pattern = event.tool.read_text("pattern") if event.tool_name == "Glob" else ""
    return (*event.tool.paths, pattern) if pattern.startswith(("/", "~", "..")) else event.tool.paths


def _looks_like_path(text: str) -> bool:
    return "/" in text or text.startswith((".", "~", "$")) or "%2" in text or "." in text
