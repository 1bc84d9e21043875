"""Project variables in `.synaptic/env.toml`: one file that is both valid TOML and valid shell.

Three forms carry every path. `KEY="value"` where the two languages agree on double quotes; `KEY='value'` when the value
holds `$` or a backtick, which double quotes would expand; and for a value that holds those and a single quote, or a
control character such as a newline, a line whose tail is a comment to TOML and a second assignment to the shell.
"""

import contextlib
import re
from collections.abc import Mapping
from pathlib import Path

import synaptic
from synaptic.files.inside import (
    IGNORED_NAMES,
    delete_inside,
    drop_folders_inside,
    make_folder_inside,
    name_inside,
    open_parent,
    read_inside,
    refuse_link,
    replace_inside,
)
from synaptic.files.replace import explain_os_error
from synaptic.files.toml import parse_toml
from synaptic.model.environment import DEFAULT_AGENTS, DEFAULT_CHANNEL, build_project_variables
from synaptic.model.errors import SettingsError

EXPANDING_CHARS = re.compile(r"[$`]")
CONTROL_CHARS = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
CHOSEN_WORDS = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/, -]{0,199}")
PLAIN_BYTES = re.compile(rb"[A-Za-z0-9/._]")
"""What `printf` is given as it is; a dash at the beginning would be an option."""
LIBRARY = Path(synaptic.__file__).parent / "lib"
IGNORE_ALL = b"*\n"
"""In a .gitignore beside the libraries: they belong to the installed version, not to the repository."""
ENV_FILE, IGNORE_FILE, LIB_FOLDER, LOGS_FOLDER = (
    f".synaptic/{name}" for name in ("env.toml", ".gitignore", "lib", "logs")
)
PROJECT_FILE_LIMIT = 1 << 20
"""Bytes of a file in .synaptic that is ours."""


def locate_env(root: Path) -> Path:
    return root / ENV_FILE


def write_env(root: Path, channel: str | None = None, agents: str | None = None) -> Path:
    """Write the project's variables; a channel or agents value that is not given stays as the file has it."""
    root = root.absolute()
    files = plan_env_files(root, channel, agents)  # refused before anything is made
    with explain_os_error(locate_env(root), "written"):
        make_folder_inside(root, LOGS_FOLDER)
        _write_changed(root, {name_inside(root, file): text for file, text in files.items()})
        _write_changed(root, _list_library_files())
    return locate_env(root)


def _write_changed(root: Path, files: Mapping[str, bytes]) -> None:
    for name, text in files.items():
        # Unchanged files keep their mtime: every catalog watches env.toml.
        if read_inside(root, name, PROJECT_FILE_LIMIT) != text:
            replace_inside(root, name, text)


def refuse_links(root: Path) -> None:
    """Refuse a project in which a file of ours, or a folder on the way to it, is a link. Reads only."""
    for name in (ENV_FILE, IGNORE_FILE, f"{LOGS_FOLDER}/x", *_list_library_files()):
        with (
            explain_os_error(root / name, "written"),
            contextlib.suppress(FileNotFoundError),
            open_parent(root, name) as (folder, last),
        ):
            refuse_link(folder, last, f"{root}/{name}")


def plan_env_files(root: Path, channel: str | None = None, agents: str | None = None) -> Mapping[Path, bytes]:
    """Plan the files to be written: the variables, and a .gitignore for files of this machine."""
    root = root.absolute()
    known = read_choices(root)
    channel = channel or known.get("SYNAPTIC_CHANNEL") or DEFAULT_CHANNEL
    agents = agents or known.get("SYNAPTIC_AGENTS") or DEFAULT_AGENTS
    return {
        locate_env(root): format_env(build_project_variables(str(root), channel, agents)),
        root / IGNORE_FILE: _format_ignore(_read_own(root, IGNORE_FILE) or b""),
    }


def read_env(root: Path) -> Mapping[str, str]:
    """Read the project's variables; the file is written first when it is missing."""
    path = locate_env(root)
    data = _read_own(root, ENV_FILE)
    if not data:
        write_env(root)
        data = _read_own(root, ENV_FILE)
    try:
        values = parse_toml(data or b"")
    except ValueError as error:
        raise SettingsError(f"invalid TOML: {error}", where=str(path), hint="delete it; it is written anew") from error
    return {key: value for key, value in values.items() if isinstance(value, str)}


def remove_env(root: Path) -> bool:
    """Remove the file and what was made with it, unless in use; whether there was one."""
    if _read_own(root, ENV_FILE) is None:
        return False
    with explain_os_error(locate_env(root), "deleted"):
        delete_inside(root, ENV_FILE)
        # What somebody changed stays.
        for name, text in {IGNORE_FILE: _format_ignore(b""), **_list_library_files()}.items():
            if _read_own(root, name) == text:
                delete_inside(root, name)
    drop_folders_inside(root, LIB_FOLDER, LOGS_FOLDER, ".synaptic")
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


def read_choices(root: Path) -> Mapping[str, str]:
    """Read what may be chosen in the present file: channel and agents. A damaged file or a strange word counts as none.

    The file may come with a repository, and templates write both into scripts.
    """
    if _read_own(root, ENV_FILE) is None:
        return {}
    try:
        known = read_env(root)
    except SettingsError:
        return {}
    chosen = {name: known.get(name, "") for name in ("SYNAPTIC_CHANNEL", "SYNAPTIC_AGENTS")}
    return {name: value for name, value in chosen.items() if CHOSEN_WORDS.fullmatch(value)}


def _format_ignore(before: bytes) -> bytes:
    listed = {line.strip().strip(b"/") for line in before.splitlines()}
    missing = [name for name in IGNORED_NAMES if name.strip("/").encode() not in listed]
    gap = b"" if before.endswith(b"\n") or not before or not missing else b"\n"
    return before + gap + "".join(f"{name}\n" for name in missing).encode()


def _list_library_files() -> dict[str, bytes]:
    """The shell libraries that hook scripts source, as this version brings them, by their path in the project."""
    files = {".gitignore": IGNORE_ALL, **{file.name: file.read_bytes() for file in sorted(LIBRARY.glob("*.sh"))}}
    return {f"{LIB_FOLDER}/{name}": text for name, text in files.items()}


def _read_own(root: Path, name: str) -> bytes | None:
    with explain_os_error(root / name, "read"):
        return read_inside(root, name, PROJECT_FILE_LIMIT)
