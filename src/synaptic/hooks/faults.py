"""Why a declared hook does not run: somebody switched it off, or what it runs is not there."""

import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from synaptic.files.bounded import read_content, read_start
from synaptic.files.snapshot import iter_names
from synaptic.files.toml import parse_toml
from synaptic.hooks import document
from synaptic.hooks.catalog import HookCatalog
from synaptic.hooks.yaml import is_definition_file
from synaptic.model.errors import DeclarationError
from synaptic.model.home import Home
from synaptic.model.hook import Command, Hook, OutsidePolicy, PythonFunction

REGISTRY_LIMIT = 4 << 20
SHEBANG_LIMIT = 512


def find_faults(hook: Hook) -> Iterator[str]:
    """Why what a hook runs cannot run: missing, not executable, its interpreter missing."""
    match hook.handler:
        case Command(argv=(first, *_)) if "/" not in first:
            if shutil.which(first) is None:
                yield f"{hook.id}: there is no program `{first}` on PATH"
        case Command(argv=(first, *_)):
            yield from _find_script_faults(hook.id, Path(first))
        case PythonFunction(file=file) | OutsidePolicy(file=file):
            if not Path(file).is_file():
                yield f"{hook.id}: the file {file} is missing"


def _find_script_faults(name: str, script: Path) -> Iterator[str]:
    if not script.is_file():
        yield f"{name}: the script {script} is missing"
    elif not os.access(script, os.X_OK):
        yield f"{name}: the script {script} is not executable (type: chmod +x {script})"
    elif interpreter := _find_missing_interpreter(script):
        yield f"{name}: the script {script} asks for {interpreter}, which is not there"


def _find_missing_interpreter(script: Path) -> str:
    """The program of its first line, when it cannot be found; `env` is looked through."""
    first = read_start(str(script), SHEBANG_LIMIT).partition(b"\n")[0]
    words = first[2:].decode("utf-8", "replace").split() if first.startswith(b"#!") else []
    if not words:
        return ""
    if Path(words[0]).name != "env":
        return "" if os.access(words[0], os.X_OK) else words[0]
    program = next((word for word in words[1:] if not word.startswith("-") and "=" not in word), "")
    return program if program and shutil.which(program) is None else ""


class SwitchedOff(NamedTuple):
    """A declaration that does not count, why, and what it says as it is written."""

    id: str
    why: str
    table: Mapping[str, Any]


def find_switched_off(home: Home, root: str, catalog: HookCatalog) -> Iterator[tuple[str, str]]:
    """Id and reason of every declaration that is not in the catalog although nothing is wrong with it."""
    return ((one.id, one.why) for one in iter_switched_off(home, root, catalog))


def iter_switched_off(home: Home, root: str, catalog: HookCatalog) -> Iterator[SwitchedOff]:
    """The same with what each of them says."""
    registered = {hook.id for hook in catalog.hooks}
    folders = [home.registry.parent]
    if root:
        folders += (Path(root, ".system", "hooks"), Path(root, ".synaptic", "hooks"))
    for folder in folders:
        for file in (folder / name for name in iter_names(str(folder))):
            if file.name == "registry.toml":
                yield from _find_switched_off_entries(file)
            elif is_definition_file(file.name):
                yield from _find_switched_off_definition(file, registered, catalog.config.environment)


def _find_switched_off_entries(file: Path) -> Iterator[SwitchedOff]:
    try:
        entries = parse_toml(_read_declaration(file, REGISTRY_LIMIT)).get("hook", [])
    except ValueError:
        return  # the catalog lists it among its problems
    for number, entry in enumerate(entries if isinstance(entries, list) else (), 1):
        if isinstance(entry, dict) and entry.get("enabled") is False:
            yield SwitchedOff(str(entry.get("id") or number), f"`enabled = false` in {file}: hook {number}", entry)


def _find_switched_off_definition(file: Path, registered: set[str], environment: str) -> Iterator[SwitchedOff]:
    try:
        table: Any = document.load_yaml(_read_declaration(file, document.YAML_LIMIT), str(file))
    except DeclarationError:
        return  # the catalog lists it among its problems
    if not isinstance(table, dict) or table.get("id") in registered:
        return
    if table.get("enabled") is False:
        yield SwitchedOff(str(table.get("id")), f"`enabled: false` in {file}", table)
    elif table.get("environments") is not None or "environment" in (table.get("match") or {}):
        wanted = environment or "an unset SYNAPTIC_ENV"
        yield SwitchedOff(str(table.get("id")), f"its environments in {file} do not include {wanted}", table)


def _read_declaration(file: Path, limit: int) -> bytes:
    content = read_content(str(file), limit)
    return content if isinstance(content, bytes) else b""
