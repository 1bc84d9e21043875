"""Take a signed bundle in: everything about it is looked at once, here; what was accepted is kept under a seal.

Whatever is wrong with one that comes, the last good one stays in force.
"""

import hashlib
import time
from collections.abc import Mapping
from contextlib import closing, suppress
from typing import Literal

import msgspec

from synaptic.files.bounded import read_content
from synaptic.files.lock import hold_lock
from synaptic.files.replace import make_folders, replace_file
from synaptic.hooks.bundle import BUNDLE_LIMIT, Bundle
from synaptic.hooks.bundle_seal import (
    KEPT_LIMIT,
    BundlePlace,
    BundleTrouble,
    KeptBundle,
    find_bundle,
    open_seal,
    read_home_key,
    seal_bundle,
)
from synaptic.hub.bundles.check import check_bundle, explain_too_old
from synaptic.hub.bundles.pin import PinnedKey, read_pin
from synaptic.hub.wire import SignedBundle
from synaptic.model.errors import SynapticError
from synaptic.model.home import Home
from synaptic.store.db import Store
from synaptic.store.key import read_signing_key

SIGNATURE_LIMIT = 8 << 10
MOST_KEYS = 16
"""Organisations whose newest version is remembered."""
MOST_WHY = 2000

State = Literal["installed", "unchanged", "refused"]


class BundleResult(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a bundle that came."""

    state: State
    name: str = ""
    version: int = 0
    why: str = ""
    """Of a refusal."""

    @property
    def label(self) -> str:
        return f"{self.name} {self.version}" if self.name else ""


class _RefusedBundle(Exception):
    """Why a bundle is not taken in."""


def install_bundle(home: Home, signed: SignedBundle, origin: str = "") -> BundleResult:
    """Take it in if it is the pinned organisation's, newer, and whole. Never raises for anything about the bundle."""
    place = BundlePlace.of(home)
    try:
        make_folders(place.root, 0o700)
        with hold_lock(place.lock):
            result = _install(home, signed, origin)
    except (_RefusedBundle, SynapticError, OSError) as error:
        result = refuse_bundle(str(error))
    note_result(home, result, origin)
    return result


def refuse_bundle(why: str) -> BundleResult:
    """A refusal as it can be shown: what comes from others moves no cursor."""
    shown = "".join(one if one.isprintable() or one == "\n" else "?" for one in why[:MOST_WHY])
    return BundleResult(state="refused", why=shown)


def note_result(home: Home, result: BundleResult, origin: str) -> None:
    """Keep why one was refused, for `status` and `doctor`, until one is taken in."""
    place = BundlePlace.of(home)
    # A full disk must not turn a refusal into a crash: it is in the result as well.
    with suppress(SynapticError, OSError):
        if result.state == "refused":
            trouble = BundleTrouble(at=time.time(), why=result.why, origin=origin)
            make_folders(place.root, 0o700)
            replace_file(place.trouble, _encode(trouble))
        else:
            place.trouble.unlink(missing_ok=True)


def drop_bundle(home: Home) -> BundleResult:
    """Have none in force any more. Which versions have been seen is not forgotten. Raises SynapticError, OSError."""
    place = BundlePlace.of(home)
    make_folders(place.root, 0o700)
    with hold_lock(place.lock):
        known = _read_known(home) or KeptBundle()
        _write_kept(home, KeptBundle(highest=known.highest, digest=known.digest, key=known.key))
        place.source.unlink(missing_ok=True)
        place.trouble.unlink(missing_ok=True)
    return BundleResult(state="installed")


def _install(home: Home, signed: SignedBundle, origin: str) -> BundleResult:
    pin = read_pin(home)
    if pin is None:
        raise _RefusedBundle("no organisation's key is pinned here (synaptic join, or synaptic bundle follow)")
    content = _encode_text(signed)
    pin.key.verify(content, signed.signature)
    checked = check_bundle(content)
    bundle = checked.bundle
    if checked.problems:
        raise _RefusedBundle("; ".join(checked.problems))
    if why := explain_too_old(bundle.minimum):
        raise _RefusedBundle(why)
    digest = hashlib.sha256(content).hexdigest()
    known = _read_known(home)
    _refuse_older(bundle, digest, known, pin)
    if known and known.text and (known.digest, known.is_managed) == (digest, pin.is_managed) and _is_whole(home):
        return BundleResult(state="unchanged", name=bundle.name, version=bundle.version)
    key = pin.key.text
    highest = {**_shorten(known.highest if known else {}), key: bundle.version}
    kept = KeptBundle(
        name=bundle.name,
        version=bundle.version,
        digest=digest,
        text=signed.text,
        signature=signed.signature,
        key=key,
        origin=origin,
        is_managed=pin.is_managed,
        accepted_at=time.time(),
        highest=highest,
    )
    _write_kept(home, kept)
    return BundleResult(state="installed", name=bundle.name, version=bundle.version)


def _refuse_older(bundle: Bundle, digest: str, known: KeptBundle | None, pin: PinnedKey) -> None:
    highest = known.highest.get(pin.key.text, 0) if known else 0
    if bundle.version < highest:
        raise _RefusedBundle(f"version {bundle.version} is older than version {highest}, which was here before")
    if known and bundle.version == highest and known.digest and known.digest != digest and known.key == pin.key.text:
        raise _RefusedBundle(
            f"version {bundle.version} was here before with another text: a change needs a new version"
        )


def _encode_text(signed: SignedBundle) -> bytes:
    if len(signed.text) > BUNDLE_LIMIT or len(signed.signature) > SIGNATURE_LIMIT:
        raise _RefusedBundle(f"it is longer than {BUNDLE_LIMIT} bytes")
    try:
        return signed.text.encode()
    except UnicodeEncodeError:
        raise _RefusedBundle("its text is not UTF-8") from None


def _read_known(home: Home) -> KeptBundle | None:
    """What was accepted last: of both copies the newer one."""
    found, place, key = find_bundle(home), BundlePlace.of(home), read_home_key(home)
    content = read_content(str(place.accepted), KEPT_LIMIT)
    other = open_seal(content, key) if isinstance(content, bytes) and key else None
    if found.kept is None or (other is not None and _count_seen(other) > _count_seen(found.kept)):
        return other
    return found.kept


def _count_seen(kept: KeptBundle) -> int:
    return sum(kept.highest.values())


def _is_whole(home: Home) -> bool:
    """Whether both copies are there and good: else they are written again."""
    place, key = BundlePlace.of(home), read_home_key(home)
    contents = [read_content(str(file), KEPT_LIMIT) for file in (place.current, place.accepted)]
    return contents[0] == contents[1] and isinstance(contents[0], bytes) and open_seal(contents[0], key) is not None


def _write_kept(home: Home, kept: KeptBundle) -> None:
    """Both copies, each whole or as it was: the one that is remembered first."""
    place, content = BundlePlace.of(home), seal_bundle(kept, _obtain_key(home))
    replace_file(place.accepted, content)
    replace_file(place.current, content)


def _obtain_key(home: Home) -> bytes:
    with closing(Store.open(home)) as store:
        if not store.durable:
            raise SynapticError("the database cannot be written here, so nothing can be sealed", hint="synaptic doctor")
        return read_signing_key(store)


def _shorten(highest: Mapping[str, int]) -> dict[str, int]:
    return dict(list(highest.items())[-(MOST_KEYS - 1) :])


def _encode(value: msgspec.Struct) -> bytes:
    return msgspec.json.encode(value) + b"\n"
