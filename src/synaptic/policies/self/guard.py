"""What the policies of this folder keep, for one user, one project, one environment and one engine."""

from collections.abc import Iterable, Iterator
from functools import lru_cache

import msgspec

from synaptic.agents.shared.guarded import GuardedPaths, find_usual_paths
from synaptic.model.places import STARTUP_NAMES, STARTUP_SUFFIX, EnginePlaces
from synaptic.policies.facts import Facts
from synaptic.policies.self.kept import GuardedFiles, make_guarded_files
from synaptic.shell.paths import is_inside

ENGINE_FOLDER = ".synaptic"
INTERPRETER_SIGN = "bin/python"
PACKAGES_SIGN = "-packages"
PROJECT_FILES = (
    ".synaptic/config.toml", ".synaptic/rules.toml", ".synaptic/hooks", ".synaptic/policies", ".system/hooks",
)  # fmt: skip


class Guard(msgspec.Struct, frozen=True):
    """Everything that is kept. All paths are in lower case."""

    user: GuardedFiles
    """Nobody but the user changes these."""
    project: GuardedFiles
    """About these a person is asked."""
    environment: GuardedFiles
    """About what else is in the engine's Python environment, when that is not the project's, a person is asked."""
    startup: tuple[str, ...]
    """Folders of packages: what Python runs there before any program is kept."""
    outside: tuple[str, ...]
    """What the engine is made of outside the project: it is not taken away with a folder around it either."""
    inside: tuple[str, ...]
    """The same in the project."""
    folders: tuple[str, ...]
    """How the folders around agents' files end."""
    near: tuple[str, ...]
    """What a path holds at least that leads to one of them."""
    names: tuple[str, ...]
    """What a word holds at least that names one of them."""
    in_project: bool
    """Whether something that is kept is in the project, where its folder need not begin with a dot."""
    homes: tuple[str, ...]
    """The home folders that hold the user's files."""

    def is_startup_file(self, low: str) -> bool:
        """Whether Python would run a file of this path before any program."""
        folder, _, name = low.rpartition("/")
        return folder in self.startup and (name in STARTUP_NAMES or name.endswith(STARTUP_SUFFIX))


def get_guard(facts: Facts, developed: bool = False) -> Guard:
    """What is kept for this call. `developed`: the engine's code in the project is free."""
    return _make_guard(facts.home, facts.root, facts.moved_settings, facts.engine_places, developed)


@lru_cache(maxsize=64)
def _make_guard(home: str, root: str, moved: GuardedPaths, places: EnginePlaces, developed: bool) -> Guard:
    """Agents' files as the agents themselves declare them: in their usual folders, and where variables put them."""
    usual = find_usual_paths()
    dotted = (*usual.folders, ".system")
    homes = tuple(filter(None, dict.fromkeys((home, places.user_home))))
    at_home = tuple(f"{one}/{folder}" for one in homes for folder in usual.folders)
    # XDG_CONFIG_HOME often names the folder that is meant anyway.
    moved_folders = tuple(path.lower() for path in moved.folders if path not in at_home)
    moved_files = tuple(path.lower() for path in moved.files if not is_inside(path, at_home))
    of_user = (f"{one}/{name}" for one in homes[1:] for name in (ENGINE_FOLDER, *usual.files))
    outside, inside = _split_engine(places, root, developed)
    environment = (places.prefix,) if places.prefix and not is_inside(places.prefix, (root,)) else ()
    engine = _lower((*outside, *inside, *environment))
    moved_names = (path.rpartition("/")[2] for path in (*moved_folders, *moved_files))
    names = ("synaptic", "settings", *(name.partition("/")[0] for name in dotted), "hooks", *moved_names)
    startup = _lower(places.packages)
    return Guard(
        user=make_guarded_files(home, (ENGINE_FOLDER, *usual.files), (*moved_files, *_lower((*of_user, *outside)))),
        project=make_guarded_files(root, (*usual.files, *PROJECT_FILES), _lower(inside)),
        environment=make_guarded_files("", (), _lower(environment)),
        startup=startup,
        outside=_lower((*outside, *environment)),
        inside=_lower(inside),
        folders=(*usual.folders, *moved_folders),
        near=(ENGINE_FOLDER, *dotted, *moved_folders, *moved_files, *engine, *startup),
        names=tuple(dict.fromkeys((*names, *_list_engine_names(engine, startup)))),
        in_project=bool(root)
        and any(is_inside(path, (root.lower(),)) for path in (*moved_folders, *moved_files, *_lower(inside), *startup)),
        homes=homes,
    )


def _split_engine(places: EnginePlaces, root: str, developed: bool) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What the engine is made of: outside the project, where nobody has to change it, and inside."""
    settings = (f"{places.prefix}/pyvenv.cfg",) if places.prefix else ()
    all_of_it = (*filter(None, (places.home,)), *places.interpreters, *settings, *places.code)
    inside = tuple(path for path in all_of_it if is_inside(path, (root,)))
    outside = tuple(path for path in all_of_it if path not in inside)
    return outside, tuple(path for path in inside if not (developed and path in places.code))


def _list_engine_names(engine: tuple[str, ...], startup: tuple[str, ...]) -> Iterator[str]:
    """What a word holds at least that names a part of the engine. Not `python` alone: too many words hold that."""
    for path in engine:
        name = path.rpartition("/")[2]
        yield INTERPRETER_SIGN if name.startswith("python") else name
    if startup:
        yield PACKAGES_SIGN


def _lower(paths: Iterable[str]) -> tuple[str, ...]:
    return tuple(path.lower() for path in paths)
