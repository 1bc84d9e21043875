"""Checks and values that TOML and YAML hook declarations share."""

import os
import re
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

import msgspec

from synaptic.files.long_paths import MAX_PATH_CHARS
from synaptic.hooks.nearest import make_hint
from synaptic.hooks.tool_names import find_meant_tool
from synaptic.model.errors import DeclarationError
from synaptic.model.event import EVENTS, Event, ToolEvent
from synaptic.model.hook import Hook, Scope
from synaptic.model.pattern import LinearPattern, SlowPattern

DECLARATION_LIMIT = 4 << 20
"""Bytes of one declaration file; a longer one is refused. 4 MiB are 24,000 hooks and 0.8 seconds of reading."""

PLAIN_NAMES = re.compile(r"[\w |,-]*")
"""Matchers that are plain names: not compiled here, which would cost ten times the rest of a declaration."""

Timeout = Annotated[float, msgspec.Meta(gt=0, le=3600)]


class DeclarationFile(msgspec.Struct, frozen=True):
    """The file a declaration was read from, and what its relative paths and its trust depend on."""

    file: str
    scope: Scope
    root: str
    """The project's root, or the user's own folder."""


class Declarations(msgspec.Struct, frozen=True):
    """The hooks of one source, in its order, and the problems of unusable ones."""

    hooks: tuple[Hook, ...] = ()
    problems: tuple[str, ...] = ()


def check_matcher(matcher: str, where: str, scope: Scope) -> str:
    """Return the matcher if it compiles; raises DeclarationError otherwise, which disables its hook.

    Matchers of a project run before anybody has trusted it, so patterns that may backtrack (ReDoS) are refused.
    """
    if matcher == "*" or PLAIN_NAMES.fullmatch(matcher):
        return matcher
    try:
        LinearPattern(matcher) if scope == "project" else re.compile(matcher)
    except SlowPattern as error:
        advice = "a project's matcher is a plain regular expression without lookaround and back references"
        told = f"`matcher`: `{matcher[:80]}` may take forever to compare: it {error}"
        raise DeclarationError(told, where=where, hint=advice) from None
    except (re.error, RecursionError, OverflowError) as error:
        raise DeclarationError(f"`matcher`: `{matcher}` is no regular expression: {error}", where=where) from None
    return matcher


def find_matcher_doubts(matcher: str, events: tuple[str, ...], where: str) -> tuple[str, ...]:
    """Names in a list of tools that resemble a known one: such a hook would never run, and nobody would say so."""
    if not PLAIN_NAMES.fullmatch(matcher) or not all(issubclass(EVENTS.get(name, Event), ToolEvent) for name in events):
        return ()
    names = (name.strip() for name in re.split(r"[|,]", matcher))
    found = ((name, near) for name in names if (near := find_meant_tool(name)))
    return tuple(
        f"{where}: `matcher`: no tool known here is called `{name}` (did you mean `{near}`?)" for name, near in found
    )


def check_events(names: tuple[str, ...], where: str, key: str) -> tuple[str, ...]:
    """Return the event names, each once; raises DeclarationError for an unknown one."""
    if not names:
        raise DeclarationError(f"`{key}` names no event", where=where)
    for name in names:
        if name not in EVENTS:
            raise DeclarationError(f"`{key}`: unknown event `{name}`", where=where, hint=make_hint(name, EVENTS))
    return tuple(dict.fromkeys(names))


def check_url(url: str, where: str) -> str:
    """Return the URL if it is an http address with a host; that it is loopback is checked when it is called."""
    try:
        parts = urlsplit(url)
        good = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        good = False
    if not good:
        raise DeclarationError(f"`url`: `{url}` is no http address", where=where, hint="http://127.0.0.1:PORT/PATH")
    return url


def split_function(text: str, where: str, key: str) -> tuple[str, str]:
    """Split `file.py:function` into its two parts."""
    file, _, function = text.rpartition(":")
    if not file.endswith(".py") or not function.isidentifier():
        raise DeclarationError(f"`{key}`: `{text}` must look like `file.py:function`", where=where)
    return file, function


def check_text(text: str, where: str, key: str) -> str:
    """Return a path or command that exec can take: not empty, without NUL."""
    if not text.strip() or "\0" in text:
        raise DeclarationError(f"`{key}` is empty or holds a NUL", where=where)
    return text


def resolve_inside(path: str, place: DeclarationFile, where: str) -> str:
    """Resolve an absolute path inside the root, checked before and after following links."""
    root = place.root.rstrip("/")
    if len(path) > MAX_PATH_CHARS:
        raise DeclarationError(f"`{path[:80]}` is longer than any path", where=where)
    full = os.path.normpath(Path(root, path))
    if not _is_under(full, root) or not _is_under(os.path.realpath(full), os.path.realpath(root)):
        raise DeclarationError(f"`{path}` leads out of {root}", where=where, hint="keep the file in the repository")
    return full


def _is_under(path: str, root: str) -> bool:
    return path == root or path.startswith(f"{root}/")
