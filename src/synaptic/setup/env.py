"""Project variables in `.synaptic/env.toml`: one file that is both valid TOML and valid shell.

Three forms carry every path. `KEY="value"` where the two languages agree on double quotes; `KEY='value'` when the value
holds `$` or a backtick, which double quotes would expand; and for a value that holds those and a single quote, or a
control character such as a newline, a line whose tail is a comment to TOML and a second assignment to the shell.
"""

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path

import synaptic
from synaptic.files.replace import delete_file, drop_folders, make_folders, read_file, replace_file
from synaptic.model.environment import DEFAULT_AGENTS, DEFAULT_CHANNEL, build_project_variables
from synaptic.model.errors import SettingsError

EXPANDING_CHARS = re.compile(r"[$`]")
CONTROL_CHARS = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
PLAIN_BYTES = re.compile(rb"[A-Za-z0-9/._-]")
LIBRARY = Path(synaptic.__file__).parent / "lib"
IGNORE_ALL = b"*\n"
"""In a .gitignore beside the libraries: they belong to the installed version, not to the repository."""
IGNORED_NAMES = ("env.toml", "logs/", "run/", ".install/", "hooks/.registry.lock")
"""Names for .gitignore: files of this machine that do not belong into the repository."""


def locate_env(root: Path) -> Path:
    return root / ".synaptic" / "env.toml"


def write_env(root: Path, channel: str | None = None, agents: str | None = None) -> Path:
    """Write the project's variables; a channel or agents value that is not given stays as the file has it."""
    path = locate_env(root.absolute())
    files = plan_env_files(root, channel, agents)  # refused before anything is made
    make_folders(path.parent / "logs")
    for file, text in files.items():
        # Unchanged files keep their mtime: every catalog watches env.toml.
        if read_file(file) != text:
            replace_file(file, text, 0o644)
    _install_library(path.parent / "lib")
    return path


def plan_env_files(root: Path, channel: str | None = None, agents: str | None = None) -> Mapping[Path, bytes]:
    """Plan the files to be written: the variables, and a .gitignore for files of this machine."""
    root = root.absolute()
    known = _read_known(root)
    channel = channel or known.get("SYNAPTIC_CHANNEL") or DEFAULT_CHANNEL
    agents = agents or known.get("SYNAPTIC_AGENTS") or DEFAULT_AGENTS
    ignored = locate_env(root).parent / ".gitignore"
    return {
        locate_env(root): format_env(build_project_variables(str(root), channel, agents)),
        ignored: _format_ignore(read_file(ignored) or b""),
    }


def read_env(root: Path) -> Mapping[str, str]:
    """Read the project's variables; the file is written first when it is missing."""
    path = locate_env(root)
    data = read_file(path) or read_file(write_env(root))
    try:
        values = tomllib.loads((data or b"").decode())
    except ValueError as error:
        raise SettingsError(f"invalid TOML: {error}", where=str(path), hint="delete it; it is written anew") from error
    return {key: value for key, value in values.items() if isinstance(value, str)}


def remove_env(root: Path) -> bool:
    """Remove the file and what was made with it, unless in use; whether there was one."""
    path = locate_env(root)
    if read_file(path) is None:
        return False
    delete_file(path)
    ignored = path.parent / ".gitignore"
    if read_file(ignored) == _format_ignore(b""):
        delete_file(ignored)
    _remove_library(path.parent / "lib")
    drop_folders((str(path.parent / "logs"), str(path.parent)))
    return True


def format_env(variables: Mapping[str, str]) -> bytes:
    """Format the whole file. Raises SettingsError for a value that TOML cannot hold."""
    try:
        return "".join(f"{format_assignment(key, value)}\n" for key, value in variables.items()).encode()
    except UnicodeEncodeError as error:
        raise SettingsError(f"{error.object!r} is not UTF-8, which TOML requires", hint="rename the folder") from error


def format_assignment(key: str, value: str) -> str:
    """Format one line that sets the key to the value in TOML and in any POSIX shell."""
    expands, control = EXPANDING_CHARS.search(value), CONTROL_CHARS.search(value)
    if not expands and not control:
        return f'{key}="{_escape_quotes(value)}"'
    if not control and "'" not in value:
        return f"{key}='{value}'"
    toml = CONTROL_CHARS.sub(_escape_unicode, EXPANDING_CHARS.sub(_escape_unicode, _escape_quotes(value)))
    # The dot keeps `$(...)` from dropping newlines at the end.
    return f"{key}=\"{toml}\"#;{key}=$(printf '{_escape_octal(value)}.');{key}=${{{key}%.}}"


def _escape_quotes(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"')


def _escape_unicode(match: re.Match[str]) -> str:
    return f"\\u{ord(match.group()):04x}"


def _escape_octal(value: str) -> str:
    return "".join(chr(byte) if PLAIN_BYTES.match(bytes([byte])) else f"\\{byte:03o}" for byte in value.encode())


def _read_known(root: Path) -> Mapping[str, str]:
    """Read the present file; a damaged one is empty, since it is about to be rewritten."""
    if read_file(locate_env(root)) is None:
        return {}
    try:
        return read_env(root)
    except SettingsError:
        return {}


def _format_ignore(before: bytes) -> bytes:
    listed = {line.strip().strip(b"/") for line in before.splitlines()}
    missing = [name for name in IGNORED_NAMES if name.strip("/").encode() not in listed]
    gap = b"" if before.endswith(b"\n") or not before or not missing else b"\n"
    return before + gap + "".join(f"{name}\n" for name in missing).encode()


def _install_library(folder: Path) -> None:
    """Write the shell libraries that hook scripts source, as this version brings them."""
    make_folders(folder)
    for name, text in _list_library_files().items():
        if read_file(folder / name) != text:
            replace_file(folder / name, text, 0o644)


def _remove_library(folder: Path) -> None:
    """Take the shell libraries away; a file that somebody changed stays."""
    for name, text in _list_library_files().items():
        if read_file(folder / name) == text:
            delete_file(folder / name)
    drop_folders((str(folder),))


def _list_library_files() -> dict[str, bytes]:
    return {".gitignore": IGNORE_ALL, **{file.name: file.read_bytes() for file in sorted(LIBRARY.glob("*.sh"))}}
