"""Decide whether a repository's hook may run: only contents that the user has accepted, by digest.

The digest covers what is executed: the kind of handler, its text, every file that it would run or read as code, and in
words what could not be found out about that. When it runs (event, matcher, priority) is the user's to edit and is not
covered.
"""

import hashlib
import os
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial

import msgspec

from synaptic.files.bounded import UNREADABLE_FOLDER, UnreadableFile, read_content
from synaptic.files.snapshot import WatchedFile, are_unchanged, list_names
from synaptic.files.snapshot import hash_content as content_digest
from synaptic.hooks.coverage import HookCoverage, find_coverage
from synaptic.hooks.pins import Pins, find_pinned_package, find_tampering
from synaptic.hooks.worktrees import name_repository
from synaptic.model.hook import Builtin, Command, Handler, Hook, HttpEndpoint, OutsidePolicy, PythonFunction

TRUST_LIMIT = 256 << 20
"""Upper bound of a script's size in bytes; a larger one cannot be trusted."""
UNTRUSTABLE = ""
"""The digest of a hook with an unreadable file: such a hook can never be trusted."""
MAX_DIGESTS = 1024
"""Upper bound of cached digests."""
TEXT_PART = slice(64, None)
"""Where a digest holds the hash of the handler's text alone: a hook whose text nobody accepted is not looked into."""

AcceptedHashes = Mapping[str, frozenset[str]]
"""For each file that the engine opens to run it: the sha256 sums of the contents that may run."""


class HookStanding(msgspec.Struct, frozen=True):
    """Whether a hook may run now, and with which contents. Everybody who says something about that asks for this."""

    refusal: str = ""
    """Why it must not run, and what to type; empty when it may."""
    fails: bool = False
    """It was wanted and cannot run as it is now (missing, tampered with): its `on_error` decides what that means."""
    contents: AcceptedHashes | None = None
    """None for the user's own hooks, which run as they are."""
    was_agreed: bool = False
    """It was agreed to here with another content than it has now."""


class SitePins(msgspec.Struct, frozen=True):
    """What packages have installed, by hash: into the project, and for all projects of the user."""

    project: Pins = Pins()
    user: Pins = Pins()
    outer: Mapping[str, Pins] = {}
    """Into the other folders whose declarations count."""

    def choose(self, hook: Hook) -> Pins:
        """What was installed where a hook comes from."""
        if hook.scope != "project":
            return self.user
        return self.outer.get(hook.root, self.project)


class TrustItem(msgspec.Struct, frozen=True):
    """A hook that needs trust, its digest, what that does not cover, and whether it is trusted now."""

    hook: Hook
    digest: str
    trusted: bool
    gaps: tuple[str, ...] = ()
    contents: AcceptedHashes = {}
    """The files that the digest covers, the one that is run first."""


MAY_RUN = HookStanding()
NO_PINS = SitePins()


class HookTrust:
    """Decides about the hooks of the repository at `root`, and of the folders around and in it whose hooks count.

    `trusted` returns the accepted digests of a root, or of all worktrees of a repository by its name.

    Installing a package is agreeing to it: its scripts need no further trust as long as they match their pins.
    """

    def __init__(
        self,
        root: str,
        trusted: Callable[[str], frozenset[str]],
        everything: bool = False,
        pins: SitePins = NO_PINS,
    ) -> None:
        self._root = root
        self._pins = pins
        self._trusted = trusted
        self._everything = everything

    def examine(self, hook: Hook) -> HookStanding:
        """Find out whether a hook may run. This is asked for every hook of every event: cheap questions first."""
        if isinstance(hook.handler, Builtin):
            return MAY_RUN
        if isinstance(hook.handler, OutsidePolicy) and hook.handler.broken:
            return HookStanding(f"{hook.id} ({hook.source}): {hook.handler.broken}", fails=True)
        pins = self._pins.choose(hook)
        installed = find_pinned_package(hook, pins)
        if installed is not None:
            if changed := find_tampering(hook, pins):
                return HookStanding(changed, fails=True)
            return HookStanding(contents={path: frozenset(sums) for path, sums in installed.scripts.items()})
        if hook.scope != "project" or self._everything:
            return MAY_RUN
        if (file := get_run_file(hook.handler)) and not os.path.exists(file):  # noqa: PTH110 - a Path costs as much
            where = f"; restore it or remove the hook from {hook.source}" if hook.source else ""
            return HookStanding(f"{hook.id}: script {file} does not exist{where}", fails=True)
        return self._examine_brought(hook)

    def explain_refusal(self, hook: Hook) -> str | None:
        """Explain why a hook must not run and what to type; None when it may run."""
        if isinstance(hook.handler, OutsidePolicy) and hook.handler.broken:
            return None  # its file is told as a whole, once for all of its policies
        return self.examine(hook).refusal or None

    def list_items(self, hooks: Iterable[Hook]) -> tuple[TrustItem, ...]:
        """List the hooks that need trust, with their digests; those that cannot run have nothing to agree to."""
        return tuple(
            TrustItem(hook, found.hex, self._is_accepted(found, self._get_root(hook)), found.gaps, found.contents)
            for hook in hooks
            if self._needs_trust(hook) and (found := look_at_hook(hook, self._get_root(hook))).hex != UNTRUSTABLE
        )

    def _needs_trust(self, hook: Hook) -> bool:
        if (
            hook.scope != "project"
            or isinstance(hook.handler, Builtin)
            or (isinstance(hook.handler, OutsidePolicy) and hook.handler.broken)
            or find_pinned_package(hook, self._pins.choose(hook))
        ):
            return False
        file = get_run_file(hook.handler)
        return not file or os.path.exists(file)  # noqa: PTH110

    def _examine_brought(self, hook: Hook) -> HookStanding:
        # A text that nobody accepted is enough to refuse: a repository does not get its files read for that.
        root = self._get_root(hook)
        text = _hash_text(hook.handler, root)
        if not _holds_text(self._trusted(root), text) and not _holds_text(self._read_shared(root), text):
            return HookStanding(self._make_refusal(hook))
        found = look_at_hook(hook, root)
        if found.hex == UNTRUSTABLE:
            return HookStanding(
                f"{hook.id} ({hook.source}) runs a file that cannot be read or is too large to be checked",
                was_agreed=True,
            )
        if self._is_accepted(found, root):
            return HookStanding(contents=found.contents)
        return HookStanding(self._make_refusal(hook), was_agreed=True)

    def _get_root(self, hook: Hook) -> str:
        """The folder that a hook was declared in: its files are seen from there, and agreed to there."""
        return hook.root or self._root

    def _is_accepted(self, found: "ExaminedHook", root: str) -> bool:
        if found.hex in self._trusted(root):
            return True
        # What is not covered was compared by nobody: in another worktree it may be other code.
        return not found.gaps and found.hex in self._read_shared(root)

    def _read_shared(self, root: str) -> frozenset[str]:
        """What was accepted in some worktree of this repository. Only asked when this one has no agreement itself."""
        name = name_repository(root)
        return self._trusted(name) if name else frozenset()

    def _make_refusal(self, hook: Hook) -> str:
        return (
            f"{hook.id} ({hook.source}) comes with the repository and is not trusted as it is now; "
            f"look at it, then type `synaptic trust` in {self._get_root(hook)}"
        )


class ExaminedHook(msgspec.Struct, frozen=True):
    """A hook's digest, and everything that it was made from."""

    hex: str
    handler: Handler
    watched: tuple[WatchedFile, ...]
    contents: AcceptedHashes
    gaps: tuple[str, ...]
    may_pass: bool = False
    """Whether files could not be followed for a moment: then it is looked at again, whatever has changed."""


_KNOWN_HOOKS: OrderedDict[tuple[str, str], ExaminedHook] = OrderedDict()
"""By root and hook. Each is checked against the files before it is used, so it is never stale."""
_KNOWN_TEXTS: dict[tuple[str, Handler], str] = {}


def get_run_file(handler: Handler) -> str:
    """The one file that a handler names to be run; empty for shell text, programs on PATH and addresses."""
    if isinstance(handler, PythonFunction | OutsidePolicy):
        return handler.file
    return handler.script if isinstance(handler, Command) and handler.script.startswith("/") else ""


def hash_hook(hook: Hook, root: str) -> str:
    """Hash a hook with its files as they are now."""
    return look_at_hook(hook, root).hex


def look_at_hook(hook: Hook, root: str) -> ExaminedHook:
    """Look at a hook and its files; done again only when one of them changed."""
    key = (root, hook.id)
    known = _KNOWN_HOOKS.get(key)
    if known is None or known.may_pass or known.handler != hook.handler or not are_unchanged(known.watched):
        known = _KNOWN_HOOKS[key] = _examine_handler(hook.handler, root)
    _KNOWN_HOOKS.move_to_end(key)
    if len(_KNOWN_HOOKS) > MAX_DIGESTS:
        _KNOWN_HOOKS.popitem(last=False)
    return known


def _examine_handler(handler: Handler, root: str) -> ExaminedHook:
    covered = find_coverage(handler, root)
    watched: list[WatchedFile] = []
    total = hashlib.sha256()
    # Each part hashed on its own: joined texts could be split elsewhere and give the same digest.
    for part in (*_iter_text(handler, root), *covered.gaps):
        total.update(hashlib.sha256(os.fsencode(part)).digest())
    vouched, contents = not covered.may_pass, {}
    for path, content in _read_covered(covered, watched):
        total.update(hashlib.sha256(os.fsencode(_make_relative(path, root))).digest() + content_digest(content))
        vouched = vouched and (content == UNREADABLE_FOLDER or not isinstance(content, UnreadableFile))
        if isinstance(content, bytes):
            contents[path] = frozenset({hashlib.sha256(content).hexdigest()})
    name = total.hexdigest() + _hash_text(handler, root) if vouched else UNTRUSTABLE
    return ExaminedHook(name, handler, tuple(watched), contents, covered.gaps, covered.may_pass)


def _read_covered(
    covered: HookCoverage, watched: list[WatchedFile]
) -> Iterator[tuple[str, bytes | UnreadableFile | None]]:
    """Read every covered file once, and watch it and the folders in which a name may be added."""
    for folder in covered.folders:
        watched.append(WatchedFile(folder, list_names))
        watched[-1].read()
    for path in covered.files:
        watched.append(WatchedFile(path, partial(read_content, limit=TRUST_LIMIT)))
        yield path, watched[-1].read()


def _holds_text(accepted: frozenset[str], text: str) -> bool:
    return any(name[TEXT_PART] == text for name in accepted)


def _hash_text(handler: Handler, root: str) -> str:
    key = (root, handler)
    known = _KNOWN_TEXTS.get(key) if not isinstance(handler, HttpEndpoint) else None
    if known is None:
        parts = (hashlib.sha256(os.fsencode(part)).digest() for part in _iter_text(handler, root))
        known = hashlib.sha256(b"".join(parts)).hexdigest()[:16]
        if not isinstance(handler, HttpEndpoint):  # its headers are a dict, which is no key
            if len(_KNOWN_TEXTS) >= MAX_DIGESTS:
                _KNOWN_TEXTS.clear()
            _KNOWN_TEXTS[key] = known
    return known


def _iter_text(handler: Handler, root: str) -> Iterator[str]:
    yield type(handler).__name__
    if isinstance(handler, Command):
        yield from (handler.shell, *(_make_relative(word, root) for word in handler.argv))
    elif isinstance(handler, PythonFunction):
        yield from (_make_relative(handler.file, root), handler.function)
    elif isinstance(handler, OutsidePolicy):
        yield _make_relative(handler.file, root)  # the file as a whole: which policies it holds is not known before
    elif isinstance(handler, HttpEndpoint):
        yield from (handler.url, *(f"{name}: {value}" for name, value in sorted(handler.headers.items())))


def _make_relative(path: str, root: str) -> str:
    """Make a path relative to the root, so that a moved project keeps its trust."""
    return path.removeprefix(f"{root.rstrip('/')}/")
