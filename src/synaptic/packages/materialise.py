"""Turn a package into the files and hooks of one site; all checks come before any write."""

import hashlib
import os
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

import msgspec

from synaptic.model.environment import project_variables
from synaptic.model.refusal import Refusal
from synaptic.packages.answers import Answers
from synaptic.packages.hashes import checked_path, corrupt
from synaptic.packages.lock import LockedHook
from synaptic.packages.profile_repo import RepoProfile, repo_profile
from synaptic.packages.rows import Bundle, PackageFile
from synaptic.packages.site import Site
from synaptic.packages.template import Rendered, Values, environment_values, render
from synaptic.setup.env import env_file, read_env

FLAT = {"agent": "agents", "command": "commands"}
"""File types that go to a shared folder by their base name, because agents look for them there."""
EXECUTABLE = ("hook", "script")
FILE_LIMIT = 16 << 20
TOTAL_LIMIT = 64 << 20
PREVIEW = 120


class Artefact(msgspec.Struct, frozen=True, kw_only=True):
    """One file to be written; the path is relative to the site's base."""

    path: str
    data: bytes
    sha256: str
    mode: int
    template: bool = False

    @property
    def preview(self) -> str:
        """Its beginning, on one line."""
        return " ".join(self.data[: 4 * PREVIEW].decode("utf-8", "replace").split())[:PREVIEW]


class Material(msgspec.Struct, frozen=True, kw_only=True):
    """Everything a package brings to one site."""

    bundle: Bundle
    files: tuple[Artefact, ...]
    hooks: tuple[LockedHook, ...]
    answers: Answers
    profile: Mapping[str, Any]
    warnings: tuple[str, ...] = ()


def checked(bundle: Bundle) -> Bundle:
    """Return the bundle if its hashes match and its paths stay in its folder; raises Refusal otherwise."""
    name = bundle.package.name
    where = f"package {name}"
    # The name becomes a folder below `skills`; a registry may hold anything, not only what we imported.
    checked_path(name)
    if "/" in name or name.startswith("."):
        raise Refusal("validation_failed", f"`{name[:80]}` is no name for a folder", where=where)
    for file in bundle.files:
        checked_path(file.dest_path)
        if len(file.content) > FILE_LIMIT:
            raise Refusal("validation_failed", f"{file.dest_path} is larger than {FILE_LIMIT >> 20} MiB", where=where)
    if sum(len(file.content) for file in bundle.files) > TOTAL_LIMIT:
        raise Refusal("validation_failed", f"is larger than {TOTAL_LIMIT >> 20} MiB altogether", where=where)
    if bad := corrupt(bundle):
        hint = "the registry is damaged or somebody changed it; tell its owner"
        raise Refusal("validation_failed", f"{', '.join(bad)} does not match its hash", where=where, hint=hint)
    paths = {file.dest_path.removesuffix(".j2") if file.is_template else file.dest_path for file in bundle.files}
    for hook in bundle.hooks:
        if hook.script_path not in paths:
            raise Refusal("validation_failed", f"hook script {hook.script_path} is not among its files", where=where)
    return bundle


def materialise(bundle: Bundle, site: Site, answers: Answers) -> Material:
    """Render and place all files of a package; nothing is written."""
    checked(bundle)
    repo = profile_of(site)
    values = Values(repo, answers, environment_values(variables_of(site, bundle.channel)))
    rendered = [(file, render(file, values)) for file in bundle.files]
    warnings = tuple(f"{done.path}: {text}" for _, done in rendered for text in done.warnings)
    files = tuple(_artefact(file, done, site, bundle.package.name) for file, done in rendered)
    _refuse_twins(files, bundle.package.name)
    return Material(
        bundle=bundle,
        files=files,
        hooks=tuple(_hooks(bundle)),
        answers=answers,
        profile={key: value for key, value in msgspec.to_builtins(repo).items() if key != "root"},
        warnings=warnings,
    )


def profile_of(site: Site) -> RepoProfile:
    return repo_profile(site.root)


def variables_of(site: Site, channel: str) -> Mapping[str, str]:
    """Read the site's variables, as env.toml has them or will have them."""
    if site.scope == "project" and env_file(site.root).exists():
        return read_env(site.root)
    return project_variables(str(site.root), channel or "main")


def target(site: Site, path: str) -> Path:
    """Resolve where a file goes; a symbolic link on the way would lead somewhere else and is refused."""
    full = site.base / path
    for step in (full, *full.parents):
        if step == site.base.parent:
            break
        if step.is_symlink():
            hint = "replace the link by a folder"
            raise Refusal(
                "conflict", "is a symbolic link; packages are not installed through one", where=str(step), hint=hint
            )
    if full.is_dir():
        raise Refusal("conflict", "is a folder where a file has to go", where=str(full), hint="move it away")
    return full


def sha256_of(path: Path) -> str | None:
    """Hash a file; None when there is none. Raises OSError for one that cannot be read."""
    try:
        if not path.is_symlink():
            return hashlib.sha256(path.read_bytes()).hexdigest()
    except (FileNotFoundError, NotADirectoryError):
        return None
    # A link with the right content behind it is still a change: its target can be exchanged at any time.
    return hashlib.sha256(b"link:" + os.fsencode(path.readlink())).hexdigest()


def digest_of(path: Path) -> str | None:
    """Hash a file; raises a Refusal that names it when it cannot be read."""
    try:
        return sha256_of(path)
    except OSError as error:
        raise Refusal("blocked", f"cannot be read: {error.strerror}", where=str(path), hint="chmod u+r") from None


def _artefact(file: PackageFile, done: Rendered, site: Site, name: str) -> Artefact:
    pure = PurePosixPath(done.path)
    shared = FLAT.get(file.file_type)
    path = f"{shared}/{pure.name}" if shared else f"skills/{name}/{pure}"
    target(site, path)
    mode = 0o755 if file.file_type in EXECUTABLE else 0o644
    return Artefact(path=path, data=done.content.encode(), sha256=done.sha256, mode=mode, template=file.is_template)


def _refuse_twins(files: tuple[Artefact, ...], name: str) -> None:
    seen: set[str] = set()
    for file in files:
        if file.path in seen:
            raise Refusal("validation_failed", f"two of its files become {file.path}", where=f"package {name}")
        seen.add(file.path)


def _hooks(bundle: Bundle) -> Iterator[LockedHook]:
    for hook in bundle.hooks:
        yield LockedHook(
            event=hook.event,
            script=f"skills/{bundle.package.name}/{hook.script_path.removesuffix('.j2')}",
            matcher=hook.matcher,
            priority=hook.priority,
            blocking=hook.blocking,
        )
