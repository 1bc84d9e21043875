"""What is known of a shell while its text is walked: variables, folders, files, and the commands found so far."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from os.path import normpath

import msgspec

from synaptic.shell.read import syntax
from synaptic.shell.read.expand import DEFAULT_VARIABLES, ExpansionPiece
from synaptic.shell.read.lexer import SourcePosition
from synaptic.shell.read.limits import MAX_DEPTH, MAX_LITERAL, MAX_ROUNDS, Budget
from synaptic.shell.read.script import Command, Gap, Redirect, ScriptFunction, Word
from synaptic.shell.read.value import VariableValue, merge_values

SavedState = tuple[
    dict[str, VariableValue], dict[str, syntax.FunctionDefinition], dict[str, str], str, "list[Word] | None"
]

LAST_ARGUMENT = re.compile(r"\$\{?!?_(?!\w)|\$\{!")
"""`$_`, or an expansion that may lead to it."""


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

    def list_texts(self) -> list[str]:
        """The arguments without the name."""
        return [word.text for word in self.words[1:]]


class ShellState:
    """The state of one shell, and what was found so far."""

    def __init__(self, text: str, cwd: str, home: str, env: Mapping[str, str]) -> None:
        self.text = text
        self.home = home or env.get("HOME", "")
        self.cwd = cwd
        self.budget = Budget()
        self.variables = {name: VariableValue(text) for name, text in env.items()}
        self.bodies: dict[str, syntax.FunctionDefinition] = {}
        self.aliases: dict[str, str] = {}
        self.files: dict[str, str] = {}
        self.arguments: list[Word] | None = None
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
        self.last_matters = LAST_ARGUMENT.search(text) is not None
        """Whether anything reads `$_`: every command changes it, so its values are only followed then."""

    def get_separators(self) -> str:
        held = self.variables.get("IFS")
        return held.text if held else " \t\n"

    def lookup(self, name: str, index: str) -> VariableValue | None:
        """The value of a variable or positional parameter; None when it is unknown."""
        if name.isdigit() and name != "0":
            return self.get_positional(int(name))
        held = self.variables.get(name)
        if held is not None:
            return self.get_element(held, index)
        if name == "HOME" and self.home:
            return VariableValue(self.home)
        if name == "PWD" and self.cwd:
            return VariableValue(self.cwd)
        default = DEFAULT_VARIABLES.get(name)
        return VariableValue(default) if default is not None else None

    def get_positional(self, number: int) -> VariableValue | None:
        if self.arguments is None:
            return None
        if number > len(self.arguments):
            return VariableValue("")
        word = self.arguments[number - 1]
        return VariableValue(word.text, word.known, word.outputs)

    def get_element(self, held: VariableValue, index: str) -> VariableValue | None:
        if held.items is None or index in ("@", "*"):
            return held
        place = int(index or 0) if (index or "0").lstrip("-").isdigit() else None
        if place is None or not -len(held.items) <= place < len(held.items):
            return None
        return VariableValue(held.items[place])

    def list_items(self, name: str) -> list[ExpansionPiece] | None:
        """The elements of an array, or of `$@`."""
        if name in ("@", "*"):
            if self.arguments is None:
                return None
            return [ExpansionPiece(word.text, word.known, word.outputs) for word in self.arguments]
        held = self.variables.get(name)
        if held is None:
            return None
        if held.items is None:
            return [ExpansionPiece(held.text, held.known, held.outputs)]
        return [ExpansionPiece(item) for item in held.items]

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
        # `<(...)` and `>(...)` are keys as they are written.
        if text[:1] in "<>/" or not text:
            return text
        return normpath(f"{self.cwd}/{text}")

    def remember_file(self, name: str, text: str, more: bool = False) -> None:
        """Remember what a file holds from now on, or what is added to it."""
        path = self.make_file_key(name)
        self.files[path] = ((self.files.get(path, "") if more else "") + text)[:MAX_LITERAL]

    def remember_output(self, redirects: tuple[Redirect, ...], output: str | None) -> str | None:
        """Remember what goes to a file; the output that is left for the pipe."""
        for redirect in redirects:
            if redirect.operator in (">", ">>", ">|", "&>", "&>>") and redirect.descriptor in ("", "1"):
                if output is not None and redirect.target.known:
                    self.remember_file(redirect.target.text, output, more=redirect.operator.endswith(">>"))
                output = ""
        return output

    def store_variable(self, item: syntax.Assignment, words: list[Word]) -> None:
        held = self.variables.get(item.name)
        array = bool(item.value.parts) and isinstance(item.value.parts[0], syntax.ArrayElements)
        if not (array or item.index or item.append):
            self.variables[item.name] = VariableValue(words[0].text[:MAX_LITERAL], words[0].known, words[0].outputs)
            return
        texts = tuple(word.text for word in words)
        known = all(word.known for word in words)
        outputs = tuple(place for word in words for place in word.outputs)
        if array or item.index:
            before = held.items or () if held and (item.append or item.index) else ()
            items = (*before, *texts)
            self.variables[item.name] = VariableValue(items[0] if items else "", known, outputs, items)
            return
        text = texts[0]
        if item.append and held:
            text, known, outputs = held.text + text, known and held.known, held.outputs + outputs
        self.variables[item.name] = VariableValue(text[:MAX_LITERAL], known, outputs)

    def emit(self, call: CommandCall, paths: tuple[str, ...] = ()) -> None:
        """Note a command as one that runs."""
        self.budget.count_command()
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
