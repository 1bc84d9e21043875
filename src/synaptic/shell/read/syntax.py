"""The shape of shell text: what the grammar yields and the evaluation walks."""

import msgspec

from synaptic.shell.read.script import Word


class LiteralText(msgspec.Struct, gc=False):
    """Literal characters, without their quotes."""

    text: str
    quoted: bool = False


class Parameter(msgspec.Struct, gc=False):
    """`$name`, `${name}` and its operators."""

    name: str
    source: str
    quoted: bool = False
    operator: str = ""
    operand: "WordToken | None" = None
    index: str = ""


class FlaggedParameter(msgspec.Struct, gc=False):
    """`${(flags)name}` and `${${...}}`, as only zsh has them."""

    name: str
    source: str
    quoted: bool = False
    flags: str = ""
    inner: "list[Part] | None" = None
    """What stands in place of the name: another expansion, or quoted text."""
    index: str = ""
    operator: str = ""
    operand: "WordToken | None" = None


class CommandOutput(msgspec.Struct, gc=False):
    """`$(...)`, backticks, `<(...)` and `>(...)`: commands that run inside a word."""

    body: "CommandSequence"
    source: str
    quoted: bool = False
    file: bool = False


class Arithmetic(msgspec.Struct, gc=False):
    """`$((...))`: its value is not computed, but what it substitutes runs."""

    operand: "WordToken"
    source: str


class ArrayElements(msgspec.Struct, gc=False):
    """`(a b c)` behind an assignment."""

    tokens: "list[WordToken]"
    source: str


Part = LiteralText | Parameter | FlaggedParameter | CommandOutput | Arithmetic | ArrayElements


class WordToken(msgspec.Struct, gc=False):
    """A word as it is written. `text` is set when it holds no quote, expansion or brace."""

    text: str | None
    parts: list[Part]
    span: tuple[int, int] | None = None
    inner: bool = False


class Redirection(msgspec.Struct, gc=False):
    """A redirection as it is written; `target` is the body of a here-document."""

    operator: str
    target: WordToken
    descriptor: str = ""
    tabs: bool = False


class Assignment(msgspec.Struct, gc=False):
    """`name=value` in front of a command or alone."""

    name: str
    value: WordToken
    append: bool = False
    index: str = ""


class SimpleCommand(msgspec.Struct, gc=False):
    """One simple command. Words that need no expansion are `Word`s already, the others are tokens."""

    words: list[WordToken | Word]
    assignments: list[Assignment]
    redirections: list[Redirection]
    span: tuple[int, int] | None = None
    settled: bool = True
    """Whether no word needs expansion."""


class Pipeline(msgspec.Struct, gc=False):
    """`a | b | c`."""

    stages: "list[Node]"


class CommandSequence(msgspec.Struct, gc=False):
    """Commands one after another, whatever stands between them."""

    items: "list[Node]"


class CommandGroup(msgspec.Struct, gc=False):
    """A body with its redirections; `apart` when what it changes stays inside (subshell, background)."""

    body: "Node"
    redirections: list[Redirection]
    apart: bool = False
    background: bool = False


class Choice(msgspec.Struct, gc=False):
    """`if` and `case`: any of the branches may run."""

    branches: "list[Node]"
    subject: WordToken | None = None


class Loop(msgspec.Struct, gc=False):
    """`for`, `select`, `while`, `until`. Without a name it is one of the last two."""

    body: "Node"
    name: str = ""
    tokens: list[WordToken] | None = None
    condition: "Node | None" = None


class FunctionDefinition(msgspec.Struct, gc=False):
    """`name() body`."""

    name: str
    body: "Node"
    text: str
    arguments: list[WordToken] = []
    """What one without a name is given, which runs at once."""


class TestExpression(msgspec.Struct, gc=False):
    """`[[ ... ]]` and `(( ... ))`: only what they substitute runs."""

    tokens: list[WordToken]
    formula: bool = False


class Coprocess(msgspec.Struct, gc=False):
    """`coproc name command`."""

    name: str
    body: "Node"


Node = (
    SimpleCommand
    | Pipeline
    | CommandSequence
    | CommandGroup
    | Choice
    | Loop
    | FunctionDefinition
    | TestExpression
    | Coprocess
)
