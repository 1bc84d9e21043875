"""What is known of a shell while its text is walked: variables, folders, files, and the commands found so far."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from os.path import normpath
from typing import Any

import msgspec

from synaptic.shell.read import syntax
from synaptic.shell.read.lexer import SourcePosition
from synaptic.shell.read.limits import MAX_DEPTH, MAX_LITERAL, MAX_ROUNDS, Budget
from synaptic.shell.read.script import Command, Gap, Redirect, ScriptFunction, Word
from synaptic.shell.read.value import VariableValue, merge_values
from synaptic.shell.read.variables import ShellVariables

SavedState = tuple[
    dict[str, VariableValue], dict[str, syntax.FunctionDefinition], dict[str, str], str, "list[Word] | None"
]

ZSH_SUBSCRIPT = re.compile(r"\$\w++[\[:]")
ZSH_SIGNS = ("$commands", "${commands", "c $", "eval $", "trap $")
"""What zsh reads otherwise than bash: subscripts without braces, and code in a variable that it does not split."""
INPUT_KEY = "/dev/fd/0"
"""The key of the input among the files."""
OPEN_FILE = re.compile(r"^/proc/[^/]+/fd/")
LAST_ARGUMENT = re.compile(r"\$\{?!?_(?!\w)|\$\{!")
"""`$_`, or an expansion that may lead to it."""


def _may_differ_in_zsh(text: str) -> bool:
    if any(sign in text for sign in ZSH_SIGNS):
        return True
    return ("[" in text or ":" in text) and ZSH_SUBSCRIPT.search(text) is not None


class CommandCall(msgspec.Struct, gc=False):
    """A command about to run. Handlers look at it and run what it runs."""

    words: list[Word]
    name: str = ""
    assignments: tuple[tuple[str, Word], ...] = ()
    redirects: tuple[Redirect, ...] = ()
    stdin: str | None = None
    span: tuple[int, int] | None = None
    inner: bool = False
    cwd: str = ""
    index: int = 0
    sorted_words: tuple[list[Word], Any] | None = None
    """The words that were sorted into options and operands, and how: code after code of one call asks for them."""

    def list_texts(self) -> list[str]:
        """The arguments without the name."""
        return [word.text for word in self.words[1:]]


class ShellState(ShellVariables):
    """The state of one shell, and what was found so far."""

    def __init__(self, text: str, cwd: str, home: str, env: Mapping[str, str]) -> None:
        super().__init__(cwd, home, env)
        self.text = text
        self.budget = Budget()
        self.bodies: dict[str, syntax.FunctionDefinition] = {}
        self.aliases: dict[str, str] = {}
        self.global_aliases: dict[str, str] = {}
        self.files: dict[str, str] = {}
        self.descriptors: dict[str, str] = {}
        """The files behind descriptors that are open for writing."""
        self.sinks: dict[str, syntax.Node] = {}
        """What `>(...)` runs with what is written to it, by its source."""
        self.answers: dict[str, str] = {}
        """The file that holds what such a one prints."""
        self.fed_by: dict[str, tuple[int, ...]] = {}
        """The places of the commands whose output a variable was read from."""
        self.later: list[str] = []
        """Code that runs at the end: traps."""
        self.pipes: set[str] = set()
        """Named pipes (`mkfifo`): a reader may wait for what is written."""
        self.commands: list[Command] = []
        self.gaps: dict[Gap, None] = {}
        self.redirects: list[Redirect] = []
        self.functions: dict[str, ScriptFunction] = {}
        self.via: tuple[str, ...] = ()
        self.stages: tuple[tuple[int, int], ...] = ()
        self.stdin: str | None = None
        self.running: tuple[str | syntax.FunctionDefinition, ...] = ()
        self.depth = 0
        self.pipelines = 0
        self.background = False
        self.looped = False
        self.branched = False
        """Whether a variable has one of several values."""
        self.devices_matter = False
        """Whether anything names the input as a file."""
        self.zsh_matters = False
        """Whether anything is read otherwise by zsh."""
        self.maps_files = False
        """Whether anything may name a file as an element of `mapfile`, which zsh reads and writes."""
        self.look_ahead(text)
        self.last_matters = LAST_ARGUMENT.search(text) is not None
        """Whether anything reads `$_`: every command changes it, so its values are only followed then."""

    def look_ahead(self, text: str) -> None:
        """Note what a text may hold that is too rare to be looked for at every command."""
        if not self.devices_matter and ("/dev/" in text or "/fd/" in text):
            self.devices_matter = True
        if "mapfile[" in text:
            self.maps_files = True
        if "$" in text and not self.zsh_matters:
            self.zsh_matters = _may_differ_in_zsh(text)

    @contextmanager
    def isolate(self) -> Iterator[None]:
        """Run as in a subshell: variables, functions, aliases and the folder are restored afterwards."""
        kept = self.save_state()
        try:
            yield
        finally:
            self.restore(kept)

    def save_state(self) -> SavedState:
        """Save the state that a subshell must not change, and go on with copies of it."""
        kept = (self.variables, self.bodies, self.aliases, self.cwd, self.arguments)
        self.variables, self.bodies, self.aliases = dict(self.variables), dict(self.bodies), dict(self.aliases)
        return kept

    def restore(self, kept: SavedState) -> None:
        self.variables, self.bodies, self.aliases, self.cwd, self.arguments = kept

    @contextmanager
    def nest_under(self, label: str) -> Iterator[None]:
        """Mark the commands inside as run by another program (`via`), one level deeper."""
        kept = self.via
        self.enter_nesting(label)
        try:
            yield
        finally:
            self.via = kept
            self.depth -= 1

    def enter_nesting(self, label: str) -> None:
        """One construction deeper."""
        if self.depth >= MAX_DEPTH:
            self.budget.stop(f"more than {MAX_DEPTH} constructions inside one another")
        self.via = (*self.via, label)
        self.depth += 1

    def merge_branches(self, before: dict[str, VariableValue], branches: list[dict[str, VariableValue]]) -> None:
        """Merge the variables after branches of which any, or none, may have run."""
        changed = {name for branch in branches for name, value in branch.items() if before.get(name) is not value}
        for name in sorted(changed):
            values = [branch[name] for branch in (before, *branches) if name in branch]
            if any(value is not values[0] for value in values):
                self.variables[name] = merge_values(values, MAX_ROUNDS)
                # Every command changes `$_`: if it always counted, each later command would be read once per branch.
                if name != "_" or self.last_matters:
                    self.branched = self.branched or bool(self.variables[name].others)
            else:
                self.variables[name] = values[0]

    def make_file_key(self, text: str) -> str:
        """A path as the key under which written files are remembered."""
        # `<(...)`, `>(...)` and `=(...)` are keys as they are written.
        if text[:1] in "<>/" or not text or text[:2] == "=(":
            return (
                OPEN_FILE.sub("/dev/fd/", text)
                if text[:2] in ("/d", "/p") and text != "/dev/stdin"
                else (INPUT_KEY if text == "/dev/stdin" else text)
            )
        return normpath(f"{self.cwd}/{text}")

    def remember_file(self, name: str, text: str, more: bool = False) -> None:
        """Remember what a file holds from now on, or what is added to it."""
        path = self.make_file_key(name)
        self.files[path] = ((self.files.get(path, "") if more else "") + text)[:MAX_LITERAL]

    def emit(self, call: CommandCall, paths: tuple[str, ...] = ()) -> None:
        """Note a command as one that runs."""
        budget = self.budget
        # The counter is inlined: this runs for every command.
        budget.commands -= 1
        if budget.commands < 0:
            budget.count_command()
        call.index = len(self.commands)
        self.commands.append(
            Command(
                tuple(call.words),
                call.name,
                self.via,
                call.cwd or self.cwd,
                call.assignments,
                call.redirects,
                call.stdin,
                self.stages,
                call.index,
                call.span,
                call.inner,
                paths,
                self.background,
                self.looped,
            )
        )

    def locate_code(self, word: Word) -> SourcePosition:
        """Where the text inside a quoted word stands in the outermost text, so that it can be rewritten there."""
        if word.span is None or not word.known:
            return SourcePosition(None)
        written = self.text[word.span[0] : word.span[1]]
        if written == word.text:
            return SourcePosition(word.span[0], inner=True)
        if written[1:-1] == word.text and written[0] in "'\"":
            return SourcePosition(word.span[0] + 1, inner=True)
        return SourcePosition(None)

    def add_gap(self, kind: str, text: str, origin: str = "") -> None:
        self.gaps[Gap(kind, text, origin)] = None
