"""Turn a package into the files and hooks of one site; all checks come before any write."""

import hashlib
import os
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

import msgspec

from synaptic.model.environment import build_project_variables
from synaptic.model.refusal import Refusal
from synaptic.packages.answers import QuestionAnswers
from synaptic.packages.hashes import check_package_path, find_corrupt
from synaptic.packages.lock import LockedHook
from synaptic.packages.profile_repo import RepoProfile, read_repo_profile
from synaptic.packages.rows import Bundle, PackageFile
from synaptic.packages.site import Site
from synaptic.packages.template import RenderedFile, TemplateValues, make_env_values, render_file
from synaptic.setup.env import locate_env, read_env

SHARED_FOLDERS = {"agent": "agents", "command": "commands"}
"""File types that go to a shared folder by their base name, because agents look for them there."""
EXECUTABLE_TYPES = ("hook", "script")
INSTALLED_FILE_LIMIT = 16 << 20
INSTALLED_TOTAL_LIMIT = 64 << 20
PREVIEW_LENGTH = 120


class PlannedFile(msgspec.Struct, frozen=True, kw_only=True):
    """One file to be written; the path is relative to the site's base."""

    path: str
    data: bytes
    sha256: str
    mode: int
    template: bool = False

    @property
    def preview(self) -> str:
        """Its beginning, on one line."""
        return " ".join(self.data[: 4 * PREVIEW_LENGTH].decode("utf-8", "replace").split())[:PREVIEW_LENGTH]


class PackageMaterial(msgspec.Struct, frozen=True, kw_only=True):
    """Everything a package brings to one site."""

    bundle: Bundle
    files: tuple[PlannedFile, ...]
    hooks: tuple[LockedHook, ...]
    answers: QuestionAnswers
    profile: Mapping[str, Any]
    warnings: tuple[str, ...] = ()


def check_bundle(bundle: Bundle) -> Bundle:
    """Return the bundle if its hashes match and its paths stay in its folder; raises Refusal otherwise."""
    name = bundle.package.name
    where = f"package {name}"
    # The name becomes a folder below `skills`; a registry may hold anything, not only what we imported.
    check_package_path(name)
    if "/" in name or name.startswith("."):
        raise Refusal("validation_failed", f"`{name[:80]}` is no name for a folder", where=where)
    for file in bundle.files:
        check_package_path(file.dest_path)
        if len(file.content) > INSTALLED_FILE_LIMIT:
            raise Refusal(
                "validation_failed", f"{file.dest_path} is larger than {INSTALLED_FILE_LIMIT >> 20} MiB", where=where
            )
    if sum(len(file.content) for file in bundle.files) > INSTALLED_TOTAL_LIMIT:
        raise Refusal("validation_failed", f"is larger than {INSTALLED_TOTAL_LIMIT >> 20} MiB altogether", where=where)
    if bad := find_corrupt(bundle):
        hint = "the registry is damaged or somebody changed it; tell its owner"
        raise Refusal("validation_failed", f"{', '.join(bad)} does not match its hash", where=where, hint=hint)
    paths = {file.dest_path.removesuffix(".j2") if file.is_template else file.dest_path for file in bundle.files}
    for hook in bundle.hooks:
        if hook.script_path not in paths:
            raise Refusal("validation_failed", f"hook script {hook.script_path} is not among its files", where=where)
    return bundle


def materialise_bundle(bundle: Bundle, site: Site, answers: QuestionAnswers) -> PackageMaterial:
    """Render and place all files of a package; nothing is written."""
    check_bundle(bundle)
    repo = read_site_profile(site)
    values = TemplateValues(repo, answers, make_env_values(read_site_variables(site, bundle.channel)))
    rendered = [(file, render_file(file, values)) for file in bundle.files]
    warnings = tuple(f"{done.path}: {text}" for _, done in rendered for text in done.warnings)
    files = tuple(_plan_file(file, done, site, bundle.package.name) for file, done in rendered)
    _refuse_duplicates(files, bundle.package.name)
    return PackageMaterial(
        bundle=bundle,
        files=files,
        hooks=tuple(_iter_hooks(bundle)),
        answers=answers,
        profile={key: value for key, value in msgspec.to_builtins(repo).items() if key != "root"},
        warnings=warnings,
    )


def read_site_profile(site: Site) -> RepoProfile:
    return read_repo_profile(site.root)


def read_site_variables(site: Site, channel: str) -> Mapping[str, str]:
    """Read the site's variables, as env.toml has them or will have them."""
    if site.scope == "project" and locate_env(site.root).exists():
        return read_env(site.root)
    return build_project_variables(str(site.root), channel or "main")


def resolve_target(site: Site, path: str) -> Path:
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


def hash_file(path: Path) -> str | None:
    """Hash a file; None when there is none. Raises OSError for one that cannot be read."""
    try:
        if not path.is_symlink():
            return hashlib.sha256(path.read_bytes()).hexdigest()
    except (FileNotFoundError, NotADirectoryError):
        return None
    # A link with the right content behind it is still a change: its target can be exchanged at any time.
    return hashlib.sha256(b"link:" + os.fsencode(path.readlink())).hexdigest()


def hash_or_refuse(path: Path) -> str | None:
    """Hash a file; raises a Refusal that names it when it cannot be read."""
    try:
        return hash_file(path)
    except OSError as error:
        raise Refusal("blocked", f"cannot be read: {error.strerror}", where=str(path), hint="chmod u+r") from None


def _plan_file(file: PackageFile, done: RenderedFile, site: Site, name: str) -> PlannedFile:
    pure = PurePosixPath(done.path)
    shared = SHARED_FOLDERS.get(file.file_type)
    path = f"{shared}/{pure.name}" if shared else f"skills/{name}/{pure}"
    resolve_target(site, path)
    mode = 0o755 if file.file_type in EXECUTABLE_TYPES else 0o644
    return PlannedFile(path=path, data=done.content.encode(), sha256=done.sha256, mode=mode, template=file.is_template)


def _refuse_duplicates(files: tuple[PlannedFile, ...], name: str) -> None:
    seen: set[str] = set()
    for file in files:
        if file.path in seen:
            raise Refusal("validation_failed", f"two of its files become {file.path}", where=f"package {name}")
        seen.add(file.path)


def _iter_hooks(bundle: Bundle) -> Iterator[LockedHook]:
    for hook in bundle.hooks:
        yield LockedHook(
            event=hook.event,
            script=f"skills/{bundle.package.name}/{hook.script_path.removesuffix('.j2')}",
            matcher=hook.matcher,
            priority=hook.priority,
            blocking=hook.blocking,
        )
