"""Where the engine that runs now is: nothing of it changes while it runs, so it is looked up once."""

import os
import site
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

import msgspec

import synaptic
from synaptic.facts.gather import EngineMeans, Gatherer
from synaptic.model.call import Call
from synaptic.model.places import PACKAGE_FOLDERS, EnginePlaces

OWN_DISTRIBUTION = "synaptic_hooks"
ENVIRONMENT_FILE = "pyvenv.cfg"
PID_FILE = "run/daemon.pid"


def gather_engine_places(call: Call, means: EngineMeans) -> EnginePlaces:
    """The places of this engine, with the folder that its database is in."""
    return _locate_with_database(str(means.store.path))


def gather_policy_processes(call: Call, means: EngineMeans) -> tuple[str, ...]:
    """The processes of policies from outside: who ends one keeps it from speaking."""
    return tuple(map(str, means.runners.policies.list_processes()))


@cache
def _locate_with_database(database: str) -> EnginePlaces:
    places, home = locate_engine(), str(Path(database).parent)
    code = _spell((*places.code, *_spell((home,))[1:]))
    return msgspec.structs.replace(places, home=home, code=code, processes=_list_processes(Path(home)))


def _list_processes(home: Path) -> tuple[str, ...]:
    """This process, which is the daemon unless there is none, and the one that is written down."""
    try:
        written = (home / PID_FILE).read_text().partition("\n")[0]
    except (OSError, ValueError):
        written = ""  # no daemon runs, or nobody can say which
    return tuple(dict.fromkeys(filter(str.isdigit, (str(os.getpid()), written))))


@cache
def locate_engine() -> EnginePlaces:
    """The Python environment and the code that this process runs from, as they are written and behind links."""
    package = Path(synaptic.__file__).parent
    prefix = find_environment(Path(sys.executable))
    folders = dict.fromkeys(_iter_package_folders(package, prefix))
    notes = (note for folder in folders for note in folder.glob(f"{OWN_DISTRIBUTION}-*"))
    return EnginePlaces(
        prefix=str(prefix or ""),
        interpreters=_spell((sys.executable, *map(str, Path(sys.executable).parent.glob("python*")))),
        packages=_spell(map(str, folders)),
        code=_spell((str(package), *map(str, notes), *(_spell((str(prefix),))[1:] if prefix else ()))),
    )


def find_environment(executable: Path) -> Path | None:
    """The virtual environment that an interpreter belongs to; None when it is the machine's own."""
    # By the file that makes a folder one: started without `site`, `sys.prefix` names the Python below it.
    folder = executable.parent.parent
    return folder if (folder / ENVIRONMENT_FILE).is_file() else None


def _iter_package_folders(package: Path, prefix: Path | None) -> Iterator[Path]:
    """The folders that packages are imported from: of the environment, and the one with what the engine needs."""
    yield from map(Path, site.getsitepackages([str(prefix)] if prefix else None))
    yield from (folder for folder in (Path(msgspec.__file__).parent.parent, package.parent) if _holds_packages(folder))


def _holds_packages(folder: Path) -> bool:
    return folder.name in PACKAGE_FOLDERS


def _spell(paths: Iterable[str]) -> tuple[str, ...]:
    """Each path as it is written and with its links resolved: a command may name it either way."""
    found: dict[str, None] = {}
    for path in paths:
        found[path] = None
        found[str(Path(path).resolve())] = None
    return tuple(found)


FACTS: Mapping[str, Gatherer] = {
    "engine_places": gather_engine_places,
    "policy_processes": gather_policy_processes,
}
