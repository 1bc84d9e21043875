"""Calls of git that add everything, ignored files too: with force, or after the line has changed what is ignored."""

import re
from collections.abc import Iterator

from synaptic.policies.reading import runs_elsewhere
from synaptic.shell.effects.effects import Effect
from synaptic.shell.names import split_names
from synaptic.shell.paths import Standpoint, is_inside, resolve_path
from synaptic.shell.programs.git_line import GitCall
from synaptic.shell.read.script import Command
from synaptic.shell.reading import CommandReading

ADDING_VERBS = ("add", "stage")
WHOLE = frozenset({".", "./", ":/", "*"})
IGNORE_HINTS = (".gitignore", "info/exclude")
SECRET_NAME = re.compile(r"env|secret|key|pem|cred|token|p12|pfx|vault", re.IGNORECASE)
"""What a command holds at least that takes the line about a secret out of the file."""
REPLACERS = split_names("mv cp install")
WRITERS = split_names("echo printf cat")
HARMLESS = split_names("touch tee chmod")
MAX_FOLDERS = 8


def list_widened_adds(known: CommandReading, home: str, root: str) -> tuple[str, ...]:
    """The folders and files that are added whatever is ignored in them; without a name it is the whole project."""
    calls = [call for call in known.acting_git_calls if call.verb in ADDING_VERBS and _acts_here(call)]
    changed = _find_changed_ignore(known) if calls else None
    added = (path for call in calls if _is_widened(call, changed) for path in _iter_added(call, home, root))
    return tuple(dict.fromkeys(added))[:MAX_FOLDERS]


def _acts_here(call: GitCall) -> bool:
    return bool(call.cwd) and not call.given.has("dry-run") and not runs_elsewhere(call.command)


def _is_widened(call: GitCall, changed: int | None) -> bool:
    return call.given.has("force") or (_is_whole(call) and changed is not None and call.command.index > changed)


def _is_whole(call: GitCall) -> bool:
    return call.given.has("all") or any(word.text in WHOLE for word in call.given.operands)


def _iter_added(call: GitCall, home: str, root: str) -> Iterator[str]:
    top = root if root and is_inside(call.cwd, (root,)) else call.cwd
    if not call.given.operands and call.given.has("all"):
        yield top
    for word in call.given.operands:
        named = call.cwd if word.text in WHOLE else resolve_path(word.text, Standpoint(call.cwd, home))
        path = top if word.text == ":/" else named
        yield from [path] if path and word.known else []


def _find_changed_ignore(known: CommandReading) -> int | None:
    """Where the line first takes something out of what is ignored; to add to it is no such thing."""
    if not any(hint in known.text for hint in IGNORE_HINTS):
        return None
    changes = (one for one in known.effects.changes if one.word.text.endswith(IGNORE_HINTS))
    found = ((one, _find_command(one, known)) for one in changes)
    return next((made.index if made else -1 for one, made in found if _takes_out(one, made, known)), None)


def _find_command(change: Effect, known: CommandReading) -> Command | None:
    """The command that makes a change, also by its redirection; None for a redirection of its own, and for code."""
    if change.command is not None:
        return change.command
    return next(
        (one for one in known.script.commands if any(made.target is change.word for made in one.redirects)), None
    )


def _takes_out(change: Effect, command: Command | None, known: CommandReading) -> bool:
    if change.kind == "delete":
        return True
    if command is None:
        return ">>" not in known.text
    redirect = next((one for one in command.redirects if one.target is change.word), None)
    if redirect is not None:
        written = " ".join((*command.args, command.stdin or ""))
        # What is written in place of it: with the names of secrets they stay ignored.
        kept = redirect.operator == ">>" or (command.name in WRITERS and SECRET_NAME.search(written) is not None)
        return not kept or _excepts(written)
    if command.name in REPLACERS:
        return SECRET_NAME.search(known.text) is not None
    return command.name not in HARMLESS and any(map(SECRET_NAME.search, command.args))


def _excepts(text: str) -> bool:
    """`!.env`: an exception from what is ignored."""
    return "!" in text and SECRET_NAME.search(text) is not None
