"""Other names that a script gives to folders before it uses them: links, and folders that are mounted twice."""

import re
from collections.abc import Iterator

from synaptic.policies.mounts import Mount, find_host_paths
from synaptic.policies.reading import select_commands
from synaptic.shell.book.arguments import Arguments
from synaptic.shell.book.entries import find_program
from synaptic.shell.paths import Standpoint, resolve_path
from synaptic.shell.read.script import Command, Word
from synaptic.shell.reading import CommandReading

COPY_PROGRAMS = frozenset({"cp", "gcp"})
LINK_MAKERS = frozenset({"ln", "gln", "mount", "bindfs"})
BOX_PROGRAMS = frozenset({"bwrap", "proot", "firejail", "systemd-nspawn"})
BOX_OPTION = re.compile(r"--(?:dev-)?bind(?:-try)?|-b|--bind=.*|-b.+:.*")
"""How a program that shows another view of the machine is told what is where."""
LINKING_PROGRAMS = LINK_MAKERS | COPY_PROGRAMS | BOX_PROGRAMS
MAX_LINKS = 32
"""Links of one script that are looked at."""
MAX_ROUNDS = 4
"""Links that lead through links."""


def find_links(known: CommandReading) -> tuple[Mount, ...]:
    """The folders and files that get another name in this script, with the name that they get."""
    if LINKING_PROGRAMS.isdisjoint(known.script.by_name):
        return ()
    found: list[Mount] = []
    for command in select_commands(known.script, LINKING_PROGRAMS):
        if len(found) >= MAX_LINKS:
            break
        found += _read_links(command, known.standpoint)
    return tuple(found[:MAX_LINKS])


def iter_hard_linked(known: CommandReading) -> Iterator[str]:
    """Files that get a second name which no later look can tell from the first."""
    for command in select_commands(known.script, LINKING_PROGRAMS & known.script.by_name.keys()):
        given = find_program(command.name).read(command.argv[1:])
        if command.name in COPY_PROGRAMS:
            is_hard = given.has("link", "l")
        else:
            is_hard = command.name in ("ln", "gln") and not given.has("symbolic", "s")
        if is_hard:
            at = Standpoint(command.cwd or known.standpoint.cwd, known.standpoint.home)
            yield from (path for word in given.operands[:-1] or given.operands if (path := resolve_path(word.text, at)))


def iter_behind(path: str, links: tuple[Mount, ...]) -> Iterator[str]:
    """Where a path leads through the links of a script."""
    reached = [path]
    for _ in range(MAX_ROUNDS):
        reached = [real for one in reached for real in find_host_paths(one, links) if real != one][:MAX_LINKS]
        if not reached:
            return
        yield from reached


def _read_links(command: Command, at: Standpoint) -> Iterator[Mount]:
    given = find_program(command.name).read(command.argv[1:])
    here = Standpoint(command.cwd or at.cwd, at.home)
    if command.name in BOX_PROGRAMS:
        yield from _read_box(command, here)
        return
    if command.name in COPY_PROGRAMS and not given.has("link", "l", "symbolic-link", "s"):
        return
    if command.name == "mount" and not _binds(given):
        return
    folder, sources = _split_names(given)
    name = resolve_path(folder.text, here) if folder else here.cwd
    if name is None:
        return
    for source in sources:
        # A relative link is seen from its own folder; read from both, since the name may be a folder.
        for place in dict.fromkeys((name.rpartition("/")[0], name, here.cwd)):
            if target := resolve_path(source.text, Standpoint(place, at.home)):
                yield Mount(target, name)
                yield Mount(target, f"{name}/{target.rpartition('/')[2]}")


def _read_box(command: Command, here: Standpoint) -> Iterator[Mount]:
    """`bwrap --bind SOURCE TARGET`, `proot -b SOURCE:TARGET`."""
    args = (*command.args, "", "")
    for place, text in enumerate(command.args):
        if BOX_OPTION.fullmatch(text):
            attached = text.partition("=")[2] or (text[2:] if text[:2] == "-b" else "") or args[place + 1]
            source, colon, target = attached.partition(":")
            target = target if colon else args[place + 2]
            if (real := resolve_path(source, here)) and target:
                yield Mount(real, target)


def _split_names(given: Arguments) -> tuple[Word | None, tuple[Word, ...]]:
    """The new name, or the folder that takes it, and what it stands for."""
    into = given.get_by_role("into")
    if into:
        return into[0], given.operands
    return (given.operands[-1], given.operands[:-1]) if len(given.operands) > 1 else (None, given.operands)


def _binds(given: Arguments) -> bool:
    texts = [word.text for word in given.operands] + [flag.word.text for flag in given.flags]
    values = [flag.value.text for flag in given.flags if flag.value]
    return any("bind" in text for text in (*texts, *values))
