"""What a reader of shell text is given: the commands that would run, and what could not be known."""

import re
from collections.abc import Iterable
from itertools import chain
from operator import attrgetter

import msgspec

from synaptic.model.once import computed_once

Span = tuple[int, int]
SAFE_WORD = re.compile(r"[\w./:=@%+,~-]+")
GET_TEXT, GET_ARGV = attrgetter("text"), attrgetter("argv")
GET_VIA, GET_INDEX = attrgetter("via"), attrgetter("index")
WRITE_OPERATORS = frozenset({">", ">>", ">|", "&>", "&>>", "<>", ">&"})


class Word(msgspec.Struct, frozen=True, gc=False):
    """One argument as the command receives it.

    When `known` is false, `text` holds what is known and, for the rest, the source of the expansion (`$X/build`).
    """

    text: str
    known: bool = True
    glob: bool = False
    """It holds `*`, `?` or `[` outside quotes."""
    span: Span | None = None
    """Where it stands in the text that was read, quotes included."""
    inner: bool = False
    """It stands inside quoted code (`sh -c '...'`), so only plain characters may replace it."""
    outputs: tuple[int, ...] = ()
    """Places in `Script.commands` of the commands whose output the word holds."""

    def __str__(self) -> str:
        return self.text


class Redirect(msgspec.Struct, frozen=True, gc=False):
    """A redirection: operator, target, file descriptor, and the folder a relative target starts from."""

    operator: str
    target: Word
    descriptor: str = ""
    cwd: str = ""
    via: tuple[str, ...] = ()
    """Through what the command runs that it belongs to, as in `Command`."""

    @property
    def is_write(self) -> bool:
        """Whether a file is created, cut or appended to (`2>&1` and `>&-` are not files)."""
        if self.operator not in WRITE_OPERATORS:
            return False
        return self.operator != ">&" or not re.fullmatch(r"\d*-?", self.target.text)


class Command(msgspec.Struct, frozen=True, gc=False):
    """One command that would run."""

    argv: tuple[Word, ...]
    name: str
    """The last part of the program's path, with a disguise such as `/bin/r?` resolved; empty when it is not known."""
    via: tuple[str, ...] = ()
    """Through what it runs, outermost first: `("sudo", "bash -c")`."""
    cwd: str = ""
    """The folder it runs in; empty when unknown."""
    assignments: tuple[tuple[str, Word], ...] = ()
    redirects: tuple[Redirect, ...] = ()
    stdin: str | None = None
    """The text it reads, when that is known."""
    stages: tuple[tuple[int, int], ...] = ()
    """The pipelines it is part of, as (pipeline, position)."""
    index: int = 0
    """Its place in `Script.commands`."""
    span: Span | None = None
    inner: bool = False
    paths: tuple[str, ...] = ()
    """Files that a patch in its input touches."""
    background: bool = False
    looped: bool = False

    @property
    def args(self) -> tuple[str, ...]:
        """The texts of the arguments, without the name."""
        return tuple([word.text for word in self.argv[1:]])


def are_known(words: Iterable[Word]) -> bool:
    """Whether nothing in these words is unknown."""
    for word in words:  # noqa: SIM110 - this runs for many commands
        if not word.known:
            return False
    return True


def join_texts(words: Iterable[Word]) -> str:
    """The texts of these words, each on its line, to be searched at once."""
    return "\n".join(map(GET_TEXT, words))


class Gap(msgspec.Struct, frozen=True):
    """Something that could not be resolved.

    `kind` is `command` (which program runs is unknown), `code` (what an interpreter is fed is unknown)
    or `syntax` (the text is not shell).
    """

    kind: str
    text: str
    origin: str = ""
    """Where code comes from that is not known: `fetched` from another machine, `decoded`, or empty."""


class ScriptFunction(msgspec.Struct, frozen=True):
    """A function that the script defines, its source, and whether it calls itself."""

    name: str
    text: str
    called: bool = False
    recursive: bool = False


class Script(msgspec.Struct, frozen=True, dict=True):
    """Everything that is known about a piece of shell text."""

    text: str
    commands: tuple[Command, ...] = ()
    unresolved: tuple[Gap, ...] = ()
    redirects: tuple[Redirect, ...] = ()
    """Every redirection, those of groups, loops and functions included."""
    functions: tuple[ScriptFunction, ...] = ()
    truncated: str = ""
    """Which limit was reached; empty when the whole text was read."""

    @computed_once
    def by_name(self) -> dict[str, list[Command]]:
        """The commands of each program, in order."""
        found: dict[str, list[Command]] = {}
        for command in self.commands:
            found.setdefault(command.name, []).append(command)
        return found

    @computed_once
    def capitalized(self) -> tuple[str, ...]:
        """The names of programs that are not in lower case."""
        return tuple([name for name in self.by_name if name != name.lower()])

    @computed_once
    def first_words(self) -> frozenset[str]:
        """What the commands are called by."""
        return frozenset([command.argv[0].text for command in self.commands])

    @computed_once
    def uncertain(self) -> list[Command]:
        """The commands that something else runs, or whose words are not all known."""
        found = [
            command
            for commands in self.by_name.values()
            # Most programs have none, however often they run.
            if any(map(GET_VIA, commands)) or not are_known(chain.from_iterable(map(GET_ARGV, commands)))
            for command in commands
            if command.via or not are_known(command.argv)
        ]
        return sorted(found, key=GET_INDEX)

    @property
    def writes(self) -> tuple[Redirect, ...]:
        """The redirections that write to a file."""
        return tuple(redirect for redirect in self.redirects if redirect.is_write)

    def find_upstream(self, command: Command) -> tuple[Command, ...]:
        """The commands whose output reaches this one: earlier in its pipelines, or substituted into its words."""
        if not self._holds(command):
            return ()
        before = self._list_beside(command, earlier=True)
        inside = {place for word in command.argv for place in word.outputs}
        inside.update(place for redirect in command.redirects for place in redirect.target.outputs)
        before.extend(self.commands[place] for place in sorted(inside))
        return tuple(before)

    def find_downstream(self, command: Command) -> tuple[Command, ...]:
        """The commands that this one's output reaches through pipes."""
        return tuple(self._list_beside(command, earlier=False)) if self._holds(command) else ()

    def _holds(self, command: Command) -> bool:
        """Whether it is one of these, or a copy: what is guessed in text that is no shell has other pipelines."""
        own = self.commands[command.index] if command.index < len(self.commands) else None
        return own is command or (own is not None and own.name == command.name and own.stages == command.stages)

    @computed_once
    def _commands_by_pipeline(self) -> dict[int, list[tuple[int, Command]]]:
        """The stages of each pipeline, by its number."""
        found: dict[int, list[tuple[int, Command]]] = {}
        for command in self.commands:
            for pipeline, place in command.stages:
                found.setdefault(pipeline, []).append((place, command))
        return found

    def _list_beside(self, command: Command, *, earlier: bool) -> list[Command]:
        """The commands of its pipelines that stand before it, or behind it, in order."""
        found: dict[int, Command] = {}
        for pipeline, place in command.stages:
            stages = self._commands_by_pipeline[pipeline]
            beside = [other for at, other in stages if (at < place if earlier else at > place)]
            # Most commands are in one pipeline, whose stages are in order already.
            if len(command.stages) == 1:
                return beside
            found.update((other.index, other) for other in beside)
        return [found[index] for index in sorted(found)]

    def replace(self, target: Word | Command, text: str) -> str | None:
        """The script's text with one word or command replaced; None when it does not stand in the text as such."""
        return self.replace_all([(target, text)])

    def replace_all(self, changes: Iterable[tuple[Word | Command, str]]) -> str | None:
        """The script's text with several words replaced at once, everything else kept as it is."""
        edits: dict[Span, str] = {}
        for target, text in changes:
            # In quoted code a replacement with quotes or blanks would end the quotes around it.
            if target.span is None or (target.inner and not SAFE_WORD.fullmatch(text)):
                return None
            edits[target.span] = text
        return _apply_edits(self.text, edits)


def _apply_edits(text: str, edits: dict[Span, str]) -> str | None:
    end = len(text)
    # From the end to the start, so that the earlier offsets stay valid. Spans that overlap cannot both be replaced.
    for (start, stop), new in sorted(edits.items(), reverse=True):
        if stop > end:
            return None
        text = text[:start] + new + text[stop:]
        end = start
    return text
