"""What the gates of the preset `sane` add to one PreToolUse, through the dispatcher, as an agent waits for it."""

from contextlib import ExitStack
from pathlib import Path

import msgspec

from bench import load
from bench.line import Line, added
from bench.payload import event, line
from bench.spawn import Command, Samples, compile_spawner, sample
from bench.world import World, build
from synaptic.model import sane
from synaptic.store import sections
from synaptic.store.db import Store

PROMISED = 0.10
LINES = 200
"""Of the file that is read and edited."""


class Worlds(msgspec.Struct, frozen=True):
    """The same project three times: without gates, with gates that are open, and with gates that are shut."""

    plain: World
    opened: World
    shut: World


def measured(folder: Path, rounds: int) -> list[Line]:
    """One line a kind of call: how much longer its median is with the gates on."""
    with ExitStack() as stack:
        worlds = _worlds(folder)
        for world in (worlds.plain, worlds.opened, worlds.shut):
            stack.callback(world.stop)
            world.start()
            load.at_once(world, line(event(world.project)), 1)
        spawner = compile_spawner(folder)
        return [_added(name, sample(spawner, pair, rounds)) for name, pair in _pairs(worlds).items()]


def _worlds(folder: Path) -> Worlds:
    gated = ("essentials", "sane")
    worlds = Worlds(
        plain=_filled(build(folder / "ungated", "ungated")),
        opened=_filled(build(folder / "open", "gates open", gated)),
        shut=_filled(build(folder / "shut", "gates shut", gated)),
    )
    _researched(worlds.opened)
    return worlds


def _filled(world: World) -> World:
    """A file to work on, and the folder of the agent, which every project has in which one has worked."""
    world.project.joinpath(".claude").mkdir()
    world.project.joinpath("main.py").write_text("".join(f"print({number})\n" for number in range(LINES)))
    return world


def _researched(world: World) -> None:
    """The user gave a task, and every kind of research was done."""
    store = Store.open(world.home)
    try:
        sections.set_section_value(store, str(world.project), "requirements", ("is_task", True))
        for kind in sane.CATEGORIES:
            done = {"tool": "Read", "at": "2025-01-01T00:00:00Z"}
            sections.set_section_value(store, str(world.project), "research", (kind, done))
    finally:
        store.close()


def _pairs(worlds: Worlds) -> dict[str, tuple[Command, Command]]:
    plain, opened, shut = worlds.plain, worlds.opened, worlds.shut
    return {
        "the gates on Bash": (_bash(plain), _bash(opened)),
        "the gates on Read": (_read(plain), _read(opened)),
        "the gates on Edit": (_edit(plain), _edit(opened)),
        "the gates on an Edit that they refuse": (_edit(plain), _edit(shut, refused=True)),
        "a refusal of theirs against one of the guard": (_forbidden(plain), _edit(shut, refused=True)),
    }


def _added(name: str, pair: tuple[Samples, ...]) -> Line:
    """A refusal is written down, signed and counted before it is told: what it costs is shown, and not promised."""
    without, with_gates = pair
    wrong = without.errors + with_gates.errors
    found = added(f"{name} ({without.percentile(0.5):.2f} ms without)", without, with_gates, PROMISED)
    if "refus" in name:
        found = msgspec.structs.replace(found, target="", met=None)
    return msgspec.structs.replace(found, met=False, measured=f"{wrong} wrong answers") if wrong else found


def _bash(world: World) -> Command:
    return _command(world, "bash", event(world.project))


def _read(world: World) -> Command:
    return _tool(world, "Read", {"file_path": f"{world.project}/main.py"})


def _edit(world: World, refused: bool = False) -> Command:
    change = {"file_path": f"{world.project}/main.py", "old_string": "print(7)\n", "new_string": "print(8)\n"}
    return _tool(world, "Edit", change, speaks=refused)


def _forbidden(world: World) -> Command:
    change = {"file_path": f"{world.home.config}", "old_string": "essentials", "new_string": "nothing"}
    return _tool(world, "Edit", change, speaks=True)


def _tool(world: World, tool: str, given: dict[str, str], speaks: bool = False) -> Command:
    # Nobody could be asked in this mode: the same refused call again stays refused.
    payload = {**event(world.project, tool=tool), "permission_mode": "bypassPermissions", "tool_input": given}
    return _command(world, f"{tool}{'-refused' if speaks else ''}".lower(), payload, speaks)


def _command(world: World, name: str, payload: dict[str, object], speaks: bool = False) -> Command:
    stdin = world.folder / f"{name}.json"
    stdin.write_bytes(line(payload))
    return msgspec.structs.replace(world.command(), stdin=stdin, speaks=speaks)
