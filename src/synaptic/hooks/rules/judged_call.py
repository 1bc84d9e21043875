"""What rules ask of one call: its commands, paths, machines and new texts, each worked out once for all rules."""

from collections.abc import Iterable, Iterator

import msgspec

from synaptic.hooks.rules.commands import SortedCommand, sort_command
from synaptic.hooks.rules.hosts import find_hosts
from synaptic.hooks.rules.named_paths import CallPaths
from synaptic.hooks.rules.texts import find_new_texts
from synaptic.model.event import Event, ToolEvent
from synaptic.model.once import computed_once
from synaptic.model.tool import Tool
from synaptic.policies.facts import Facts
from synaptic.shell.book.entries import normalize_name

NO_TOOL = Tool("", {})


class JudgedCall(msgspec.Struct, frozen=True, dict=True):
    """One event with its facts, as rules see it."""

    event: Event
    facts: Facts

    @computed_once
    def tool(self) -> Tool:
        """The tool of the call; one without a name for any other event."""
        return self.event.tool if isinstance(self.event, ToolEvent) else NO_TOOL

    @computed_once
    def commands(self) -> dict[str, tuple[SortedCommand, ...]]:
        """Every command that would run, by its program."""
        known = self.facts.command
        if known is None:
            return {}
        found: dict[str, tuple[SortedCommand, ...]] = {}
        for name, commands in known.script.by_name.items():
            program = GIT if name.lower().startswith("git-") else normalize_name(name)
            found[program] = (*found.get(program, ()), *map(sort_command, commands))
        return found

    def iter_commands(self, programs: Iterable[str]) -> Iterator[SortedCommand]:
        """The commands of these programs; all of them when none is named."""
        groups = (self.commands.get(name, ()) for name in programs) if programs else self.commands.values()
        return (one for group in groups for one in group)

    @computed_once
    def paths(self) -> CallPaths:
        """The files that it names, by what it does to them."""
        return CallPaths(self.event, self.facts)

    @computed_once
    def hosts(self) -> tuple[str, ...]:
        """The machines that it talks to."""
        return find_hosts(self.tool, self.facts.command)

    @computed_once
    def new_texts(self) -> tuple[str, ...]:
        """What is written into files, as far as the call says it."""
        return find_new_texts(self.tool, self.facts.command)


GIT = "git"
_last: JudgedCall | None = None


def judge_call(event: Event, facts: Facts) -> JudgedCall:
    """The call as rules see it: the same value for all that ask about it one after another."""
    global _last
    known = _last
    if known is None or known.event is not event or known.facts is not facts:
        known = _last = JudgedCall(event, facts)
    return known
