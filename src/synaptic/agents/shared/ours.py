"""What we leave in the files of others, and how it is recognised: the entries of one installation, our own files."""

import re

import msgspec

from synaptic.model.hook import HttpEndpoint

ENTRY_ARGUMENT = "--entry="
"""Begins the last argument of every command that we write into settings."""
HTTP_ENTRY_ARGUMENT = "synaptic-entry="
OWN_FILE_NOTE = "written by `synaptic bootstrap`, taken out by `synaptic down`"
"""In every file that is ours alone."""
DISPATCH_PATH_END = "/.synaptic/bin/dispatch"
SHELL_FORM = re.compile(r"""("(?:[^"\\]|\\.)*"|'[^']*'|[^\s"']*)(?:\s+\w+)*\s+--entry=[^\s;&|]+\s*""")


class EntryPlan(msgspec.Struct, frozen=True):
    """What the entries of one installation look like."""

    dispatch: str
    """Absolute path of the dispatcher: the exec form expands neither `~` nor variables."""
    token: str
    """Random per installation: a repository that repeats an entry to replace it cannot guess this."""
    fail_closed: bool = False
    http: HttpEndpoint | None = None


def is_ours(hook: object, dispatch: str, key: str = "command") -> bool:
    """Whether a hook object in settings was written by us: now, by another version, or from another home."""
    if not isinstance(hook, dict):
        return False
    if hook.get("type") == "http":
        return HTTP_ENTRY_ARGUMENT in str(hook.get("url", ""))
    command, args = hook.get(key), hook.get("args")
    if not isinstance(command, str):
        return False
    if isinstance(args, list):
        return is_dispatcher(command, dispatch) and any(str(arg).startswith(ENTRY_ARGUMENT) for arg in args)
    # The whole command has to be ours: a line of the user that also calls the dispatcher is not ours to remove.
    found = SHELL_FORM.fullmatch(command)
    return found is not None and is_dispatcher(_unquote_word(found.group(1)), dispatch)


def is_dispatcher(path: str, dispatch: str) -> bool:
    """Whether a path is that of this installation's dispatcher, or of any other."""
    return path == dispatch or path.endswith(DISPATCH_PATH_END)


def _unquote_word(word: str) -> str:
    return re.sub(r"\\(.)", r"\1", word[1:-1]) if word.startswith('"') else word.strip("'")


def has_own_note(text: str) -> bool:
    """Whether the text is that of a file that is ours alone."""
    return OWN_FILE_NOTE in text


def quote_path(path: str) -> str:
    """A path as one word of any shell that agents use."""
    return '"' + re.sub(r'([\\"$`])', r"\\\1", path) + '"'
