"""What a call that was made is about, as conditions of a rule: program and leading words, or the file it changed."""

import posixpath
import re
from collections.abc import Iterator
from typing import Any

import msgspec

from synaptic.hooks.rules.commands import SortedCommand, sort_command
from synaptic.model.errors import DeclarationError
from synaptic.model.event import Event, ToolEvent
from synaptic.policies.facts import read_command
from synaptic.shell.book.entries import BOOK, UNKNOWN_PROGRAM
from synaptic.shell.names import split_names

QUIET_PROGRAMS = split_names("cd pushd popd echo printf export set unset true : test [ sleep wait")
"""Programs that stand around the command that somebody means."""
RUNNING_VERBS = frozenset({"run", "run-script", "exec", "compose"})
"""Verbs of which the next word says what happens."""
GROUPING_PROGRAMS = split_names("aws az doctl fly flyctl gcloud gh glab heroku oc supabase vercel")
"""Programs whose first word is a subject: `gh pr merge`."""
FILE_ROLES = frozenset({"read", "write", "delete", "touch", "script", "pattern", "fetch", "line", "lines"})
"""What the words of a program are where none of them is a verb."""
DISTANT_STARTERS = split_names("kubectl mosh oc ssh")
"""Programs of which the words in front say where something is started."""
SCRIPT_PATH = re.compile(r"[a-z][\w./-]*\.\w+")
PLAIN_WORD = re.compile(r"[a-z][a-z0-9:_-]*")
MAX_LEADING = 2


class CallDraft(msgspec.Struct, frozen=True):
    """The conditions, and what else in the call a rule could be about."""

    keys: dict[str, Any]
    others: tuple[str, ...] = ()


def draft_from_call(event: Event, root: str, home: str) -> CallDraft:
    """The conditions of a rule about this call. Raises DeclarationError for an event without one."""
    if not isinstance(event, ToolEvent):
        raise DeclarationError(f"{event.hook_event_name} is about no tool", hint="synaptic rule add --event ...")
    reading = read_command(event, root, home)
    if reading is not None:
        found = [sort_command(one) for one in reading.script.commands if one.name]
        named = sorted(found, key=_only_starts)  # `sudo x` is about x
        told = [_name_command(one) for one in named if one.program not in QUIET_PROGRAMS]
        if told := list(dict.fromkeys(told)):
            return CallDraft({"run": told[0]}, tuple(told[1:]))
    if event.tool.may_write and event.tool.paths:
        paths = [_shorten_path(path, root, home) for path in event.tool.paths]
        return CallDraft({"edit": paths[0]}, tuple(paths[1:]))
    if event.tool.name and reading is None:
        return CallDraft({"tool": event.tool.name})
    raise DeclarationError("this call names no program and no file", hint="synaptic rule add --help")


def _only_starts(one: SortedCommand) -> bool:
    """Whether a program is there for the sake of another: `timeout 5 npm publish` is about npm."""
    roles = BOOK.get(one.program, UNKNOWN_PROGRAM).roles
    return one.program not in DISTANT_STARTERS and roles.many == "run" and set(roles.first) <= {"skip"}


def _name_command(one: SortedCommand) -> str:
    """Program and leading words; a word that names what it works on is none of them."""
    return " ".join([one.program, *_iter_leading(one)])


def _iter_leading(one: SortedCommand) -> Iterator[str]:
    entry = BOOK.get(one.program, UNKNOWN_PROGRAM)
    if (entry.language or entry.shell) and one.words[:1] and SCRIPT_PATH.fullmatch(one.words[0].text):
        yield from (word.text for word in one.words[:1] + one.words[1:MAX_LEADING] if PLAIN_WORD.match(word.text))
        return
    if not FILE_ROLES.isdisjoint(entry.roles.roles) or _only_starts(one):
        return
    for word in one.words[:MAX_LEADING]:
        if not word.known or not PLAIN_WORD.fullmatch(word.text):
            return
        yield word.text
        verb = entry.find_verb(word.text)
        if not (word.text in RUNNING_VERBS or one.program in GROUPING_PROGRAMS or (verb is not None and verb.verbs)):
            return


def _shorten_path(path: str, root: str, home: str) -> str:
    """The path from the project's root, so that the rule holds in every clone."""
    whole = posixpath.normpath(posixpath.join(root or "/", path))
    if root and whole.startswith(f"{root.rstrip('/')}/"):
        inner = whole[len(root.rstrip("/")) + 1 :]
        return inner if "/" in inner else f"./{inner}"
    return f"~/{whole[len(home) + 1 :]}" if home and whole.startswith(f"{home}/") else whole
