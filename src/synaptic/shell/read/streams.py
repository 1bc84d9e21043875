"""What flows through a shell: input, open descriptors, files that the script itself writes."""

from collections.abc import Iterator
from contextlib import contextmanager

from synaptic.shell.read import syntax
from synaptic.shell.read.expand import expand_unsplit
from synaptic.shell.read.script import Redirect, Word
from synaptic.shell.read.state import ShellState
from synaptic.shell.read.value import VariableValue

WRITING_OPERATORS = (">", ">>", ">|", "&>", "&>>")
FIRST_FREE_DESCRIPTOR = 10


class ShellStreams(ShellState):
    """Follows what the commands of a shell read and write."""

    def run(self, node: syntax.Node) -> str | None:
        """Run a piece of the text; the evaluation provides it."""
        raise TypeError(f"{type(self).__name__} runs nothing")

    def run_piped(self, text: str) -> None:
        """Run what is written to a named pipe; the evaluation provides it."""
        raise TypeError(f"{type(self).__name__} runs nothing")

    def expand_redirections(self, nodes: list[syntax.Redirection]) -> tuple[tuple[Redirect, ...], str | None]:
        """The redirections, and the text they feed when it is known."""
        found: list[Redirect] = []
        fed: str | None = None
        for node in nodes:
            target = expand_unsplit(self, node.target)  # type: ignore[arg-type]  # the evaluation above it
            found.append(Redirect(node.operator, target, node.descriptor, self.cwd, self.via))
            descriptor = self.open_descriptor(node.descriptor)
            if node.operator[0] == "<":
                text = self.read_fed_text(node.operator, target)
                if descriptor in ("", "0"):
                    fed = text
                elif text is not None:
                    self.files[f"/dev/fd/{descriptor}"] = text
            if descriptor and descriptor not in "01" and (node.operator[0] != "<" or node.operator == "<>"):
                self.descriptors[descriptor] = self.find_written(node.operator, target)
        self.redirects.extend(found)
        return tuple(found), fed

    def open_descriptor(self, written: str) -> str:
        """The number of a descriptor; `{fd}` gets one that is free."""
        if written[:1] != "{":
            return written
        number = str(FIRST_FREE_DESCRIPTOR + len(self.descriptors))
        self.descriptors[number] = ""
        self.variables[written[1:-1]] = VariableValue(number)
        return number

    def read_fed_text(self, operator: str, target: Word) -> str | None:
        if operator == "<<<":
            return f"{target.text}\n" if target.known else None
        if operator == "<<":
            return target.text
        # Only what the script itself wrote before: no real file is read.
        return self.files.get(f"/dev/fd/{target.text}" if operator == "<&" else self.make_file_key(target.text))

    def find_written(self, operator: str, target: Word) -> str:
        """The file behind an open descriptor."""
        return self.descriptors.get(target.text, "") if operator == ">&" else target.text

    def remember_output(self, redirects: tuple[Redirect, ...], output: str | None) -> str | None:
        """Remember what goes to a file; the output that is left for the pipe."""
        for redirect in redirects:
            if redirect.descriptor not in ("", "1"):
                continue
            if redirect.operator in WRITING_OPERATORS:
                if output is not None and (redirect.target.known or redirect.target.text[:2] == ">("):
                    self.remember_file(redirect.target.text, output, more=redirect.operator.endswith(">>"))
                output = ""
            elif redirect.operator == ">&" and (name := self.descriptors.get(redirect.target.text)):
                if output is not None:
                    self.remember_file(name, output, more=True)
                output = ""
        return output

    def keep_streams(self, redirects: tuple[Redirect, ...], fed: str | None) -> None:
        """`exec` without a command: its redirections hold from now on."""
        if fed is not None:
            self.stdin = fed
        for redirect in redirects:
            if redirect.descriptor in ("", "1") and redirect.operator in (*WRITING_OPERATORS, ">&"):
                self.descriptors["1"] = self.find_written(redirect.operator, redirect.target)

    def remember_file(self, name: str, text: str, more: bool = False) -> None:
        opened = self.descriptors.get(name.rpartition("/")[2]) if name.startswith("/dev/fd/") else None
        body = self.sinks.get(opened or name)
        if body is None:
            super().remember_file(opened or name, text, more)
            if self.pipes and self.make_file_key(name) in self.pipes:
                self.run_piped(text)
            return
        # `>(...)` reads what is written to it.
        with self.feed_input(text), self.isolate():
            output = self.run(body)
        answered = self.answers.get(opened or name)
        if answered and output is not None:
            self.files[answered] = output

    @contextmanager
    def feed_input(self, stdin: str | None) -> Iterator[None]:
        """Run what is inside with this text as its input; None when the input is not known."""
        kept, self.stdin = self.stdin, stdin
        try:
            yield
        finally:
            self.stdin = kept
