"""Walks the tree as bash would, without running anything: what is known of variables, folders and input is followed."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, cast

import msgspec

from synaptic.shell.book.entries import normalize_name
from synaptic.shell.names import split_names
from synaptic.shell.read import startup, syntax
from synaptic.shell.read.expand import ExpansionPiece, expand_unsplit, expand_word
from synaptic.shell.read.grammar import parse_commands
from synaptic.shell.read.lexer import SourcePosition
from synaptic.shell.read.limits import MAX_ESCAPES, MAX_LITERAL, MAX_ROUNDS
from synaptic.shell.read.names import read_program_name
from synaptic.shell.read.script import Redirect, ScriptFunction, Word
from synaptic.shell.read.state import LAST_ARGUMENT, CommandCall, ShellState
from synaptic.shell.read.value import VariableValue

ProgramHandler = Callable[["Evaluation", CommandCall], str | None]
"""Runs what a command runs and returns its output when that is known."""
FIRST_LINE = re.compile(r"#![ \t]*+([^\n]{0,200}+)")
IMPLICIT_FUNCTIONS = split_names(
    "command_not_found_handle command_not_found_handler precmd preexec chpwd zshexit TRAPEXIT TRAPDEBUG TRAPZERR"
)
"""Functions that bash or zsh calls by itself."""


class Evaluation(ShellState):
    """Follows what each piece of the text runs."""

    handlers: Mapping[str, ProgramHandler] = {}

    def substitute(self, part: syntax.CommandOutput) -> ExpansionPiece:
        """Run what stands in `$(...)`; its output, when that can be known."""
        before = len(self.commands)
        outside = self.save_state()
        try:
            output = self.run(part.body)
        finally:
            self.restore(outside)
        places = tuple(range(before, len(self.commands)))
        # `<(...)` is a file name such as /dev/fd/63; whoever opens it reads the output.
        if part.file:
            if output is not None:
                self.files[part.source] = output
            return ExpansionPiece(part.source, known=False, outputs=places)
        if output is None or len(output) > MAX_LITERAL:
            return ExpansionPiece(part.source, known=False, outputs=places)
        return ExpansionPiece(output.rstrip("\n"), True, places)

    def run(self, node: syntax.Node) -> str | None:
        """Everything a node runs; its output when that is known."""
        budget = self.budget
        # The counter is inlined: this runs for every node.
        budget.steps -= 1
        if budget.steps < 0:
            budget.count_step()
        return NODE_RUNNERS[type(node)](self, node)

    def run_sequence(self, node: syntax.CommandSequence) -> str | None:
        whole: str | None = ""
        for item in node.items:
            output = self.run(item)
            if whole is not None:
                whole = join_outputs(whole, output)
        return whole

    def run_pipeline(self, node: syntax.Pipeline) -> str | None:
        self.pipelines += 1
        number, kept, stdin = self.pipelines, self.stages, self.stdin
        output: str | None = None
        outside = self.save_state()
        try:
            for place, stage in enumerate(node.stages):
                # Every stage is a subshell of its own and starts from the state before the pipeline.
                if place:
                    self.restore(outside)
                    self.save_state()
                self.stages = (*kept, (number, place))
                output = self.run(stage)
                self.stdin = output
        finally:
            self.restore(outside)
            self.stages, self.stdin = kept, stdin
        return output

    def run_group(self, node: syntax.CommandGroup) -> str | None:
        kept = self.stdin, self.background
        redirects, fed = self.expand_redirections(node.redirections)
        self.stdin = fed if fed is not None else self.stdin
        self.background = self.background or node.background
        outside = self.save_state() if node.apart else None
        try:
            output = self.run(node.body)
        finally:
            self.stdin, self.background = kept
            if outside is not None:
                self.restore(outside)
        return self.remember_output(redirects, output)

    def run_choice(self, node: syntax.Choice) -> str | None:
        if node.subject:
            expand_unsplit(self, node.subject)
        before = self.variables
        after: list[dict[str, VariableValue]] = []
        for branch in node.branches:
            self.variables = dict(before)
            self.run(branch)
            after.append(self.variables)
        self.variables = dict(before)
        # Perhaps no branch runs, so the state before counts as one more branch.
        self.merge_branches(before, after)
        return None

    def run_loop(self, node: syntax.Loop) -> str | None:
        kept, self.looped = self.looped, True
        try:
            if node.name:
                return self.run_rounds(node)
            if node.condition:
                self.run(node.condition)
            self.run(node.body)
        finally:
            self.looped = kept
        return None

    def run_rounds(self, node: syntax.Loop) -> str | None:
        words = (
            self.arguments if node.tokens is None else [w for token in node.tokens for w in expand_word(self, token)]
        )
        if words is None:
            words = [Word('"$@"', known=False)]
        whole: str | None = ""
        for word in limit_words(words, f"${node.name}"):
            self.variables[node.name] = VariableValue(word.text, word.known, word.outputs)
            output = self.run(node.body)
            if whole is not None:
                whole = join_outputs(whole, output)
        return whole

    def remember_file(self, name: str, text: str, more: bool = False) -> None:
        super().remember_file(name, text, more)
        if name.rpartition("/")[2] in startup.STARTUP_FILES:
            startup.read_startup_file(self, self.make_file_key(name), text)

    def define_function(self, node: syntax.FunctionDefinition) -> str | None:
        self.bodies[node.name] = node
        self.functions[node.name] = ScriptFunction(node.name, node.text)
        # No command of the script calls these by name, and yet the shell runs them.
        if node.name in IMPLICIT_FUNCTIONS:
            self.invoke(node, CommandCall([Word(node.name)]))
        return ""

    def expand_test(self, node: syntax.TestExpression) -> str | None:
        for token in node.tokens:
            expand_unsplit(self, token)
        return ""

    def expand_redirections(self, nodes: list[syntax.Redirection]) -> tuple[tuple[Redirect, ...], str | None]:
        """The redirections, and the text they feed when it is known."""
        found: list[Redirect] = []
        fed: str | None = None
        for node in nodes:
            target = expand_unsplit(self, node.target)
            found.append(Redirect(node.operator, target, node.descriptor, self.cwd, self.via))
            if node.operator in ("<<<", "<<") and (target.known or node.operator == "<<"):
                fed = target.text + ("\n" if node.operator == "<<<" else "")
            elif node.operator == "<":
                # Only what the script itself wrote before: no real file is read.
                fed = self.files.get(self.make_file_key(target.text))
        self.redirects.extend(found)
        return tuple(found), fed

    def run_simple(self, node: syntax.SimpleCommand) -> str | None:
        if self.branched and not node.settled:
            # The command is read once per value, so that `if a; then x=/; else x=b; fi; rm -rf $x` is judged with
            # both.
            several = self.list_alternatives(node)
            if several:
                return self.run_each_value(self.settle_words(node), several)
        return self.run_once(node)

    def list_alternatives(self, node: syntax.SimpleCommand) -> list[str]:
        """The variables in its words that have one of several values."""
        names: set[str] = set()
        for token in node.words:
            if isinstance(token, Word) or token.text is not None:
                continue
            for part in token.parts:
                if type(part) is syntax.Parameter and (held := self.variables.get(part.name)) and held.others:
                    names.add(part.name)
        return sorted(names)

    def settle_words(self, node: syntax.SimpleCommand) -> syntax.SimpleCommand:
        """The same command with the words expanded that do not depend on which branch ran."""
        words: list[syntax.WordToken | Word] = []
        for token in node.words:
            if isinstance(token, Word) or not self.is_certain(token):
                words.append(token)
            else:
                words.extend(expand_word(self, token))
        return msgspec.structs.replace(node, words=words)

    def is_certain(self, token: syntax.WordToken) -> bool:
        """Whether it is made of text and of variables that have one value, which no command changes by running."""
        for part in token.parts:
            if type(part) is syntax.Parameter:
                held = self.variables.get(part.name)
                if part.operator or part.index or part.name == "_" or (held is not None and held.others):
                    return False
            elif type(part) is not syntax.LiteralText:
                return False
        return True

    def run_each_value(self, node: syntax.SimpleCommand, names: list[str]) -> str | None:
        name = names[0]
        held = self.variables[name]
        output: str | None = None
        for value in (held, *held.others):
            self.variables[name] = msgspec.structs.replace(value, others=())
            output = self.run_simple(node)
        self.variables[name] = held
        return output

    def run_once(self, node: syntax.SimpleCommand) -> str | None:
        first = node.words[0].text if node.words else None
        # As in bash, an alias that names itself (`alias ls="ls -l"`) is expanded once.
        if first is not None and first in self.aliases and first not in self.running:
            return self.run_alias(node, first)
        words = self.expand_words(node)
        redirects, fed = self.expand_redirections(node.redirections) if node.redirections else ((), None)
        assigned = (
            tuple((item.name, self.assign(item, keep=not words)) for item in node.assignments)
            if node.assignments
            else ()
        )
        if not words:
            if redirects:
                self.emit(CommandCall([Word(":")], ":", assigned, redirects, fed, node.span))
            return self.remember_output(redirects, "")
        call = CommandCall(words, "", assigned, redirects, self.stdin, node.span, node.words[0].inner, self.cwd)
        if fed is None:
            output = self.run_call(call)
        else:
            call.stdin = fed
            with self.feed_input(fed):
                output = self.run_call(call)
        last = words[-1]
        self.variables["_"] = VariableValue(last.text, last.known, last.outputs)
        return self.remember_output(redirects, output) if redirects else output

    def expand_words(self, node: syntax.SimpleCommand) -> list[Word]:
        """The words that the written words become."""
        if node.settled:
            return cast("list[Word]", node.words)
        found: list[Word] = []
        for word in node.words:
            if isinstance(word, Word):
                found.append(word)
            else:
                found.extend(expand_word(self, word))
        return found

    def run_alias(self, node: syntax.SimpleCommand, name: str) -> str | None:
        tree, _ = parse_commands(self.aliases[name], self.budget, SourcePosition(None), self.depth)
        last = tree.items[-1] if tree.items else None
        kept, self.running = self.running, (*self.running, name)
        try:
            # The alias is a piece of text: what stands behind it belongs to its last command.
            if isinstance(last, syntax.SimpleCommand):
                last.words.extend(node.words[1:])
                last.settled = last.settled and node.settled
                last.redirections.extend(node.redirections)
                last.assignments.extend(node.assignments)
                return self.run(tree)
            self.run(tree)
            return self.run_once(msgspec.structs.replace(node, words=node.words[1:]))
        finally:
            self.running = kept

    def assign(self, item: syntax.Assignment, keep: bool) -> Word:
        """The value of an assignment; kept for later commands when it stands alone."""
        array = item.value.parts[0] if item.value.parts else None
        if isinstance(array, syntax.ArrayElements):
            words = [word for token in array.tokens for word in expand_word(self, token)]
            self.store_variable(item, words)
            return Word(array.source, known=all(word.known for word in words))
        word = expand_unsplit(self, item.value)
        if keep:
            self.store_variable(item, [word])
        return word

    def run_call(self, call: CommandCall) -> str | None:
        """Note a command and follow what it runs."""
        call.name = read_program_name(call.words[0])
        if not call.name:
            self.add_gap("command", call.words[0].text)
        # Noted before it is followed, so that commands stand in the order in which they start.
        self.emit(call)
        body = self.bodies.get(call.words[0].text)
        if body is not None:
            return self.invoke(body, call)
        if self.files and "/" in call.words[0].text and self.make_file_key(call.words[0].text) in self.files:
            return self.run_written_file(call)
        handler = self.handlers.get(call.name)
        if handler is None and call.name[-1:].isdigit():
            handler = self.handlers.get(normalize_name(call.name))
        return handler(self, call) if handler else None

    def run_written_file(self, call: CommandCall) -> str | None:
        """Run a file whose text is known as the system does: by the program in its first line, or by a shell."""
        text = self.files[self.make_file_key(call.words[0].text)]
        found = FIRST_LINE.match(text)
        program = [Word(name) for name in found[1].split()] if found else []
        with self.guard_recursion(text) as first:
            return self.run_wrapped(call, [*(program or [Word("sh")]), *call.words], "file") if first else None

    @contextmanager
    def guard_recursion(self, name: str) -> Iterator[bool]:
        """Guard against text that runs itself: yields whether it is not running already."""
        kept, self.running = self.running, (*self.running, name)
        try:
            yield name not in kept
        finally:
            self.running = kept

    def invoke(self, body: syntax.FunctionDefinition, call: CommandCall) -> str | None:
        """Run a function's body with its arguments."""
        recursive = bool(self.running) and any(one is body for one in self.running)
        self.functions[body.name] = ScriptFunction(
            body.name, body.text, True, recursive or self.functions[body.name].recursive
        )
        # Entered once: following it again would never end, and the flag is what a fork bomb is recognised by.
        if recursive:
            return None
        kept = self.arguments, self.running, self.stdin, self.via
        self.arguments, self.running = call.words[1:], (*self.running, body)
        self.stdin = call.stdin
        self.enter_nesting(f"function {body.name}")
        try:
            return self.run(body.body)
        finally:
            self.depth -= 1
            self.arguments, self.running, self.stdin, self.via = kept

    @contextmanager
    def feed_input(self, stdin: str | None) -> Iterator[None]:
        """Run what is inside with this text as its input; None when the input is not known."""
        kept, self.stdin = self.stdin, stdin
        try:
            yield
        finally:
            self.stdin = kept

    def run_wrapped(self, call: CommandCall, words: list[Word], label: str, cwd: str = "") -> str | None:
        """Run the command that another one starts with the same input and redirections."""
        if not words:
            return None
        with self.nest_under(label):
            return self.run_call(msgspec.structs.replace(call, words=words, cwd=cwd or call.cwd))

    def run_code(self, text: str, label: str, source: SourcePosition | None = None) -> str | None:
        """Run shell text that was handed to an interpreter."""
        if self.budget.reason and len(text) > MAX_ESCAPES:
            return None  # a limit was reached: going deeper would take long and tell no more
        # Nested code may read `$_` although the outer text never does.
        if not self.last_matters and LAST_ARGUMENT.search(text):
            self.last_matters = self.branched = True
        with self.nest_under(label):
            tree, broken = parse_commands(text, self.budget, source or SourcePosition(None), self.depth)
            for reason in broken:
                self.add_gap("syntax", reason)
            return self.run(tree)


def join_outputs(before: str, output: str | None) -> str | None:
    """What two commands print one after the other; not known when that would grow too long."""
    if output is None or (before and len(before) + len(output) > MAX_LITERAL):
        return None
    return before + output


def limit_words(words: Sequence[Word], unknown: str) -> Sequence[Word]:
    """The first of many words, and one unknown word for the rest."""
    return words if len(words) <= MAX_ROUNDS else [*words[:MAX_ROUNDS], Word(unknown, known=False)]


NODE_RUNNERS: dict[type, Callable[[Evaluation, Any], str | None]] = {
    syntax.CommandSequence: Evaluation.run_sequence,
    syntax.SimpleCommand: Evaluation.run_simple,
    syntax.Pipeline: Evaluation.run_pipeline,
    syntax.CommandGroup: Evaluation.run_group,
    syntax.Choice: Evaluation.run_choice,
    syntax.Loop: Evaluation.run_loop,
    syntax.FunctionDefinition: Evaluation.define_function,
    syntax.TestExpression: Evaluation.expand_test,
}
