"""Export a published package to a folder with its manifest."""

import os
from pathlib import Path
from typing import Any

import msgspec
import tomlkit

from synaptic.packages.contents import check_bundle
from synaptic.packages.declared import PackageTable
from synaptic.packages.folder import MANIFEST, refuse_filled
from synaptic.packages.hashes import refuse_corrupt
from synaptic.packages.rows import Bundle, Dep, HookRow, Question

EXECUTABLE_TYPES = ("hook", "script")


def export_package(bundle: Bundle, folder: Path) -> tuple[Path, ...]:
    """Write the files and the manifest into a new folder; returns the paths written."""
    refuse_corrupt(bundle)
    refuse_filled(folder)
    # All paths are checked before the first write: a registry may hold a path that leads out of the folder.
    texts = {file.dest_path: file for file in check_bundle(bundle).files}
    folder.mkdir(parents=True, exist_ok=True)
    for path, file in texts.items():
        _write_new_file(folder / path, file.content, 0o755 if file.file_type in EXECUTABLE_TYPES else 0o644)
    _write_new_file(folder / MANIFEST, format_manifest(bundle), 0o644)
    return (folder / MANIFEST, *(folder / path for path in texts))


def format_manifest(bundle: Bundle) -> str:
    """Format `package.toml`; values that equal their default are left out."""
    document = tomlkit.document()
    document["package"] = _package_to_table(bundle)
    parts = {
        "hooks": [_hook_to_table(hook) for hook in bundle.hooks],
        "deps": [_dep_to_table(dep) for dep in bundle.deps],
        "questions": [_question_to_table(question) for question in bundle.questions],
    }
    for key, entries in parts.items():
        if entries:
            document[key] = entries
    return tomlkit.dumps(document)


def _package_to_table(bundle: Bundle) -> dict[str, Any]:
    package = bundle.package
    given = {name: getattr(package, name) for name in PackageTable.__struct_fields__ if hasattr(package, name)}
    variant_of = next((variant.logical_id for variant in bundle.variants), "")
    return _drop_defaults({**given, "tags": list(package.labels), "variant_of": variant_of}, PackageTable)


def _hook_to_table(row: HookRow) -> dict[str, Any]:
    return {
        "event": row.event,
        "matcher": row.matcher,
        "script": row.script_path,
        "priority": row.priority,
        "blocking": row.blocking,
    }


def _dep_to_table(row: Dep) -> dict[str, Any]:
    given = {"name": row.dep_name, "type": row.dep_type, "spec": row.dep_spec, "install": row.install_cmd}
    return {key: value for key, value in given.items() if value}


def _question_to_table(row: Question) -> dict[str, Any]:
    given = {"id": row.question_id, "prompt": row.prompt, "type": row.type, "default": row.default_val}
    return {**given, "choices": list(row.options), "order": row.sort_order}


def _drop_defaults(values: dict[str, Any], kind: type[msgspec.Struct]) -> dict[str, Any]:
    defaults = {field.name: field.default for field in msgspec.structs.fields(kind)}
    return {key: value for key, value in values.items() if value not in (None, [], "", defaults[key])}


def _write_new_file(path: Path, text: str, mode: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    with os.fdopen(handle, "wb") as file:
        file.write(text.encode())
