"""Shell text as a tree. Tolerant: what bash would reject is passed over and noted, never a reason to see less."""

import re

from synaptic.shell.read.compound import CASE_END, CLOSING_WORDS, KEYWORD, KEYWORDS, CompoundCommands
from synaptic.shell.read.lexer import SourcePosition
from synaptic.shell.read.limits import MAX_SOURCE, Budget
from synaptic.shell.read.simple import ASSIGNMENT_START, NO_CLOSING_WORDS
from synaptic.shell.read.syntax import (
    Assignment,
    CommandGroup,
    CommandSequence,
    Node,
    Pipeline,
    SimpleCommand,
    WordToken,
)

NAME = r"[^ \t\n;&|()<>'\"\\$`{#=]++(?![^ \t\n;|)&]|&>)(?![ \t]*+\()"
"""A first word that is no assignment and no function's name, and may be a keyword."""
DEFINED = r"([^\s;&|()<>'\"\\$`#=][^\s;&|()<>'\"\\$`=]*+)[ \t]*+\([ \t]*+\)"
FIRST = rf"(?:({NAME}|[{{}}](?=[ \t\n;|)]|\Z)|\))|{ASSIGNMENT_START.pattern}|{DEFINED})"
"""What a command begins with: a name or a keyword, an assignment, a definition, or a bracket that closes."""
HERE = re.compile(FIRST)
START = re.compile(rf"(?:[; \t\n]++|#[^\n]*+)*+{FIRST}")
IN_CASE = re.compile(rf"(?:[ \t\n]++|#[^\n]*+)*+(?:{FIRST}|(;;&?|;&))")
"""The same behind what stands between two commands. In a `case` semicolons have a meaning."""
NAMED, ASSIGNED, DEFINES, ENDS_CASE = 1, 4, 5, 6
"""The group that tells which it is."""
CLOSERS = CLOSING_WORDS | {")"}
RESERVED = KEYWORDS | {")"}
JOINS = frozenset(" \t\\|&")
"""What may begin with these behind a command: more of its line."""
STARTS_CLOSING = frozenset({*");&", *(word[0] for word in CLOSING_WORDS)})
"""What a closing word, a closing bracket or the end of a case begins with."""
PIPE = re.compile(r"(?:[ \t]++|\\\n)*+\|(?!\|)&?[ \t]*+")
BRACKETS = re.compile(r"\)+")
UNCLOSED_GROUP = "`}` is missing"
ALWAYS = re.compile(r"\}[ \t\n]*+always[ \t\n]*+\{")
GLUED_GROUP = re.compile(
    r"(\([ \t]*+\)[ \t\n]*+|(?:\A|[;&|\n(])[ \t\n]*+)\{(?=[^\s{}])((?:[^{}]|\$\{[^{}]*+\})*+)\}(?=[ \t\n;&|)]|\Z)"
)
"""`f(){rm x}` and `{rm x}`: zsh needs no blank behind the brace, where bash takes `{rm` for a name."""
HAS_COMMAND = re.compile(r"[\s;&|]")
GLUED_BRACE = re.compile(r"\{(?<!\$\{)[^\s{}]")
"""What each of those holds at least."""
MAX_GLUED = 20_000
LONE_BRACE = re.compile(r"(?<=[ \t\n])\}(?=[ \t\n;&|)]|\Z)")


def parse_commands(
    text: str, budget: Budget, source: SourcePosition, depth: int = 0
) -> tuple[CommandSequence, list[str]]:
    """The tree of a text and what is wrong with it. At a limit: what was read up to there."""
    if "{" in text and len(text) <= MAX_GLUED and (loose := open_as_zsh(text)) != text:
        text, source = loose, SourcePosition(None)
    grammar = Grammar(text, budget, source, depth)
    tree = grammar.read_commands(NO_CLOSING_WORDS)
    # At a limit every open construction looks unclosed; only the limit itself is worth reporting.
    if budget.reason:
        return tree, []
    if (grammar.broken or "always" in text) and len(text) <= MAX_SOURCE and LONE_BRACE.search(text):
        # zsh closes a group without a semicolon; what bash takes for a word ends it there.
        other = Grammar(close_as_zsh(text), budget, SourcePosition(None), depth)
        changed = other.read_commands(NO_CLOSING_WORDS)
        if UNCLOSED_GROUP in grammar.broken or ALWAYS.search(text) or len(other.broken) <= len(grammar.broken):
            return changed, other.broken
    return tree, grammar.broken


def open_as_zsh(text: str) -> str:
    """The text with the blanks that zsh does without; `{a,b}` stays what it is."""
    return GLUED_GROUP.sub(_loosen_group, text) if GLUED_BRACE.search(text) else text


def _loosen_group(found: re.Match[str]) -> str:
    is_group = ")" in found[1] or HAS_COMMAND.search(found[2])
    return f"{found[1]}{{ {found[2]}\n}}" if is_group else found[0]


def close_as_zsh(text: str) -> str:
    """The text with the semicolons that zsh does without."""
    return LONE_BRACE.sub(";}", ALWAYS.sub("; }; {", text))


def parse_text(text: str, budget: Budget, depth: int = 0) -> WordToken:
    """A text as the inside of a here-document: only what is expanded in it matters."""
    grammar = Grammar(text, budget, SourcePosition(None), depth)
    token = grammar.make_here_token(text, 0, False, True)
    if grammar.broken and LONE_BRACE.search(text):
        token = grammar.make_here_token(close_as_zsh(text), 0, False, True)
    return token


class Grammar(CompoundCommands):
    """Recursive descent over one text."""

    def read_commands(self, stop: frozenset[str]) -> CommandSequence:
        """Commands up to a closing word, or to the end."""
        found: list[Node] = []
        while (node := self.read_next_command(stop)) is not None:
            if self.text[self.at : self.at + 1] in JOINS:
                self.read_and_or(node, found)
            else:
                found.append(node)
        return CommandSequence(found)

    def read_next_command(self, stop: frozenset[str]) -> Node | None:
        """The next command; None at a closing word or the end."""
        pattern = IN_CASE if ";;" in stop else START
        # One pattern finds most commands. After the announcement of a here-document the next line is its body, which
        # that pattern would take for commands.
        while not self.waiting and self.budget.words > 0:
            found = pattern.match(self.text, self.at)
            if found is None:
                break
            name, end = found[NAMED], found.end()
            if name is None:
                if found.lastindex == ENDS_CASE:
                    self.at = found.start(ENDS_CASE)
                    return None
                if found[DEFINES] in KEYWORDS:
                    break
                return self.read_unnamed_command(found)
            if name not in RESERVED:
                return self.read_named_command(name, end)
            if name not in CLOSERS:
                self.at = end - len(name)
                return self.read_opened(name)
            if name in stop:
                self.at = end - len(name)
                return None
            self.skip_stray_word(name, BRACKETS.match(self.text, end - 1).end() if name == ")" else end)  # type: ignore[union-attr]
        return None if self.reached_end(stop) else self.read_command()

    def read_unnamed_command(self, found: re.Match[str]) -> Node:
        """Read a command that begins with an assignment, or a function definition."""
        if found.lastindex == ASSIGNED:
            start, self.at = found.start(2), found.end()
            value = Assignment(found[2], self.read_value(), found[4] == "+", found[3] or "")
            return self.read_command_rest(SimpleCommand([], [value], []), start)
        self.at = found.end()
        return self.read_function_body(found[DEFINES])

    def reached_end(self, stop: frozenset[str]) -> bool:
        """Skip separators; whether a closing word or the end is reached. Stray closing words are passed over."""
        while True:
            self.skip_separators(";;" in stop)
            if self.at >= self.size:
                self.read_here_documents()
                return True
            char = self.text[self.at]
            if char not in STARTS_CLOSING:
                return False
            if char == ")":
                if ")" in stop:
                    return True
                self.skip_stray_word(")", BRACKETS.match(self.text, self.at).end())  # type: ignore[union-attr]
                continue
            if ";;" in stop and CASE_END.match(self.text, self.at):
                return True
            word = KEYWORD.match(self.text, self.at)
            if word is None or word[0] not in CLOSING_WORDS:
                return False
            if word[0] in stop:
                return True
            self.skip_stray_word(word[0], word.end())

    def skip_stray_word(self, word: str, end: int) -> None:
        """Pass over a closing word that closes nothing. It counts as work: a megabyte of them must reach the limit."""
        reason = f"`{word}` stands alone"
        if reason not in self.broken:
            self.broken.append(reason)
        self.at = end
        self.spend()

    def read_and_or(self, node: Node, items: list[Node]) -> None:
        """What stands behind a command on its line: pipes, `&&`, `||`, and `&`."""
        before = len(items)
        while True:
            items.append(node if self.text.startswith("&", self.at) else self.read_pipeline(node))
            if not self.text.startswith(("&&", "||"), self.at):
                break
            self.at += 2
            following = self.read_next_command(NO_CLOSING_WORDS)
            if following is None:
                break
            node = following
            if self.text[self.at : self.at + 1] not in JOINS:
                items.append(node)
                return
        if self.text.startswith("&", self.at):
            self.at += 1
            body = items[before] if len(items) == before + 1 else CommandSequence(items[before:])
            items[before:] = [CommandGroup(body, [], apart=True, background=True)]

    def read_pipeline(self, node: Node) -> Node:
        found = PIPE.match(self.text, self.at)
        if found is None:
            self.skip_blanks()
            return node
        stages = [node]
        while found is not None:
            self.at = found.end()
            self.skip_lines()
            stages.append(self.read_command())
            found = PIPE.match(self.text, self.at)
        self.skip_blanks()
        return Pipeline(stages)

    def read_command(self) -> Node:
        """The command that starts here, without blanks in front of it."""
        found = HERE.match(self.text, self.at) if self.budget.words > 0 else None
        if found is not None and found[NAMED] != ")" and found[DEFINES] not in KEYWORDS:
            name = found[NAMED]
            if name is None:
                return self.read_unnamed_command(found)
            return self.read_opened(name) if name in KEYWORDS else self.read_named_command(name, found.end())
        if self.text.startswith("(", self.at):
            return self.read_bracket()
        # `!(a; b)` is a negated subshell where extended patterns are switched off, as in scripts.
        if self.text.startswith("!(", self.at):
            self.at += 1
            return self.read_command()
        found = KEYWORD.match(self.text, self.at)
        return self.read_simple_command() if found is None else self.read_opened(found[0])

    def read_opened(self, word: str) -> Node:
        """Read what a keyword opens; a simple command of that name where it is no keyword."""
        self.enter_nesting()
        node = self.read_keyword(word)
        self.depth -= 1
        return self.read_simple_command() if node is None else node
