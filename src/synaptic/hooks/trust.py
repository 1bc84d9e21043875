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

from synaptic.files.snapshot import (
    UNREADABLE_FOLDER,
    UnreadableFile,
    WatchedFile,
    are_unchanged,
    list_names,
    read_content,
)
from synaptic.files.snapshot import hash_content as content_digest
from synaptic.hooks.named_files import find_folders, find_matches, find_named_files, find_patterns
from synaptic.hooks.pins import Pins, is_as_installed
from synaptic.model.hook import Builtin, Command, Handler, Hook, HttpEndpoint, PythonFunction

TRUST_LIMIT = 256 << 20
"""Upper bound of a script's size in bytes; a larger one cannot be trusted."""
UNTRUSTABLE = ""
"""The digest of a hook with an unreadable file: such a hook can never be trusted."""
MAX_DIGESTS = 1024
"""Upper bound of cached digests."""


class TrustItem(msgspec.Struct, frozen=True):
    """A hook that needs trust, its digest, and whether it is trusted now."""

    hook: Hook
    digest: str
    trusted: bool


class HookTrust:
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

    def explain_refusal(self, hook: Hook) -> str | None:
        """Explain why a hook must not run and what to type; None when it may run."""
        # Cheapest questions first: this is asked for every hook of every event.
        if self._everything or not self._needs_trust(hook) or _is_missing(hook):
            return None
        name = hash_hook(hook, self._root)
        if name == UNTRUSTABLE:
            return f"{hook.id} ({hook.source}) runs a file that cannot be read or is too large to be checked"
        if name in self._trusted(self._root):
            return None
        return (
            f"{hook.id} ({hook.source}) comes with the repository and is not trusted as it is now; "
            f"look at it, then type `synaptic trust` in {self._root}"
        )

    def list_items(self, hooks: Iterable[Hook]) -> tuple[TrustItem, ...]:
        """List the hooks that need trust, with their digests."""
        accepted = self._trusted(self._root)
        found = ((hook, hash_hook(hook, self._root)) for hook in hooks if self._needs_trust(hook))
        return tuple(TrustItem(hook, name, name in accepted) for hook, name in found if name != UNTRUSTABLE)

    def _needs_trust(self, hook: Hook) -> bool:
        return _needs_trust(hook) and not is_as_installed(hook, self._pins)


class _KnownDigest(msgspec.Struct, frozen=True):
    hex: str
    handler: Handler
    watched: tuple[WatchedFile, ...]


_KNOWN_DIGESTS: OrderedDict[tuple[str, str], _KnownDigest] = OrderedDict()
"""Digests by root and hook. Each is checked against the files before it is used, so it is never stale."""


def hash_hook(hook: Hook, root: str) -> str:
    """Hash a hook with its files as they are now; computed again only when one of them changed."""
    key = (root, hook.id)
    known = _KNOWN_DIGESTS.get(key)
    if known is None or known.handler != hook.handler or not are_unchanged(known.watched):
        known = _KNOWN_DIGESTS[key] = _compute_digest(hook.handler, root)
    _KNOWN_DIGESTS.move_to_end(key)
    if len(_KNOWN_DIGESTS) > MAX_DIGESTS:
        _KNOWN_DIGESTS.popitem(last=False)
    return known.hex


def _is_missing(hook: Hook) -> bool:
    """Whether the hook's script is missing: it cannot run, and the runner's message says more than ours."""
    script = hook.handler.script if isinstance(hook.handler, Command) else ""
    return script.startswith("/") and not os.path.lexists(script)


def _needs_trust(hook: Hook) -> bool:
    """Whether a hook needs trust: project hooks do, except our own policies, which can only tighten."""
    return hook.scope == "project" and not isinstance(hook.handler, Builtin)


def _compute_digest(handler: Handler, root: str) -> _KnownDigest:
    patterns = tuple(dict.fromkeys(find_patterns(handler, root))) if isinstance(handler, Command) else ()
    # A file that matches later must not slip in: its folder is looked at again when a name in it changes.
    watched = [WatchedFile(folder, list_names) for pattern in patterns for folder in find_folders(pattern)]
    for folder in watched:
        folder.read()
    vouched = True
    total = hashlib.sha256()
    for part in _iter_text(handler, root):
        # Each part hashed on its own: joined texts could be split elsewhere and give the same digest.
        total.update(hashlib.sha256(os.fsencode(part)).digest())
    matches = (path for pattern in patterns for path in find_matches(pattern))
    for path in dict.fromkeys((*_iter_files(handler, root), *matches)):
        source = WatchedFile(path, partial(read_content, limit=TRUST_LIMIT))
        watched.append(source)
        content = source.read()
        vouched = vouched and (content == UNREADABLE_FOLDER or not isinstance(content, UnreadableFile))
        total.update(hashlib.sha256(os.fsencode(_make_relative(path, root))).digest() + content_digest(content))
    return _KnownDigest(total.hexdigest() if vouched else UNTRUSTABLE, handler, tuple(watched))


def _iter_text(handler: Handler, root: str) -> Iterator[str]:
    yield type(handler).__name__
    if isinstance(handler, Command):
        yield from (handler.shell, *(_make_relative(word, root) for word in handler.argv))
    elif isinstance(handler, PythonFunction):
        yield from (_make_relative(handler.file, root), handler.function)
    elif isinstance(handler, HttpEndpoint):
        yield from (handler.url, *(f"{name}: {value}" for name, value in sorted(handler.headers.items())))


def _iter_files(handler: Handler, root: str) -> Iterator[str]:
    """Iterate over the files that count, missing ones too: one that is added later must change the digest."""
    if isinstance(handler, PythonFunction):
        yield handler.file
    if isinstance(handler, Command):
        yield from find_named_files(handler, root)


def _make_relative(path: str, root: str) -> str:
    """Make a path relative to the root, so that a moved project keeps its trust."""
    return path.removeprefix(f"{root.rstrip('/')}/")
