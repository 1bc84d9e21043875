"""What is on the disk of that which a call would destroy, overwrite or make outside its project.

Nothing is looked at for calls that cannot lose anything. What cannot be told is unknown.
"""

import os
import re
import time
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from stat import S_ISDIR, S_ISLNK
from typing import NamedTuple

import msgspec

from synaptic.facts.gather import USER_HOME, EngineMeans, Gatherer, read_call_command
from synaptic.facts.scratch_links import find_scratch_links
from synaptic.files.long_paths import MAX_PATH_CHARS
from synaptic.files.snapshot import iter_names
from synaptic.hooks.project import PROJECT_MARKERS
from synaptic.model.call import Call
from synaptic.model.errors import StoreError
from synaptic.model.event import PreToolUse
from synaptic.model.stakes import MADE, NO_STAKES, PathState, Stakes
from synaptic.policies.files.lost import (
    OWN_AREAS,
    LostPath,
    deletes_files,
    list_lost,
    list_made,
    may_change,
    stays_in_project,
)
from synaptic.policies.files.stayed import list_unsure_folders
from synaptic.policies.reading import make_work_folders
from synaptic.shell.names import split_names
from synaptic.shell.paths import Standpoint, is_inside, resolve_path
from synaptic.shell.places import PathArea, WorkFolders
from synaptic.shell.reading import UNKNOWN_PROJECT, CommandReading
from synaptic.store import state

MAX_PATHS = 64
"""Paths of one call that are looked at; what is beyond is unknown."""
MAX_UPWARDS = 8
"""Folders above a new path that are looked at, and above a folder that may be part of a project."""
MANIFESTS = split_names(
    "package.json pyproject.toml setup.py setup.cfg requirements.txt Pipfile Cargo.toml go.mod Makefile makefile"
    " GNUmakefile CMakeLists.txt meson.build pom.xml build.gradle build.gradle.kts settings.gradle build.sbt Gemfile"
    " Rakefile composer.json mix.exs rebar.config Package.swift pubspec.yaml deno.json deno.jsonc tsconfig.json"
    " Dockerfile docker-compose.yml docker-compose.yaml compose.yml compose.yaml justfile Taskfile.yml flake.nix"
    " shell.nix stack.yaml dune-project build.zig project.clj deps.edn Vagrantfile Jenkinsfile AGENTS.md CLAUDE.md"
    " GEMINI.md README.md README README.rst .hg .svn .jj .editorconfig .vscode .idea .gitignore .envrc"
)
MANIFEST_SUFFIXES = (".sln", ".csproj", ".xcodeproj", ".cabal", ".gemspec", ".code-workspace", ".ipynb")
"""What only a project has in its folder."""
WORK_NAMES = split_names(
    "workspace workspaces work app apps src code repo repos project projects dev testbed sandbox git checkout"
)
"""What folders are called in which one works, in boxes as in homes."""
LIVED_IN = split_names(
    ".bashrc .bash_profile .bash_history .profile .zshrc .zsh_history .config .ssh Documents Desktop Library .local"
)
"""What a home has that somebody lives in."""


SHARED_SCRATCH = re.compile(r"/var/folders(?:/[^/]+){0,3}")
"""Where macOS keeps what all programs of a user have put aside."""
FRESH_SECONDS = 60.0
"""How long a project counts as one for commands that take nothing away."""
MAX_PROJECTS = 64
_projects: dict[str, float] = {}
"""Folders that were projects, and until when that counts."""


class Named(NamedTuple):
    """What a command would lose and make."""

    lost: tuple[LostPath, ...]
    made: tuple[str, ...]


def gather_stakes(call: Call, means: EngineMeans) -> Stakes:
    """The state of each path in question, and whose it is."""
    if not isinstance(call.event, PreToolUse):
        return NO_STAKES
    known = read_call_command(call)
    if known is not None and not may_change(known):
        return NO_STAKES
    cwd = call.event.cwd or call.root or UNKNOWN_PROJECT
    at = make_work_folders(call.root or cwd, call.env.get("HOME") or USER_HOME, cwd)
    if known is None:
        return _gather_written(call, at)
    found = _gather_of_command(call, at, means, known)
    if not deletes_files(known):
        return found
    if at.is_scratch(at.project) and _is_disposable(at):
        found = msgspec.structs.replace(found, disposable=True)
    if (entered := list_unsure_folders(known)) and (absent := _list_absent(entered, at)):
        found = msgspec.structs.replace(found, absent=absent)
    links = {} if stays_in_project(known, at) else find_scratch_links(known, at)
    return msgspec.structs.replace(found, links=links) if links else found


def _list_absent(folders: tuple[str, ...], at: WorkFolders) -> tuple[str, ...]:
    """Those that are not there for certain; what lies elsewhere than this machine is unknown."""
    if not os.path.isdir(at.cwd):  # noqa: PTH112 - text paths throughout
        return ()
    return tuple(folder for folder in folders if _read_state(folder, at.home) is PathState.MISSING)


def _gather_of_command(call: Call, at: WorkFolders, means: EngineMeans, known: CommandReading) -> Stakes:
    # Of most commands that change something, nothing is of interest but that the project is one.
    if stays_in_project(known, at) and _is_known_project(at, fresh=deletes_files(known)):
        return NO_STAKES
    named = Named(list_lost(known, at), list_made(known, at))
    return _gather_named(call, at, means, named) if any(named) else NO_STAKES


def _gather_named(call: Call, at: WorkFolders, means: EngineMeans, named: Named) -> Stakes:
    lost, made = named
    own = any(one.area in OWN_AREAS for one in lost) or any(at.classify(path) in OWN_AREAS for path in made)
    remembered = _read_made(call, means)
    licensed = not own or _is_licensed(at, remembered)
    # In a project of one's own only what is outside of it is of interest.
    asked = [path for one in lost if not (licensed and one.area in OWN_AREAS) for path in (one.path, *one.below)]
    remembered = tuple(top for top in remembered if not any(_leads_out(path, top) for path in asked[:MAX_PATHS]))
    new = [path for path in made if not (licensed and at.classify(path) in OWN_AREAS)]
    known = Stakes(licensed=licensed, made=remembered, projects=() if licensed else _find_projects(lost, at))
    return _look_at(asked, new, known, at)


FACTS: Mapping[str, Gatherer] = {"stakes": gather_stakes}


def _gather_written(call: Call, at: WorkFolders) -> Stakes:
    """For a file tool: whether it makes a file outside the project."""
    if not isinstance(call.event, PreToolUse) or call.event.tool_name != "Write":
        return NO_STAKES
    paths = [resolve_path(text, Standpoint(at.cwd, at.home)) or "" for text in call.event.tool.paths]
    foreign = [path for path in paths if path and at.classify(path) is PathArea.OUTSIDE]
    return _look_at((), foreign, NO_STAKES, at) if foreign else NO_STAKES


def _look_at(asked: Iterable[str], made: Iterable[str], known: Stakes, at: WorkFolders) -> Stakes:
    if not os.path.isdir(at.cwd):  # noqa: PTH112 - text paths throughout
        return known  # where the call starts is not there: it is about another machine
    looked: dict[str, PathState] = {}
    for path in list(dict.fromkeys(asked))[:MAX_PATHS]:
        looked[path] = _read_state(path, at.home)
    new = {_find_top_missing(path) for path in list(dict.fromkeys(made))[:MAX_PATHS]}
    fresh = tuple(sorted(path for path in new if path and not is_inside(path, known.made)))
    return msgspec.structs.replace(known, states=looked, new=fresh)


def _read_state(path: str, home: str) -> PathState:
    if len(path) > MAX_PATH_CHARS:
        return PathState.UNKNOWN
    try:
        found = os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        # Where nobody lives in the home, it is a stand-in, and what is missing says nothing about the user's machine.
        return PathState.MISSING if _is_lived_in(home) else PathState.UNKNOWN
    except (OSError, ValueError):
        return PathState.UNKNOWN
    if S_ISLNK(found.st_mode):
        return PathState.FOLDER_LINK if os.path.isdir(path) else PathState.LINK  # noqa: PTH112
    if S_ISDIR(found.st_mode):
        return PathState.FOLDER
    return PathState.FILE if found.st_size else PathState.EMPTY


def _find_top_missing(path: str) -> str:
    """The highest folder on the way to a path that is not there yet; nothing where the path itself is there."""
    top = ""
    for _ in range(MAX_UPWARDS):
        if len(path) > MAX_PATH_CHARS or os.path.lexists(path):
            break
        top, path = path, path.rpartition("/")[0] or "/"
    return top


@lru_cache(maxsize=16)
def _is_lived_in(home: str) -> bool:
    return any(os.path.lexists(f"{home}/{name}") for name in LIVED_IN)


def _read_made(call: Call, means: EngineMeans) -> tuple[str, ...]:
    """The paths that the session has made, as it was written down when they were not there."""
    if not call.event.session_id:
        return ()
    owner = state.SectionOwner(call.root, call.event.session_id)
    try:
        return tuple(
            path for path in state.read_state(means.store, owner, (MADE,)).read_section(MADE) if path[:1] == "/"
        )
    except StoreError:
        return ()


def _leads_out(path: str, top: str) -> bool:
    """Whether a link on the way to a path below a folder leads elsewhere: what is there the session has not made."""
    return is_inside(path, (top,)) and os.path.realpath(path) != os.path.realpath(top) + path[len(top) :]


def _is_licensed(at: WorkFolders, made: tuple[str, ...]) -> bool:
    """Whether the folder that is worked in is a project, lies in scratch, or was made by the session."""
    if not at.project or not (is_inside(at.project, made) or _is_project(at)):
        return False
    if len(_projects) >= MAX_PROJECTS:
        _projects.clear()
    _projects[at.project] = time.monotonic() + FRESH_SECONDS
    return True


def _find_projects(lost: tuple[LostPath, ...], at: WorkFolders) -> tuple[str, ...]:
    """The repositories below the folder that is worked in, in which something would be deleted."""
    above = {path.rpartition("/")[0] for path in [one.path for one in lost if one.area in OWN_AREAS][:MAX_PATHS]}
    found = (folder for path in above for folder in _iter_upwards(path, at.project))
    return tuple(dict.fromkeys(folder for folder in found if os.path.lexists(f"{folder}/.git")))


def _is_known_project(at: WorkFolders, fresh: bool) -> bool:
    """Whether the folder is a project; for what takes nothing away, whether it was one a moment ago."""
    if not fresh and _projects.get(at.project, 0.0) > time.monotonic():
        return True
    return _is_licensed(at, ())


def _is_project(at: WorkFolders) -> bool:
    root = at.project
    if any(os.path.lexists(f"{root}/{marker}") for marker in reversed(PROJECT_MARKERS)):  # `.git` first: most have it
        return True
    if at.is_scratch(root) or not os.path.isdir(root):  # noqa: PTH112
        return True
    if not WORK_NAMES.isdisjoint((root[len(at.home) :] if is_inside(root, (at.home,)) else root).split("/")):
        return True
    return any(map(_has_manifest, _iter_upwards(root, at.home)))


def _is_disposable(at: WorkFolders) -> bool:
    """Whether a folder in scratch, wherever links lead, is the user's own, and is no part of a repository."""
    real = resolve_path(os.path.realpath(at.project), Standpoint(at.cwd, at.home)) or ""
    if not at.is_scratch(real) or SHARED_SCRATCH.fullmatch(real):
        return False
    try:
        if os.lstat(real).st_uid != os.getuid():
            return False
    except OSError:
        return False
    folders = list(_iter_upwards(real, at.home))
    marked = (os.path.lexists(f"{folder}/{marker}") for folder in folders for marker in PROJECT_MARKERS)
    # Further up than is looked, anything may be.
    return len(folders) < MAX_UPWARDS and not any(marked)


def _iter_upwards(folder: str, home: str) -> Iterator[str]:
    for _ in range(MAX_UPWARDS):
        if not folder.strip("/") or is_inside(home, (folder,)):
            return
        yield folder
        folder = folder.rpartition("/")[0]


def _has_manifest(folder: str) -> bool:
    names = frozenset(iter_names(folder))
    return not MANIFESTS.isdisjoint(names) or any(name.endswith(MANIFEST_SUFFIXES) for name in names)
