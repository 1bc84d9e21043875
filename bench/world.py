"""A user with a daemon and a project, built for one measurement."""

import json
from pathlib import Path

import msgspec

from bench.payload import environment, event, line
from bench.spawn import Command
from synaptic.daemon import lifecycle
from synaptic.model.home import Home
from synaptic.setup import dispatcher


class World(msgspec.Struct, frozen=True):
    """One home with its own dispatcher, daemon and journal, and one project."""

    name: str
    folder: Path

    @property
    def home(self) -> Home:
        return Home(self.folder / ".synaptic")

    @property
    def project(self) -> Path:
        return self.folder / "project"

    @property
    def env(self) -> dict[str, str]:
        return environment(self.folder, self.project)

    def command(self) -> Command:
        """The PreToolUse that an agent would send from this project."""
        stdin = self.folder / "event.json"
        stdin.write_bytes(line(event(self.project)))
        return Command(self.name, (str(self.home.dispatch), "PreToolUse"), stdin, self.env)

    def start(self) -> None:
        lifecycle.start_daemon(self.home)
        lifecycle.wait_ready(self.home, 10)

    def stop(self) -> None:
        lifecycle.stop_daemon(self.home)


def build(folder: Path, name: str, presets: tuple[str, ...] = ("essentials",)) -> World:
    """A home with these presets and an empty project; no daemon yet."""
    world = World(name, folder)
    (world.project / ".git").mkdir(parents=True)
    dispatcher.install_dispatcher(world.home)
    world.home.config.write_text(f"presets = {json.dumps(presets)}\n")
    return world


def register(world: World, count: int) -> World:
    """So many hooks on this event in the project's registry, none of them for this tool."""
    registry = world.project / ".synaptic" / "hooks" / "registry.toml"
    registry.parent.mkdir(parents=True)
    registry.write_text("\n".join(_entry(world.project, number) for number in range(count)))
    return world


def declare(world: World, count: int) -> World:
    """The same as YAML, one file a hook."""
    folder = world.project / ".synaptic" / "hooks"
    folder.mkdir(parents=True)
    for number in range(count):
        (folder / f"hook-{number:04d}.yaml").write_text(_declaration(number))
    return world


def rule(world: World, count: int) -> World:
    """So many rules in the project, of every kind in turn: what a command runs, edits, tools, machines, deletions."""
    folder = world.project / ".synaptic"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "rules.toml").write_text("\n".join(_rule(number) for number in range(count)))
    return world


def _rule(number: int) -> str:
    conditions = (
        f'run = "program{number} publish"',
        f'run = "git verb{number}"',
        f'edit = "generated/part{number}/**"',
        f'edit = "lock-{number}.json"',
        f'tool = "mcp__server{number}__*"',
        f'host = "host{number}.example.com"',
        f'delete = "db/migrations-{number}/**"',
    )
    return f"""\
[[rule]]
id = "rule.number-{number}"
{conditions[number % len(conditions)]}
then = "deny"
say = "Not here."
"""


def _entry(project: Path, number: int) -> str:
    return f"""\
[[hook]]
event = "PreToolUse"
matcher = "mcp__server{number}__.*"
skill = "skill-{number}"
script = {json.dumps(str(project / ".synaptic" / "skills" / f"skill-{number}" / "hooks" / "pre.sh"))}
priority = {number % 80 + 1}
blocking = true
"""


def _declaration(number: int) -> str:
    return f"""\
id: hook-{number:04d}
event_type: PreToolUse
enabled: true
summary: Checks calls of one server
match:
  tool: mcp__server{number}__.*
handler:
  kind: script
  command: .synaptic/skills/skill-{number}/pre.sh
blocking: true
"""
