"""Turn a package into the files and hooks of one site; all checks come before any write."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from synaptic.files.inside import name_inside, open_parent, read_inside, refuse_link
from synaptic.files.replace import LinkedPathError
from synaptic.hooks.policy_files import is_policy_path
from synaptic.model.environment import DEFAULT_AGENTS, DEFAULT_CHANNEL, build_project_variables
from synaptic.model.refusal import Refusal
from synaptic.packages.answers import QuestionAnswers
from synaptic.packages.contents import FILE_LIMIT, check_bundle
from synaptic.packages.hashes import hash_bytes
from synaptic.packages.lock import LockedHook
from synaptic.packages.paths import check_installed_path, locate_installed
from synaptic.packages.profile_repo import RepoProfile, read_repo_profile
from synaptic.packages.rendering import render_files
from synaptic.packages.rows import Bundle, PackageFile
from synaptic.packages.site import Site
from synaptic.packages.template import RenderedFile, TemplateValues, make_env_values
from synaptic.setup.env import read_choices

EXECUTABLE_TYPES = ("hook", "script")
PREVIEW_LENGTH = 120
LINK_HASH = "link"
"""What stands for the hash of a link: no lockfile can vouch for one."""


class PlannedFile(msgspec.Struct, frozen=True, kw_only=True):
    """One file to be written; the path is relative to the site's base."""

    path: str
    data: bytes
    sha256: str
    mode: int
    template: bool = False

    @property
    def is_executed(self) -> bool:
        """Whether the engine runs it: then its hash is pinned."""
        return bool(self.mode & 0o111) or is_policy_path(self.path)

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


def materialise_bundle(bundle: Bundle, site: Site, answers: QuestionAnswers) -> PackageMaterial:
    """Render and place all files of a package; nothing is written."""
    check_bundle(bundle)
    repo = read_site_profile(site)
    values = TemplateValues(repo, answers, make_env_values(read_site_variables(site, bundle.channel)))
    rendered = list(zip(bundle.files, render_files(bundle.files, values), strict=True))
    warnings = tuple(f"{done.path}: {text}" for _, done in rendered for text in done.warnings)
    files = tuple(_plan_file(file, done, site, bundle.package.name) for file, done in rendered)
    return PackageMaterial(
        bundle=bundle,
        files=files,
        hooks=list_locked_hooks(bundle),
        answers=answers,
        profile={key: value for key, value in msgspec.to_builtins(repo).items() if key != "root"},
        warnings=warnings,
    )


def read_site_profile(site: Site) -> RepoProfile:
    return read_repo_profile(site.root)


def read_site_variables(site: Site, channel: str) -> Mapping[str, str]:
    """The site's variables, as env.toml will have them.

    The paths are made here: templates write them into scripts, and a repository may bring an env.toml of its own.
    """
    known = read_choices(site.root) if site.project else {}
    channel = known.get("SYNAPTIC_CHANNEL") or channel or DEFAULT_CHANNEL
    return build_project_variables(str(site.root), channel, known.get("SYNAPTIC_AGENTS") or DEFAULT_AGENTS)


def resolve_target(site: Site, path: str) -> Path:
    """Resolve where a file goes; a symbolic link on the way would lead somewhere else and is refused."""
    full = site.base / path
    try:
        with open_parent(site.anchor, name_inside(site.anchor, full)) as (folder, last):
            refuse_link(folder, last, str(full))
    except FileNotFoundError:
        return full  # its folder is still to be made
    except LinkedPathError as error:
        problem = "is a symbolic link; packages are not installed through one"
        raise Refusal("conflict", problem, where=str(error.filename), hint=error.hint) from None
    except OSError as error:
        raise Refusal("conflict", str(error.strerror), where=str(error.filename), hint="move it away") from None
    if full.is_dir():
        raise Refusal("conflict", "is a folder where a file has to go", where=str(full), hint="move it away")
    return full


def hash_file(site: Site, path: str) -> str | None:
    """Hash a file of a site; None when there is none. Raises OSError for one that cannot be read."""
    try:
        data = read_installed(site, path)
    except NotADirectoryError:
        return None
    except LinkedPathError:
        # A link with the right content behind it is still a change: its target can be exchanged at any time.
        return LINK_HASH
    return None if data is None else hash_bytes(data)


def read_installed(site: Site, path: str) -> bytes | None:
    """Read a file of a site, without following a link; None when there is none. Raises OSError."""
    return read_inside(site.anchor, name_inside(site.anchor, site.base / path), 4 * FILE_LIMIT)


def read_if_possible(site: Site, path: str) -> bytes | None:
    """Read a file as `read_installed` does; what cannot be read, such as a link, is as good as none."""
    try:
        return read_installed(site, path)
    except OSError:
        return None


def hash_or_refuse(site: Site, path: str) -> str | None:
    """Hash a file of a site; raises a Refusal that names it when it cannot be read."""
    try:
        return hash_file(site, path)
    except OSError as error:
        where, hint = str(site.base / path), "move it away, or chmod u+r"
        raise Refusal("blocked", f"cannot be read: {error.strerror}", where=where, hint=hint) from None


def _plan_file(file: PackageFile, done: RenderedFile, site: Site, name: str) -> PlannedFile:
    path = locate_installed(name, file.file_type, done.path)
    resolve_target(site, check_installed_path(path, name))
    mode = 0o755 if file.file_type in EXECUTABLE_TYPES else 0o644
    return PlannedFile(path=path, data=done.content.encode(), sha256=done.sha256, mode=mode, template=file.is_template)


def list_locked_hooks(bundle: Bundle) -> tuple[LockedHook, ...]:
    """The hooks that a package asks for, as a lockfile records them."""
    return tuple(
        LockedHook(
            event=hook.event,
            script=f"skills/{bundle.package.name}/{hook.script_path.removesuffix('.j2')}",
            matcher=hook.matcher,
            priority=hook.priority,
            blocking=hook.blocking,
        )
        for hook in bundle.hooks
    )
