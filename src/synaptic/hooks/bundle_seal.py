"""The bundle in force as a home keeps it: under a seal of the home's own key, so that no signature is looked at again.

Two copies: `current` counts, and `accepted` is what counted last. Where the first is gone or was changed by somebody
else, the second counts and that is told; so removing a file loosens nothing, and no older bundle comes back.
"""

import hashlib
import hmac
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from synaptic.files.bounded import UnreadableFile, read_content
from synaptic.hooks.bundle import BUNDLE_LIMIT, Bundle, parse_bundle
from synaptic.model.home import Home

KEY_NAME, KEY_BYTES = "state.key", 32
"""The home's own key (`store/key.py`), beside the database."""
KEPT_LIMIT = 8 * BUNDLE_LIMIT
"""Bytes of one copy: a text may be longer as JSON."""
DOMAIN = b"synaptic-bundle-1\0"
JOINED_LIMIT = 64 << 10
PULL_HINT = "type: synaptic bundle pull"

ReadFile = Callable[[str], bytes | None]
"""None where there is no such file, or it cannot be used; that is told by whoever reads."""


class BundlePlace(msgspec.Struct, frozen=True):
    """The files, by name."""

    root: Path

    @classmethod
    def of(cls, home: Home) -> "BundlePlace":
        return cls(home.root / "bundle")

    @property
    def current(self) -> Path:
        return self.root / "current"

    @property
    def accepted(self) -> Path:
        return self.root / "accepted"

    @property
    def source(self) -> Path:
        """Where bundles come from on a machine that follows a repository or a registry, and whose key they have."""
        return self.root / "source.json"

    @property
    def trouble(self) -> Path:
        """Why the last bundle that came was refused."""
        return self.root / "trouble.json"

    @property
    def lock(self) -> Path:
        return self.root / "lock"

    @property
    def copies(self) -> Path:
        """Copies of repositories that bundles come from."""
        return self.root / "copies"


class KeptBundle(msgspec.Struct, frozen=True, kw_only=True):
    """A bundle as it was accepted. Without a text: none is in force, and what was seen is remembered."""

    name: str = ""
    version: int = 0
    digest: str = ""
    text: str = ""
    signature: str = ""
    key: str = ""
    """The organisation's public key, by which it was believed."""
    origin: str = ""
    is_managed: bool = False
    accepted_at: float = 0.0
    highest: Mapping[str, int] = {}
    """By key of an organisation the highest version that ever came."""
    seal: str = ""


class FoundBundle(msgspec.Struct, frozen=True, kw_only=True):
    """What is in force, and what is wrong with how it is kept."""

    kept: KeptBundle | None = None
    problems: tuple[str, ...] = ()

    @property
    def is_managed(self) -> bool:
        return self.kept is not None and self.kept.is_managed

    def parse(self) -> Bundle | None:
        """Understand it. A newer version may not know every key any more: what it knows holds."""
        if self.kept is None or not self.kept.text:
            return None
        return parse_bundle(self.kept.text.encode(), f"bundle {self.kept.name} {self.kept.version}")


class BundleTrouble(msgspec.Struct, frozen=True, kw_only=True):
    """Why the last one that came was refused."""

    at: float
    why: str
    origin: str = ""


class _Joined(msgspec.Struct, frozen=True):
    url: str = ""
    is_managed: bool = False


def seal_bundle(kept: KeptBundle, key: bytes) -> bytes:
    """The file's content."""
    return msgspec.json.encode(msgspec.structs.replace(kept, seal=_compute_seal(kept, key))) + b"\n"


def open_seal(content: bytes, key: bytes) -> KeptBundle | None:
    """The bundle in a file, if its seal is this home's."""
    try:
        kept = msgspec.json.decode(content, type=KeptBundle)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        return None
    try:
        is_ours = hmac.compare_digest(kept.seal.encode(), _compute_seal(kept, key).encode())
    except UnicodeEncodeError:
        return None
    return kept if is_ours else None


def locate_home_key(home: Home) -> Path:
    return home.database.with_name(KEY_NAME)


def read_home_key(home: Home) -> bytes:
    """The home's own key; nothing where there is none that can be used."""
    found = read_content(str(locate_home_key(home)), 1024)
    return found if isinstance(found, bytes) and len(found) == KEY_BYTES else b""


def find_bundle(home: Home, read: ReadFile | None = None) -> FoundBundle:
    """What is in force. One file is read where all is as it should be; the others explain why it is not."""
    read = read or _read_plainly
    place = BundlePlace.of(home)
    content = read(str(place.current))
    key = read_home_key(home) if content is not None else b""
    if content is not None and key and (kept := open_seal(content, key)):
        return FoundBundle(kept=kept, problems=() if kept.text else _tell_missing(home, place))
    return _fall_back(home, place, read, is_missing=content is None)


def read_trouble(home: Home) -> BundleTrouble | None:
    """Why the last one that came was refused; None where it was not."""
    content = read_content(str(BundlePlace.of(home).trouble), JOINED_LIMIT)
    if content is None or isinstance(content, UnreadableFile):
        return None
    try:
        return msgspec.json.decode(content, type=BundleTrouble)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None


def _fall_back(home: Home, place: BundlePlace, read: ReadFile, *, is_missing: bool) -> FoundBundle:
    what = "is not there" if is_missing else "was not written by this installation, or was changed"
    other = read(str(place.accepted))
    key = read_home_key(home) if other is not None else b""
    if other is not None and key and (kept := open_seal(other, key)):
        if not kept.text:
            return FoundBundle(kept=kept, problems=_tell_missing(home, place))
        told = f"{place.current}: {what}; what was accepted last counts: {kept.name} {kept.version} ({PULL_HINT})"
        return FoundBundle(kept=kept, problems=(told,))
    if not is_missing or other is not None:
        where = place.accepted if is_missing else place.current
        told = f"{where}: was not written by this installation, or was changed: no bundle is in force ({PULL_HINT})"
        return FoundBundle(problems=(told,))
    return FoundBundle(problems=_tell_missing(home, place))


def _tell_missing(home: Home, place: BundlePlace) -> tuple[str, ...]:
    """A managed machine without a bundle is not as it should be. Looked at, not watched: a bundle is what counts."""
    for path in (home.root / "hub" / "joined.json", place.source):
        try:
            joined = msgspec.json.decode(_read_plainly(str(path)) or b"{}", type=_Joined)
        except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
            return (f"{path}: cannot be understood, and no bundle is in force (synaptic join URL again)",)
        if joined.is_managed:
            return (f"this machine is managed ({joined.url}), and no bundle is in force ({PULL_HINT})",)
    return ()


def _compute_seal(kept: KeptBundle, key: bytes) -> str:
    plain = msgspec.json.encode(msgspec.structs.replace(kept, seal=""), order="deterministic")
    return hmac.new(key, DOMAIN + plain, hashlib.sha256).hexdigest()


def _read_plainly(path: str) -> bytes | None:
    found = read_content(path, KEPT_LIMIT)
    return None if isinstance(found, UnreadableFile) else found
