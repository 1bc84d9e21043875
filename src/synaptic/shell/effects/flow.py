"""Where data in a script comes from: through pipes, substitutions and files."""

from bisect import bisect_left

from synaptic.shell.book.entries import find_program
from synaptic.shell.read.script import Command, Script, Word

MAX_LINKS = 10_000
"""Links between commands that are followed in one script."""
TANGLED_MESSAGE = "More commands feed one another here than can be followed. Split it into smaller commands."


def classify_interpreter(name: str) -> str:
    """`shell`, `language`, or nothing."""
    program = find_program(name)
    if program.shell:
        return "shell"
    return "language" if program.language else ""


class DataFlow:
    """Which commands of a script feed which others. It is built once, so that long scripts stay cheap."""

    def __init__(self, found: Script) -> None:
        self._commands = found.commands
        self._pipelines: dict[int, list[tuple[int, Command]]] = {}
        self._origins: dict[int, list[Command]] = {}
        self._left = MAX_LINKS
        for command in found.commands:
            for pipeline, place in command.stages:
                self._pipelines.setdefault(pipeline, []).append((place, command))

    @property
    def is_tangled(self) -> bool:
        """Whether more commands feed one another than are followed."""
        return self._left < 0

    def find_origins(self, command: Command) -> list[Command]:
        """Every command whose output reaches this one, directly or through others."""
        if self.is_tangled:
            return []
        known = self._origins.get(command.index)
        if known is None:
            known = self._origins[command.index] = self._follow_origins(command)
        # Counted for cached answers as well: policies go through the result every time, and that is what costs.
        self._left -= len(known)
        return known

    def _follow_origins(self, command: Command) -> list[Command]:
        reached: dict[int, Command] = {}
        taken: dict[int, int] = {}
        waiting = self._find_feeding(command, taken)
        while waiting:
            one = waiting.pop()
            if one.index not in reached:
                reached[one.index] = one
                waiting.extend(self._find_feeding(one, taken))
        return list(reached.values())

    def _find_feeding(self, command: Command, taken: dict[int, int]) -> list[Command]:
        """The commands whose output reaches this one through one pipe or one substitution, without those taken."""
        found: list[Command] = []
        for line, place in command.stages:
            stages, start = self._pipelines[line], taken.get(line, 0)
            end = bisect_left(stages, place, start, key=_get_stage)
            found += [other for _, other in stages[start:end]]
            # Marks the stages that were added, so that a long pipeline is not gone through once per stage.
            taken[line] = max(start, end)
        words = (*command.argv, *(redirect.target for redirect in command.redirects))
        return found + [self._commands[place] for word in words for place in word.outputs]

    def find_sources(self, word: Word) -> list[Command]:
        """Every command whose output a word holds."""
        inside = [self._commands[place] for place in word.outputs]
        return [*inside, *(other for one in inside for other in self.find_origins(one))]


def _get_stage(stage: tuple[int, Command]) -> int:
    return stage[0]
