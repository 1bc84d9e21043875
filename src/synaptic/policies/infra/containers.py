"""Volumes and stacks of containers removed."""

import re
from collections.abc import Iterator
from itertools import pairwise

from synaptic.policies.infra.asked import AskedHarm
from synaptic.policies.infra.verbs import read_harm
from synaptic.policies.throwaway import is_test_name, is_unconditional
from synaptic.shell.read.script import Command, Script

HARM = read_harm(
    "containers",
    "remove volumes or whole stacks with the data they hold",
    "Copy out what is needed first, or take it down without its volumes, and let the user remove them.",
)

PROJECT_OPTIONS = frozenset({"-f", "--file", "-p", "--project-name", "--profile", "--env-file"})
"""Options of compose that say which project it is about."""
NAME_OPTIONS = frozenset({"-p", "--project-name"})
UNIQUE = re.compile(r"\$\$|\$\{?(?:BASHPID|RANDOM|SRANDOM|EPOCH\w+)\b|\$\(\s*(?:date|uuidgen|mktemp)\b")
"""A part of a name that is another one each time."""
MAX_VOLUMES = 20
"""Volumes of one command for which it is looked up who has made them."""
REMOVED_VOLUMES = (("volume", "rm"), ("volume", "remove"))


class Containers(AskedHarm):
    """Removing volumes or stacks of containers with what they hold.

    ## What it does
    Asks before `docker volume rm` and `prune`, `docker system prune` with `--all` or `--volumes`, `podman system
    reset`, `compose down -v`, and removing stacks, secrets and nodes. Single containers and images can be made again
    and are free; so are volumes and compose projects that are named after tests (`docker volume rm app_test`, `-f
    docker-compose.test.yml`), a volume that the same line has created, and a project that it has started under a name
    which is another one each time (`-p e2e$$`). `firm` denies instead.
    ## Why
    A database that runs in a container keeps its data in a volume, and a removed volume is gone.
    ## Known gaps
    What a stopped container holds in no volume is lost with it, and nobody is asked.
    """

    id = "infra.containers"
    harm = HARM
    speaks_of = HARM.tools

    def spares(self, command: Command, found: Script) -> bool:
        return _names_tests(command) or _is_made_by_line(command, found)


def _names_tests(command: Command) -> bool:
    """Whether what is removed, or the project it belongs to, is named after tests."""
    if command.args[:2] in REMOVED_VOLUMES:
        named = _list_volumes(command)
        return bool(named) and all(map(is_test_name, named))
    values = (value for before, value in pairwise(command.args) if before in PROJECT_OPTIONS)
    return any(is_test_name(value.rpartition("/")[2]) for value in values)


def _is_made_by_line(command: Command, found: Script) -> bool:
    """Whether an earlier command has made the volume, or a project under a name that nothing else can have."""
    if command.args[:2] in REMOVED_VOLUMES:
        named = _list_volumes(command)
        return 0 < len(named) <= MAX_VOLUMES and all(_creates_volume(name, command, found) for name in named)
    project = _find_project(command)
    return UNIQUE.search(project) is not None and any(
        "up" in one.args and _find_project(one) == project for one in _iter_before(command, found)
    )


def _creates_volume(name: str, command: Command, found: Script) -> bool:
    return any(
        one.args[:2] == ("volume", "create") and _list_volumes(one)[-1:] == [name] and is_unconditional(one, found)
        for one in _iter_before(command, found)
    )


def _iter_before(command: Command, found: Script) -> Iterator[Command]:
    """Earlier calls of the same program in the same place, the nearest first."""
    before = reversed(found.commands[: command.index])
    return (one for one in before if one.name == command.name and one.via == command.via)


def _list_volumes(command: Command) -> list[str]:
    return [text for text in command.args[2:] if text[:1] != "-"]


def _find_project(command: Command) -> str:
    return next((value for before, value in pairwise(command.args) if before in NAME_OPTIONS), "")
