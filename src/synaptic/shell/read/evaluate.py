"""Walks the tree as bash would, without running anything: what is known of variables, folders and input is followed."""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import msgspec

from synaptic.shell.book.entries import normalize_name
from synaptic.shell.names import split_names
from synaptic.shell.read import aliases, assigning, copies, loops, startup, syntax, zsh
from synaptic.shell.read.arithmetic import compute_number, follow_formula, follow_tests
from synaptic.shell.read.copies import COPYING_PROGRAMS
from synaptic.shell.read.expand import expand_unsplit, expand_word
from synaptic.shell.read.grammar import parse_commands, parse_text
from synaptic.shell.read.lexer import SourcePosition
from synaptic.shell.read.limits import MAX_ESCAPES, MAX_LITERAL
from synaptic.shell.read.loops import join_outputs
from synaptic.shell.read.names import read_program_name
from synaptic.shell.read.script import ScriptFunction, Word
from synaptic.shell.read.state import INPUT_KEY, LAST_ARGUMENT, CommandCall
from synaptic.shell.read.streams import ShellStreams
from synaptic.shell.read.value import ExpansionPiece, VariableValue

ProgramHandler = Callable[["Evaluation", CommandCall], str | None]
"""Runs what a command runs and returns its output when that is known."""
FIRST_LINE = re.compile(r"#![ \t]*+([^\n]{0,200}+)")
IMPLICIT_FUNCTIONS = split_names(
    "command_not_found_handle command_not_found_handler precmd preexec chpwd zshexit periodic"
)
"""Functions that bash or zsh calls by itself; those whose names begin with `TRAP` are more of them."""
DECLARING_BUILTINS = split_names("declare typeset local export readonly integer float")
DECLARED = re.compile(r"\w+(?:\[[^\]]*\])?\+?=")
BEHIND_FUNCTIONS = (("builtin",), ("command",))
"""Through what a command is no function, even where one has its name."""
ZSH_NAME = re.compile(r"(?:=|zf_)([A-Za-z][\w.+-]*)")
"""`=git` is the path of git in zsh, and `zf_rm` is its own `rm`."""
COMMAND_LIKE = re.compile(r"\s*[a-z][\w/.-]*[ \t]+[-~/.\w'\"$]")
"""Words one after another, which no formula has."""


class Evaluation(ShellStreams):
    """Follows what each piece of the text runs."""

    handlers: Mapping[str, ProgramHandler] = {}

    def substitute(self, part: syntax.CommandOutput) -> ExpansionPiece:
        """Run what stands in `$(...)`; its output, when that can be known."""
        before = len(self.commands)
        outside = self.save_state()
        stdin = self.stdin
        if part.file and part.source[:1] == ">":
            self.sinks[part.source], self.stdin = part.body, None
        try:
            output = self.run(part.body)
        finally:
            self.restore(outside)
            self.stdin = stdin
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
        budget = self.budget
        for item in node.items:
            # What `run` does, without calling it: this runs for every command.
            budget.steps -= 1
            if budget.steps < 0:
                budget.count_step()
            output = NODE_RUNNERS[type(item)](self, item)
            if whole is not None and (whole or output is None or output):
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

    def run_coprocess(self, node: syntax.Coprocess) -> str | None:
        """Its input and its output are descriptors in an array."""
        source = f">({node.name})"
        self.sinks[source] = node.body
        written, read = str(60 + len(self.descriptors)), str(160 + len(self.descriptors))
        self.descriptors[written] = self.descriptors["p"] = source
        self.answers[source] = f"/dev/fd/{read}"
        kept = self.background
        self.background = True
        with self.feed_input(None), self.isolate():
            output = self.run(node.body)
        self.background = kept
        if output is not None:
            self.files[f"/dev/fd/{read}"] = self.files["/dev/fd/p"] = output
        self.variables[node.name] = VariableValue(read, items=(read, written))
        return ""

    def run_piped(self, text: str) -> None:
        """Nobody knows who reads a named pipe; what may be a command is read as if a shell did."""
        if len(text) < MAX_ESCAPES and self.reads_unknown_code():
            with self.guard_recursion(text) as first, self.feed_input(None), self.isolate():
                if first:
                    self.run_code(text, "named pipe")

    def reads_unknown_code(self) -> bool:
        return any(gap.kind == "code" for gap in self.gaps)

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

    def remember_file(self, name: str, text: str, more: bool = False) -> None:
        super().remember_file(name, text, more)
        if name.rpartition("/")[2] in startup.STARTUP_FILES:
            startup.read_startup_file(self, self.make_file_key(name), text)

    def define_function(self, node: syntax.FunctionDefinition) -> str | None:
        # In zsh one body may have several names, and one without a name runs at once.
        for name in (node.name,) if " " not in node.name else node.name.split():
            one = node if name == node.name else msgspec.structs.replace(node, name=name)
            self.bodies[name] = one
            self.functions[name] = ScriptFunction(name, node.text)
            # No command of the script calls these by name, and yet the shell runs them.
            if name in IMPLICIT_FUNCTIONS or name[:4] == "TRAP" or not name:
                given = [word for token in node.arguments for word in expand_word(self, token)]
                self.invoke(one, CommandCall([Word(name), *given]))
        return ""

    def expand_test(self, node: syntax.TestExpression) -> str | None:
        texts: list[str] = []
        for token in node.tokens:
            word = expand_unsplit(self, token)
            texts.append(word.text if word.known else "")
        if node.formula:
            # In a shell without arithmetic commands, `((` opens two subshells.
            if COMMAND_LIKE.match(texts[0]):
                self.run_code(texts[0], "subshell")
            for text in ";".join(texts).split(";"):
                follow_formula(self, text)
                compute_number(self, text)
        else:
            follow_tests(self, texts)
        return ""

    def run_simple(self, node: syntax.SimpleCommand) -> str | None:
        if node.settled:
            return self.run_once(node)
        if (self.has_arrays or self.zsh_matters) and not self.counts_from_one:
            self.run_as_zsh(node)
        if self.branched:
            # The command is read once per value, so that `if a; then x=/; else x=b; fi; rm -rf $x` is judged with
            # both.
            several = self.list_alternatives(node)
            if several:
                return self.run_each_value(self.settle_words(node), several)
        return self.run_once(node)

    def run_as_zsh(self, node: syntax.SimpleCommand) -> None:
        """Read a command as zsh does where that differs: nobody says which shell will run it."""
        if not zsh.reads_otherwise(self, node):
            return
        self.counts_from_one = True
        try:
            with self.isolate():
                self.run_simple(node)
        finally:
            self.counts_from_one = False

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
        if self.aliases and (meant := aliases.find_alias(self, node)):
            return aliases.run_alias(self, *meant)
        if self.global_aliases:
            # Where the option is not known, the alias counts only as a command, which `eval` may come to.
            if node.words and node.words[0].text == "eval":
                self.run_call(CommandCall(self.expand_words(node)))
            node = aliases.expand_global_aliases(self, node)
        words: list[Word] = node.words if node.settled else self.expand_words(node)  # type: ignore[assignment]
        redirects, fed = self.expand_redirections(node.redirections) if node.redirections else ((), None)
        assigned = (
            tuple([(item.name, assigning.assign(self, item, keep=not words)) for item in node.assignments])
            if node.assignments
            else ()
        )
        if self.maps_files:
            zsh.note_mapped_reads(self, (*words, *(one.target for one in redirects), *(word for _, word in assigned)))
        if not words:
            if redirects:
                self.emit(CommandCall([Word(":")], ":", assigned, redirects, fed, node.span))
            # `$(< file)` is what the file holds, and in zsh any input without a command is printed.
            reads = any(redirect.operator[0] == "<" for redirect in redirects)
            return self.remember_output(redirects, fed if reads else "")
        call = CommandCall(words, "", assigned, redirects, self.stdin, node.span, node.words[0].inner, self.cwd)
        if fed is None:
            output = self.run_call(call)
        else:
            call.stdin = fed
            with self.feed_input(fed):
                output = self.run_call(call)
        if redirects and words[0].text == "exec" and len(words) == 1:
            self.keep_streams(redirects, fed)
        elif self.descriptors and output and (name := self.descriptors.get("1")):
            self.remember_file(name, output, more=True)
        last = words[-1]
        self.variables["_"] = VariableValue(last.text, last.known, last.outputs)
        return self.remember_output(redirects, output) if redirects else output

    def expand_words(self, node: syntax.SimpleCommand) -> list[Word]:
        """The words that the written words become."""
        if node.settled:
            return node.words  # type: ignore[return-value]  # that is what it means
        found: list[Word] = []
        declares = node.words[0].text in DECLARING_BUILTINS
        for word in node.words:
            if isinstance(word, Word):
                found.append(word)
            elif declares and word.parts and _is_declared(word.parts[0]):
                found.append(expand_unsplit(self, word))
            else:
                found.extend(expand_word(self, word))
        return found

    def expand_text(self, text: str, label: str) -> Word:
        """A text that the shell expands once more: prompts, subscripts, `${x@P}`."""
        with self.guard_recursion(f"{label} {text}") as first:
            if not first:
                return Word(text, known=False)
            with self.nest_under(label):
                return expand_unsplit(self, parse_text(text, self.budget, self.depth))

    def run_with_variables(self, call: CommandCall) -> str | None:
        """Run a command that sees the variables which are set in front of it."""
        kept = {name: self.variables.get(name) for name, _ in call.assignments}
        for name, word in call.assignments:
            if word.text[:1] != "(" or word.known:
                self.variables[name] = VariableValue(word.text[:MAX_LITERAL], word.known, word.outputs)
            assigning.note_variable(self, name, word.text)
        try:
            return self.run_call(call, prepared=True)
        finally:
            for name, value in kept.items():
                if value is None:
                    self.variables.pop(name, None)
                else:
                    self.variables[name] = value

    def run_call(self, call: CommandCall, prepared: bool = False) -> str | None:
        """Note a command and follow what it runs."""
        if call.assignments and not prepared:
            return self.run_with_variables(call)
        first = call.words[0]
        text = name = first.text
        if not (first.known and not first.glob and text.isalnum()):  # most are plain
            text, name = self.name_program(call)
        call.name = name
        # Noted before it is followed, so that commands stand in the order in which they start.
        self.emit(call)
        if self.devices_matter:
            self.note_input(call.stdin)
        bodies = self.bodies
        body = bodies.get(text) if bodies else None
        # `builtin cd` in a function of that name is the builtin.
        if body is not None and self.via[-1:] not in BEHIND_FUNCTIONS:
            return self.invoke(body, call)
        if name in COPYING_PROGRAMS:
            copies.note_copies(self, call)
        if self.files and (path := self.find_written_program(text)):
            return self.run_written_file(call, path)
        handler = self.handlers.get(name)
        if handler is not None:
            return handler(self, call)
        if bodies and (unfound := bodies.get("command_not_found_handle")):
            return self.invoke(unfound, msgspec.structs.replace(call, words=[Word(unfound.name), *call.words]))
        handler = self.handlers.get(normalize_name(name)) if name[-1:].isdigit() else None
        return handler(self, call) if handler is not None else None

    def name_program(self, call: CommandCall) -> tuple[str, str]:
        """What a command is called by, and the name of its program; one that is not known is noted as such."""
        first = call.words[0]
        text = first.text
        if text[:1] in "=z" and text not in self.bodies and (written := ZSH_NAME.fullmatch(text)):
            text = written[1]
            first = msgspec.structs.replace(first, text=text)
            call.words = [first, *call.words[1:]]
        name = read_program_name(first)
        if not name:
            self.add_gap("command", text)
        return text, name

    def find_written_program(self, text: str) -> str:
        """The file that a command runs, if the script itself has written it: by its path, or by a changed `PATH`."""
        if "/" in text:
            return text if self.make_file_key(text) in self.files else ""
        folders = self.variables.get("PATH")
        if folders is None:
            return ""
        return next(
            (one for folder in folders.text.split(":") if self.make_file_key(one := f"{folder}/{text}") in self.files),
            "",
        )

    def note_input(self, stdin: str | None) -> None:
        """The input by its name among the files."""
        if stdin is None:
            self.files.pop(INPUT_KEY, None)
        else:
            self.files[INPUT_KEY] = stdin

    def run_written_file(self, call: CommandCall, path: str) -> str | None:
        """Run a file whose text is known as the system does: by the program in its first line, or by a shell."""
        text = self.files[self.make_file_key(path)]
        found = FIRST_LINE.match(text)
        program = [Word(name) for name in found[1].split()] if found else []
        with self.guard_recursion(text) as first:
            return (
                self.run_wrapped(call, [*(program or [Word("sh")]), Word(path), *call.words[1:]], "file")
                if first
                else None
            )

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
        self.look_ahead(text)
        with self.nest_under(label):
            tree, broken = parse_commands(text, self.budget, source or SourcePosition(None), self.depth)
            for reason in broken:
                self.add_gap("syntax", reason)
            return self.run(tree)


def _is_declared(part: syntax.Part) -> bool:
    return isinstance(part, syntax.LiteralText) and DECLARED.match(part.text) is not None


NODE_RUNNERS: dict[type, Callable[[Evaluation, Any], str | None]] = {
    syntax.CommandSequence: Evaluation.run_sequence,
    syntax.SimpleCommand: Evaluation.run_simple,
    syntax.Pipeline: Evaluation.run_pipeline,
    syntax.CommandGroup: Evaluation.run_group,
    syntax.Choice: Evaluation.run_choice,
    syntax.Loop: loops.run_loop,
    syntax.FunctionDefinition: Evaluation.define_function,
    syntax.TestExpression: Evaluation.expand_test,
    syntax.Coprocess: Evaluation.run_coprocess,
}
