"""Decide whether a repository's hook may run: only contents that the user has accepted, by digest.

The digest covers what is executed: the kind of handler, its text, and the content of every file of the project that
the text names, through wrappers and nested shells too. When it runs (event, matcher, priority) is the user's to edit
and is not covered.
"""

import hashlib
import os
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from functools import partial

import msgspec

from synaptic.files.snapshot import FOLDER, Unreadable, Watched, names, read, unchanged
from synaptic.files.snapshot import digest as content_digest
from synaptic.hooks.named_files import find_folders, find_matches, find_named_files, find_patterns
from synaptic.hooks.pins import Pins, is_as_installed
from synaptic.model.hook import Builtin, Command, Handler, Hook, HttpEndpoint, PythonFunction

LIMIT = 256 << 20
"""Upper bound of a script's size in bytes; a larger one cannot be trusted."""
NEVER = ""
"""The digest of a hook with an unreadable file: such a hook can never be trusted."""
KEPT = 1024
"""Upper bound of cached digests."""


class Item(msgspec.Struct, frozen=True):
    """A hook that needs trust, its digest, and whether it is trusted now."""

    hook: Hook
    digest: str
    trusted: bool


class Trust:
    """Decides about the hooks of the repository at `root`. `trusted` returns the accepted digests of a root.

    Installing a package is agreeing to it: its scripts need no further trust as long as they match their pins.
    """

    def __init__(
        self, root: str, trusted: Callable[[str], frozenset[str]], everything: bool = False, pins: Pins | None = None
    ) -> None:
        self._root = root
        self._pins = pins or Pins()
        self._trusted = trusted
        self._everything = everything

    def refusal(self, hook: Hook) -> str | None:
        """Explain why a hook must not run and what to type; None when it may run."""
        # Cheapest questions first: this is asked for every hook of every event.
        if self._everything or not self._asks(hook) or _gone(hook):
            return None
        name = digest(hook, self._root)
        if name == NEVER:
            return f"{hook.id} ({hook.source}) runs a file that cannot be read or is too large to be checked"
        if name in self._trusted(self._root):
            return None
        return (
            f"{hook.id} ({hook.source}) comes with the repository and is not trusted as it is now; "
            f"look at it, then type `synaptic trust` in {self._root}"
        )

    def items(self, hooks: Iterable[Hook]) -> tuple[Item, ...]:
        """List the hooks that need trust, with their digests."""
        accepted = self._trusted(self._root)
        found = ((hook, digest(hook, self._root)) for hook in hooks if self._asks(hook))
        return tuple(Item(hook, name, name in accepted) for hook, name in found if name != NEVER)

    def _asks(self, hook: Hook) -> bool:
        return _asks(hook) and not is_as_installed(hook, self._pins)


class _Known(msgspec.Struct, frozen=True):
    hex: str
    handler: Handler
    watched: tuple[Watched, ...]


_KNOWN: OrderedDict[tuple[str, str], _Known] = OrderedDict()
"""Digests by root and hook. Each is checked against the files before it is used, so it is never stale."""


def digest(hook: Hook, root: str) -> str:
    """Hash a hook with its files as they are now; computed again only when one of them changed."""
    key = (root, hook.id)
    known = _KNOWN.get(key)
    if known is None or known.handler != hook.handler or not unchanged(known.watched):
        known = _KNOWN[key] = _digested(hook.handler, root)
    _KNOWN.move_to_end(key)
    if len(_KNOWN) > KEPT:
        _KNOWN.popitem(last=False)
    return known.hex


def _gone(hook: Hook) -> bool:
    """Whether the hook's script is missing: it cannot run, and the runner's message says more than ours."""
    script = hook.handler.script if isinstance(hook.handler, Command) else ""
    return script.startswith("/") and not os.path.lexists(script)


def _asks(hook: Hook) -> bool:
    """Whether a hook needs trust: project hooks do, except our own policies, which can only tighten."""
    return hook.scope == "project" and not isinstance(hook.handler, Builtin)


def _digested(handler: Handler, root: str) -> _Known:
    patterns = tuple(dict.fromkeys(find_patterns(handler, root))) if isinstance(handler, Command) else ()
    # A file that matches later must not slip in: its folder is looked at again when a name in it changes.
    watched = [Watched(folder, names) for pattern in patterns for folder in find_folders(pattern)]
    for folder in watched:
        folder.read()
    vouched = True
    total = hashlib.sha256()
    for part in _text(handler, root):
        # Each part hashed on its own: joined texts could be split elsewhere and give the same digest.
        total.update(hashlib.sha256(os.fsencode(part)).digest())
    matches = (path for pattern in patterns for path in find_matches(pattern))
    for path in dict.fromkeys((*_files(handler, root), *matches)):
        source = Watched(path, partial(read, limit=LIMIT))
        watched.append(source)
        content = source.read()
        vouched = vouched and (content == FOLDER or not isinstance(content, Unreadable))
        total.update(hashlib.sha256(os.fsencode(_relative(path, root))).digest() + content_digest(content))
    return _Known(total.hexdigest() if vouched else NEVER, handler, tuple(watched))


def _text(handler: Handler, root: str) -> Iterator[str]:
    yield type(handler).__name__
    if isinstance(handler, Command):
        yield from (handler.shell, *(_relative(word, root) for word in handler.argv))
    elif isinstance(handler, PythonFunction):
        yield from (_relative(handler.file, root), handler.function)
    elif isinstance(handler, HttpEndpoint):
        yield from (handler.url, *(f"{name}: {value}" for name, value in sorted(handler.headers.items())))


def _files(handler: Handler, root: str) -> Iterator[str]:
    """Iterate over the files that count, missing ones too: one that is added later must change the digest."""
    if isinstance(handler, PythonFunction):
        yield handler.file
    if isinstance(handler, Command):
        yield from find_named_files(handler, root)


def _relative(path: str, root: str) -> str:
    """Make a path relative to the root, so that a moved project keeps its trust."""
    return path.removeprefix(f"{root.rstrip('/')}/")
