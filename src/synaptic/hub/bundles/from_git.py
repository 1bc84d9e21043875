"""A bundle at the tip of a branch of a git repository, read by the real git: no hook, no checkout."""

import hashlib
import os
import signal
import subprocess  # noqa: TID251 - git is a program
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from synaptic.files.lock import hold_lock
from synaptic.files.replace import make_folders
from synaptic.hooks.bundle import BUNDLE_LIMIT
from synaptic.hooks.bundle_seal import BundlePlace
from synaptic.hub.wire import SignedBundle
from synaptic.model.errors import SynapticError
from synaptic.model.home import Home

PREFIX = "git+"
TIP = "refs/synaptic/tip"
BUNDLE_NAME, SIGNATURE_END = "bundle.toml", ".minisig"
GIT_SECONDS = 90.0
SIGNATURE_LIMIT = 8 << 10
PROTOCOLS = ("https", "ssh", "file")
SETTINGS = (
    "core.hooksPath=/dev/null", "core.fsmonitor=false", "core.symlinks=false", "protocol.allow=never",
    *(f"protocol.{name}.allow=always" for name in PROTOCOLS),
    "fetch.fsckObjects=true", "fetch.recurseSubmodules=false", "submodule.recurse=false", "gc.auto=0",
    "maintenance.auto=false", "fetch.writeCommitGraph=false", "credential.interactive=false",
)  # fmt: skip
"""Nothing that a repository says runs a program, and no other protocol is spoken."""
KEPT_VARIABLES = frozenset({"GIT_SSH_COMMAND", "GIT_SSL_CAINFO", "GIT_SSL_CAPATH"})


class GitPlace(msgspec.Struct, frozen=True):
    """Where in which repository a bundle is."""

    remote: str
    branch: str = ""
    """Empty: what the repository itself calls its head."""
    path: str = BUNDLE_NAME

    @classmethod
    def parse(cls, url: str) -> "GitPlace":
        """`git+https://host/repository.git@branch#folder`, or a folder on this machine. Raises SynapticError."""
        text, _, path = url.removeprefix(PREFIX).partition("#")
        parts = urlsplit(text)
        base, at, branch = text.rpartition("@")
        # What follows an @ before the path is a user's name and a host.
        if not at or "/" in branch or not urlsplit(base).path.strip("/"):
            base, branch = text, ""
        if parts.scheme not in (*PROTOCOLS, "") or base.startswith("-") or branch.startswith("-") or "::" in base:
            hint = f"{PREFIX}https://host/repository.git@branch#folder, {PREFIX}ssh://..., or a folder"
            raise SynapticError(f"`{url[:200]}` is no git repository that is read", hint=hint)
        if not parts.scheme:
            base = str(Path(base).expanduser().absolute())
        path = path.strip("/")
        if not path.endswith(".toml"):
            path = f"{path}/{BUNDLE_NAME}" if path else BUNDLE_NAME
        return cls(base, branch, path)

    @property
    def url(self) -> str:
        """The same wherever it is read."""
        return f"{PREFIX}{self.remote}{f'@{self.branch}' if self.branch else ''}#{self.path}"


def is_git_url(url: str) -> bool:
    return url.startswith(PREFIX)


def fetch_from_git(home: Home, url: str) -> SignedBundle:
    """The bundle and its signature as they are now. Raises SynapticError."""
    place = GitPlace.parse(url)
    copies = BundlePlace.of(home).copies
    make_folders(copies, 0o700)
    name = hashlib.sha256(place.remote.encode("utf-8", "surrogateescape")).hexdigest()[:16]
    copy = copies / f"{name}.git"
    with hold_lock(copies / f"{name}.lock"):
        if not (copy / "HEAD").exists():
            run_git(copies, "init", "--quiet", "--bare", "--template=", str(copy))
        wanted = f"refs/heads/{place.branch}" if place.branch else "HEAD"
        run_git(copy, "fetch", "--quiet", "--depth=1", "--no-tags", "--force", "--", place.remote, f"+{wanted}:{TIP}")
        return SignedBundle(
            _read_blob(copy, place.path, BUNDLE_LIMIT),
            _read_blob(copy, place.path + SIGNATURE_END, SIGNATURE_LIMIT),
        )


def run_git(folder: Path, *words: str, env: Mapping[str, str] | None = None) -> bytes:
    """What git prints. Raises SynapticError where it fails or takes too long; all of it is ended then."""
    argv = ["git", *(word for setting in SETTINGS for word in ("-c", setting)), *words]
    try:
        process = subprocess.Popen(
            argv, cwd=folder, env={**_make_environment(), **(env or {})}, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
        )  # fmt: skip
    except OSError as error:
        raise SynapticError(f"git cannot be run: {error.strerror}", hint="install git") from error
    try:
        out, said = process.communicate(timeout=GIT_SECONDS)
    except BaseException as error:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        if not isinstance(error, subprocess.TimeoutExpired):
            raise
        raise SynapticError(f"git {words[0]} took longer than {GIT_SECONDS:g} s") from None
    if process.returncode:
        raise SynapticError(f"git {words[0]} failed: {_describe(said)}")
    return out


def _read_blob(copy: Path, path: str, limit: int) -> str:
    name = f"{TIP}:{path}"
    try:
        kind = run_git(copy, "cat-file", "-t", name).strip()
    except SynapticError:
        raise SynapticError(f"there is no {path} at the tip of the branch") from None
    size = run_git(copy, "cat-file", "-s", name).strip()
    if kind != b"blob" or not size.isdigit() or int(size) > limit:
        raise SynapticError(f"{path} is no file of at most {limit} bytes")
    try:
        return run_git(copy, "cat-file", "blob", name).decode()
    except UnicodeDecodeError:
        raise SynapticError(f"{path} is not UTF-8") from None


def _make_environment() -> dict[str, str]:
    """The user's own, so that their ways to log in work; nothing that sends git elsewhere, nothing that asks."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("GIT_") or key in KEPT_VARIABLES}
    return {**kept, "GIT_TERMINAL_PROMPT": "0", "GIT_ASKPASS": "", "SSH_ASKPASS": "", "LC_ALL": "C"}


def _describe(said: bytes) -> str:
    lines: Sequence[str] = said.decode("utf-8", "replace").strip().splitlines()
    return "".join(one if one.isprintable() else "?" for one in (lines[-1] if lines else "it said nothing"))[:300]
