"""Read an author's folder (`package.toml` and the files beside it) as the rows of a registry."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import msgspec

from synaptic.files.bounded import FOREIGN_FLAGS, read_bounded, read_handle
from synaptic.hooks.document import load_yaml
from synaptic.model.errors import DeclarationError
from synaptic.model.refusal import Refusal
from synaptic.packages.contents import check_bundle
from synaptic.packages.declared import DeclaredPackage, read_manifest
from synaptic.packages.hashes import hash_files, hash_text
from synaptic.packages.paths import check_package_path
from synaptic.packages.rows import Bundle, ContentType, FileType, PackageFile
from synaptic.packages.template import TEMPLATE_SUFFIX

MANIFEST = "package.toml"
SOURCE_FILE_LIMIT = 1 << 20
"""Bytes of one file."""
SOURCE_TOTAL_LIMIT = 32 << 20
SOURCE_COUNT_LIMIT = 2000
FILE_TYPES: dict[str, FileType] = {
    "agents": "agent",
    "commands": "command",
    "skills": "skill",
    "scripts": "script",
    "hooks": "hook",
}
"""First folder to type; a file elsewhere is configuration."""
CONTENT_TYPES: dict[str, ContentType] = {
    ".md": "markdown",
    ".py": "python",
    ".json": "json",
    ".yaml": "yaml",
    ".yml": "yaml",
}
FENCE = "---"


class FolderPackage(msgspec.Struct, frozen=True):
    """The package of a folder, and warnings."""

    bundle: Bundle
    warnings: tuple[str, ...] = ()


def read_folder(folder: Path) -> FolderPackage:
    """Read the package in a folder. Raises Refusal for anything that could not be installed safely."""
    manifest = folder / MANIFEST
    try:
        text = read_bounded(manifest, SOURCE_FILE_LIMIT)
    except FileNotFoundError:
        raise Refusal(
            "not_found", "there is no package.toml", where=str(folder), hint="synaptic package init"
        ) from None
    except OSError as error:
        raise Refusal("validation_failed", f"cannot be read: {error.strerror}", where=str(manifest)) from None
    known = read_manifest(text, str(manifest))
    files = tuple(make_file_row(known.package.id, path, content) for path, content in sorted(_iter_texts(folder)))
    _check_scripts(known, files, str(manifest))
    package = msgspec.structs.replace(known.package, sha256=hash_files(files))
    parts = {name: getattr(known, name) for name in ("hooks", "deps", "questions", "variants")}
    return FolderPackage(check_bundle(Bundle(package=package, files=files, **parts)), known.warnings)


def refuse_filled(folder: Path) -> None:
    """Raise Refusal for a folder that has anything in it: a package is only ever written into a new one."""
    if folder.exists() and any(folder.iterdir()):
        raise Refusal("conflict", "the folder is not empty", where=str(folder), hint="name a new one")


def make_file_row(package_id: str, path: str, content: str) -> PackageFile:
    """Make a file's row: type by first folder, content type by extension, frontmatter in columns of its own."""
    plain = Path(path.removesuffix(TEMPLATE_SUFFIX))
    head = parse_frontmatter(content)
    fields = {f"fm_{key}": _read_field(head, key) for key in ("name", "description", "version", "model")}
    return PackageFile(
        package_id=package_id,
        dest_path=check_package_path(path),
        content=content,
        sha256=hash_text(content),
        file_type=FILE_TYPES.get(plain.parts[0], "config") if len(plain.parts) > 1 else "config",
        content_type=CONTENT_TYPES.get(plain.suffix, "text"),
        is_template=path.endswith(TEMPLATE_SUFFIX),
        frontmatter=head,
        **fields,
    )


def parse_frontmatter(content: str) -> dict[str, object] | None:
    """Parse the YAML between the leading `---` lines; None when there is none or it is no valid table."""
    lines = content.splitlines()
    if not lines or lines[0].rstrip() != FENCE:
        return None
    end = next((number for number, line in enumerate(lines[1:], 1) if line.rstrip() == FENCE), 0)
    try:
        table = load_yaml("\n".join(lines[1:end]).encode(), "frontmatter") if end else None
        found = msgspec.json.decode(msgspec.json.encode(table, enc_hook=str))
    except (DeclarationError, TypeError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def _read_field(head: dict[str, object] | None, key: str) -> str | None:
    value = (head or {}).get(key)
    return None if value is None or isinstance(value, (dict, list)) else str(value)


def _iter_texts(folder: Path) -> Iterator[tuple[str, str]]:
    total = 0
    for number, path in enumerate(_iter_files(folder), 1):
        text = _read_text(path)
        total += len(text)
        if number > SOURCE_COUNT_LIMIT or total > SOURCE_TOTAL_LIMIT:
            limit = f"a package has at most {SOURCE_COUNT_LIMIT} files and {SOURCE_TOTAL_LIMIT >> 20} MiB"
            raise Refusal("validation_failed", f"is too large: {limit}", where=str(folder))
        yield check_package_path(path.relative_to(folder).as_posix()), text


def _iter_files(folder: Path) -> Iterator[Path]:
    """Iterate over all files but the manifest and hidden ones; symbolic links are refused, wherever they lead."""
    for path in sorted(folder.iterdir()):
        if path.name.startswith(".") or path.name == "__pycache__" or path == folder / MANIFEST:
            continue
        kind = path.lstat().st_mode
        if stat.S_ISDIR(kind):
            yield from _iter_files_below(path, folder)
        else:
            yield _require_regular(path, kind)


def _iter_files_below(folder: Path, root: Path) -> Iterator[Path]:
    check_package_path(folder.relative_to(root).as_posix())
    yield from _iter_files(folder)


def _require_regular(path: Path, kind: int) -> Path:
    if not stat.S_ISREG(kind):
        what = "a symbolic link" if stat.S_ISLNK(kind) else "no regular file"
        raise Refusal(
            "validation_failed", f"is {what}, which a package cannot hold", where=str(path), hint="copy it in"
        )
    return path


def _read_text(path: Path) -> str:
    """Read a file's text, without following a link that has replaced it since it was checked."""
    handle = os.open(path, FOREIGN_FLAGS | os.O_NOFOLLOW)
    try:
        data = read_handle(handle, path, SOURCE_FILE_LIMIT)
    except OSError as error:
        raise Refusal("validation_failed", f"cannot be read: {error.strerror}", where=str(path)) from None
    finally:
        os.close(handle)
    try:
        text = data.decode()
    except UnicodeDecodeError:
        # Takes the same way out as a text with a NUL: one refusal for everything that is not text.
        text = "\0"
    if "\0" in text:
        raise Refusal("validation_failed", "is no UTF-8 text; a package holds text", where=str(path))
    return text


def _check_scripts(known: DeclaredPackage, files: tuple[PackageFile, ...], where: str) -> None:
    """A hook's script is a file of type hook, so that what is registered is what was hashed."""
    scripts = {file.dest_path.removesuffix(TEMPLATE_SUFFIX) for file in files if file.file_type == "hook"}
    for hook in known.hooks:
        if hook.script_path not in scripts:
            problem = f"`script`: `{hook.script_path}` is no file below hooks/"
            there = ", ".join(sorted(scripts)) or "none"
            raise Refusal("validation_failed", problem, where=where, hint=f"there are: {there}")
