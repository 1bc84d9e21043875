"""What a script would do to files and other machines: what it runs, reads, writes, deletes, fetches and sends."""

from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import chain
from operator import attrgetter

import msgspec

from synaptic.model.once import computed_once
from synaptic.shell.book.entries import normalize_name
from synaptic.shell.effects.addresses import fetches_data, sends_data
from synaptic.shell.effects.commands import CHANGING_KINDS, CHANGING_PROGRAMS, UNNAMED_FILE, CommandAct, find_acts
from synaptic.shell.programs.git_line import read_git_call
from synaptic.shell.read.script import WRITE_OPERATORS, Command, Redirect, Script, Word

IS_PATTERN = attrgetter("glob")

WordTest = Callable[[Sequence[Word], Collection[str]], bool]
"""What is asked about words and the folders that they are seen from."""

__all__ = ("Effect", "Effects", "WordTest", "choose_commands", "choose_redirects", "read_effects")


def holds_pattern(words: Iterable[Word]) -> bool:
    """Whether one of the words is a pattern."""
    return any(map(IS_PATTERN, words))


def choose_redirects(redirects: Sequence[Redirect], matter: WordTest) -> Sequence[Redirect]:
    """Those whose targets matter. All are asked about at once, because mostly none of them does."""
    if not redirects or not matter([one.target for one in redirects], {one.cwd for one in redirects}):
        return ()
    return [one for one in redirects if matter((one.target,), (one.cwd,))]


def choose_commands(commands: Sequence[Command], matter: WordTest) -> Sequence[Command]:
    """Those of the commands of one program with words that matter: most programs have none, however often they run."""
    if not matter([word for one in commands for word in one.argv], {one.cwd for one in commands}):
        return ()
    return [one for one in commands if matter(one.argv, (one.cwd,))] if len(commands) > 1 else commands


class Effect(msgspec.Struct, frozen=True, gc=False):
    """One thing that a command does: `run`, `write`, `touch`, `read`, `delete`, `fetch` or `send`."""

    kind: str
    word: Word
    """What names the file, the address or the program; `UNNAMED_FILE` when nothing does."""
    command: Command | None = None
    """The command that does it; None for the redirection of a group, a loop, or code of another language."""
    cwd: str = ""
    """The folder a relative name starts from; empty when unknown."""
    via: tuple[str, ...] = ()
    """Through what the command runs, outermost first."""

    @property
    def is_named(self) -> bool:
        """Whether the text says which file it is."""
        return bool(self.word.text)


class Effects(msgspec.Struct, frozen=True, dict=True):
    """What one script does, each kind worked out when it is first asked for."""

    script: Script

    @computed_once
    def runs(self) -> tuple[Effect, ...]:
        """Every command that runs, named by the word that says which program it is."""
        return tuple(_make_effect("run", command.argv[0], command) for command in self.script.commands)

    @computed_once
    def changes(self) -> tuple[Effect, ...]:
        """Files that are written, made or deleted: by redirections, by programs, and by code of other languages."""
        return self._find_changes(self.script.redirects, self.changing_commands)

    @computed_once
    def changes_by_pattern(self) -> tuple[Effect, ...]:
        """Those of them that a pattern names."""
        return tuple(one for one in self.find_changes_where(lambda words, _: holds_pattern(words)) if one.word.glob)

    def find_changes_where(self, matter: WordTest) -> tuple[Effect, ...]:
        """Those of redirections and commands with words that matter; others need not be sorted for that."""
        commands = self.select_changing(lambda group: choose_commands(group, matter))
        return self._find_changes(choose_redirects(self.script.redirects, matter), commands)

    def select_changing(self, choose: Callable[[Sequence[Command]], Iterable[Command]]) -> list[Command]:
        """The commands that are chosen from those of each program that may change a file, in their order."""
        return _sort_commands(chain(self._patched, *map(choose, self._changing_groups)))

    @computed_once
    def writes(self) -> tuple[Effect, ...]:
        """Files that are created or changed; of those made empty the kind is `touch`."""
        return tuple(effect for effect in self.changes if effect.kind != "delete")

    @computed_once
    def deletes(self) -> tuple[Effect, ...]:
        """Files that are removed; what is moved away counts."""
        return tuple(effect for effect in self.changes if effect.kind == "delete")

    @computed_once
    def reads(self) -> tuple[Effect, ...]:
        """Files that are read, by redirections and by programs that the book has."""
        redirected = (one for one in self.script.redirects if one.operator in ("<", "<>"))
        read = tuple(Effect("read", one.target, None, one.cwd, one.via) for one in redirected)
        acts = ((command, act) for command in self.script.commands for act in find_acts(command))
        return (*read, *(_make_effect("read", act[1], command) for command, act in acts if act[0] == "read"))

    @computed_once
    def fetches(self) -> tuple[Effect, ...]:
        """Addresses of other machines that something is fetched from."""
        return self._find_with_machines("fetch", [one for one in self.script.commands if fetches_data(one)])

    @computed_once
    def sends(self) -> tuple[Effect, ...]:
        """What is sent to other machines; without a name where it comes through a pipe."""
        return self._find_with_machines("send", [one for one in self.script.commands if sends_data(one)])

    def _find_with_machines(self, kind: str, commands: list[Command]) -> tuple[Effect, ...]:
        found: list[Effect] = []
        for command in commands:
            words = [word for act, word in find_acts(command) if act == kind]
            # Such a command sends or fetches something even where no word says what: its input, or a default address.
            found += [_make_effect(kind, word, command) for word in words or (UNNAMED_FILE,)]
        return tuple(found)

    def _find_changes(self, redirects: Iterable[Redirect], commands: Iterable[Command]) -> tuple[Effect, ...]:
        redirected = (
            Effect("write", one.target, None, one.cwd, one.via)
            for one in redirects
            # What stands in `> >(...)` is a command, which is looked at by itself.
            if one.operator in WRITE_OPERATORS and one.is_write and one.target.text[:2] != ">("
        )
        found: list[Effect] = [*redirected]
        for command in commands:
            for kind, word in self.list_acts(command):
                if kind in CHANGING_KINDS:
                    found.append(_make_effect(kind, word, command))
        return tuple(found)

    def list_acts(self, command: Command) -> tuple[CommandAct, ...]:
        """What one of the script's commands does, worked out once: changes and losses both begin with it."""
        known = self._acts.get(command.index)
        if known is None or known[0] is not command:  # a copy of a command has other words at the same place
            known = self._acts[command.index] = (command, tuple(find_acts(command)))
        return known[1]

    @computed_once
    def _acts(self) -> dict[int, tuple[Command, tuple[CommandAct, ...]]]:
        return {}

    @computed_once
    def _changing_groups(self) -> list[list[Command]]:
        """The commands of each program that may change a file."""
        # The exact name first: this runs for every program of every script.
        return [
            commands
            for name, commands in self.script.by_name.items()
            if name in CHANGING_PROGRAMS or normalize_name(name) in CHANGING_PROGRAMS
        ]

    @computed_once
    def _patched(self) -> list[Command]:
        return [one for one in self.script.commands if one.paths]

    @computed_once
    def changing_commands(self) -> list[Command]:
        """The commands that may change a file, in their order."""
        groups = self._changing_groups
        if len(groups) == 1 and not self._patched:
            return groups[0]
        return _sort_commands(chain(self._patched, *groups))


def read_effects(script: Script) -> Effects:
    """What a script does. Nothing is worked out before it is asked for."""
    return Effects(script)


def _make_effect(kind: str, word: Word, command: Command) -> Effect:
    # `git -C dir checkout` changes files in `dir`, and no word names them.
    if word is UNNAMED_FILE and command.name.lower() == "git":
        return Effect(kind, word, command, read_git_call(command).cwd, command.via)
    return Effect(kind, word, command, command.cwd, command.via)


def _sort_commands(commands: Iterable[Command]) -> list[Command]:
    return sorted({command.index: command for command in commands}.values(), key=attrgetter("index"))
