"""Simple commands as they are written: words, assignments, redirections and here-documents."""

import re
from collections.abc import Iterator

from synaptic.parse.shell.lexer import ESCAPED_IN_BODY, IN_BODY, Lexer, Source
from synaptic.parse.shell.syntax import Assignment, Elements, Node, Redirection, Simple, Text, Token
from synaptic.parse.shell.whole import COSTS, NO_PARTS, PLAIN

BLANK = re.compile(r"(?:[ \t]++|\\\n)++")
ASSIGN = re.compile(r"(\w++)(?:\[([^\]\n]{0,200})\])?(\+?)=")
REDIRECT = re.compile(r"(\d++|\{\w{1,40}\})?(<<<|<<-|<<|<>|<&|>>|>&|>\||&>>|&>|>(?!\()|<(?!\())")
STARTS_BLANK = frozenset(" \t\\")
STARTS_REDIRECT = frozenset("0123456789{<>&")
ENDS_COMMAND = frozenset(";&|\n)")
MOST = max(COSTS)
TABS = re.compile(r"\t*+")
LINES = re.compile(r"\n+")
NOTHING: frozenset[str] = frozenset()


class SimpleCommands(Lexer):
    """Reads what stands between two operators."""

    def blank(self) -> None:
        at = self.at
        if at >= self.size or self.text[at] not in STARTS_BLANK:
            return
        found = BLANK.match(self.text, at)
        if found:
            self.at = found.end()

    def comment(self) -> None:
        end = self.text.find("\n", self.at)
        self.at = self.size if end < 0 else end

    def newline(self) -> None:
        self.at += 1
        if self.waiting:
            self.bodies()
        elif self.text.startswith("\n", self.at):
            self.at = LINES.match(self.text, self.at).end()  # type: ignore[union-attr]

    def bodies(self) -> None:
        """Read the here-documents that were announced on the line that just ended."""
        waiting, self.waiting = self.waiting, []
        for redirection, delimiter, literal in waiting:
            self.body(redirection, delimiter, literal)

    def body(self, redirection: Redirection, delimiter: str, literal: bool) -> None:
        start = self.at
        stop, self.at = self.delimiter(delimiter, redirection.tabs)
        content = self.text[start:stop]
        if redirection.tabs:
            content = re.sub(r"^\t+", "", content, flags=re.MULTILINE)
        redirection.target = self.here(content, start, literal, redirection.tabs)

    def delimiter(self, name: str, tabs: bool) -> tuple[int, int]:
        """Where a here-document's last line starts and where reading goes on."""
        loose = None
        for start, end in self.starting(name, tabs) if name else ():
            after = self.text[end : end + 2]
            if not after or after[0] == "\n":
                return start, min(end + 1, self.size)
            if after == " \n" and self.budget.carriage:
                return start, end + 2
            # Bash also ends it where the substitution around it ends.
            loose = loose or ((start, end) if after[0] == ")" else None)
            if not self.spend():
                break
        return loose or (self.size, self.size)

    def starting(self, name: str, tabs: bool) -> Iterator[tuple[int, int]]:
        """Lines that start with a name, perhaps behind tabs: where each starts, and where the name in it ends."""
        start = self.at
        while start >= 0:
            place = TABS.match(self.text, start).end() if tabs else start  # type: ignore[union-attr]
            if self.text.startswith(name, place):
                yield start, place + len(name)
            start = self.text.find("\n" if tabs else f"\n{name}", place) + 1 or -1

    def here(self, content: str, start: int, literal: bool, moved: bool) -> Token:
        if literal or not ("$" in content or "`" in content or "\\" in content):
            span = None if moved else self.span(start, start + len(content))
            return Token(None, [Text(content, quoted=True)], span, True)
        part = type(self)(content, self.budget, Source(None) if moved else self.shifted(start), self.depth)
        part.deeper()
        token = Token(None, part.inside(NOTHING, IN_BODY, ESCAPED_IN_BODY))
        self.broken.extend(part.broken)
        return token

    def lines(self) -> None:
        while self.at < self.size and self.text[self.at] in " \t\n\\#":
            char = self.text[self.at]
            if char == "\n":
                self.newline()
            elif char == "#":
                self.comment()
            elif char == "\\" and not self.text.startswith("\\\n", self.at):
                return
            else:
                self.blank()

    def simple(self, name: str = "", assigned: re.Match[str] | None = None) -> Node:
        """A simple command. What its first word is may be known already: the name of a program, or an assignment."""
        start = self.at
        node = Simple([], [], [])
        if name and self.budget.words > 0:
            self.budget.words -= 1
            self.at += len(name)
            node.words.append(Token(name, NO_PARTS, self.span(start, self.at), self.source.inner))
        elif assigned is not None:
            node.assignments.append(self.assignment(assigned))
        end = self.at
        text = self.text
        while self.at < self.size:
            self.ordinary(node.words)
            end = self.at
            self.blank()
            char = text[self.at : self.at + 1]
            if char in STARTS_REDIRECT:
                found = REDIRECT.match(self.text, self.at)
                if found:
                    node.redirections.append(self.redirection(found))
                    end = self.at
                    continue
            if not char or char in ENDS_COMMAND or (char == "(" and node.words):
                break
            if char == "#":
                self.comment()
                break
            self.argument(node)
            end = self.at
        if end == start:
            self.at += 1
        node.span = self.span(start, end)
        return node

    def ordinary(self, words: list[Token]) -> None:
        """The words that can be taken whole, as many as follow one another."""
        budget, text, source = self.budget, self.text, self.source
        base, inner = source.base, source.inner
        while budget.words > MOST and (found := PLAIN.match(text, self.at)):
            group: int = found.lastindex  # type: ignore[assignment]  # one of them has matched
            said, end = found[group], found.end()
            if group > 1:
                span = None if base is None else (base + end - len(said) - 2, base + end)
                words.append(Token(None, [Text(said, True)], span, inner, said))
            elif words or "=" not in said:
                span = None if base is None else (base + end - len(said), base + end)
                words.append(Token(said, NO_PARTS, span, inner))
            else:
                return  # it may be an assignment
            budget.words -= COSTS[group]
            self.at = end

    def argument(self, node: Simple) -> None:
        if node.words:
            node.words.append(self.declared())
            return
        found = ASSIGN.match(self.text, self.at)
        if found is None:
            node.words.append(self.word())
        else:
            node.assignments.append(self.assignment(found))

    def assignment(self, found: re.Match[str]) -> Assignment:
        self.at = found.end()
        return Assignment(found[1], self.value(), found[3] == "+", found[2] or "")

    def value(self) -> Token:
        if self.text.startswith("(", self.at):
            return self.elements()
        if self.at >= self.size or self.text[self.at] in " \t\n;&|()":
            return Token("", [], self.span(self.at, self.at))
        return self.word()

    def declared(self) -> Token:
        """An argument; `x=(a b)` behind `declare` is one too."""
        token = self.word()
        if self.at >= self.size or self.text[self.at] != "(" or self.text[self.at - 1] != "=":
            return token
        parts = token.parts if token.text is None else [Text(token.text)]
        return Token(None, [*parts, *self.elements().parts])

    def elements(self) -> Token:
        start = self.at
        self.at += 1
        tokens: list[Token] = []
        while self.at < self.size and self.text[self.at] != ")":
            before = self.at
            self.lines()
            if self.at < self.size and self.text[self.at] in ";&|<>(":
                self.at += 1
            elif self.at < self.size and self.text[self.at] != ")":
                tokens.append(self.word())
            if self.at == before:
                break
        self.at = min(self.at + 1, self.size)
        return Token(None, [Elements(tokens, self.text[start : self.at])])

    def redirection(self, found: re.Match[str]) -> Redirection:
        self.at = found.end()
        self.blank()
        start = self.at
        at_end = start >= self.size or self.text[start] in "\n;|)"
        target = Token("", []) if at_end else self.word()
        node = Redirection(found[2], target, found[1] or "")
        if node.operator in ("<<", "<<-"):
            node.tabs = node.operator == "<<-"
            written = self.text[start : self.at]
            literal = any(char in written for char in "'\"\\")
            self.waiting.append((node, unquoted(target, written), literal))
            node.operator = "<<"
        return node


def unquoted(target: Token, written: str) -> str:
    """The delimiter of a here-document: quotes removed, nothing expanded."""
    if target.text is not None:
        return target.text
    if all(isinstance(part, Text) for part in target.parts):
        return "".join(part.text for part in target.parts if isinstance(part, Text))
    return written
