"""Simple commands as they are written: words, assignments, redirections and here-documents."""

import re
from collections.abc import Iterator

from synaptic.shell.read.lexer import ESCAPED_IN_BODY, IN_BODY, Lexer, SourcePosition
from synaptic.shell.read.script import Word
from synaptic.shell.read.syntax import ArrayElements, Assignment, LiteralText, Redirection, SimpleCommand, WordToken
from synaptic.shell.read.whole import (
    END_OF_COMMAND,
    MIXED_WORD,
    NEXT_WORD,
    NO_PARTS,
    PLAIN_WORD,
    SINGLE_QUOTED,
    WORD_KINDS,
    split_mixed_word,
)

BLANK = re.compile(r"(?:[ \t]++|\\\n)++")
ASSIGNMENT_START = re.compile(r"(\w++)(?:\[((?:[^\[\]\n]{1,200}+|\[[^\[\]\n]{0,200}+\]){0,8}+)\])?(\+?)=")
BLANKS = r"(?:[ \t]++|\\\n)*+"
DESCRIPTOR = r"(\d++|\{\w{1,40}\})?"
OPERATORS = r"<<<|<>|<&|>>|>&|>\||&>>|&>|>(?!\()|<(?![<(])"
REDIRECTION = re.compile(rf"{DESCRIPTOR}({OPERATORS}|<<-|<<){BLANKS}")
REDIRECTED = re.compile(rf"{BLANKS}{DESCRIPTOR}({OPERATORS}){BLANKS}(?:{WORD_KINDS})")
"""A redirection with a target that is taken whole."""
STARTS_BLANK = frozenset(" \t\\")
STARTS_REDIRECT = frozenset("0123456789{<>&")
ENDS_COMMAND = frozenset(";&|\n)")
CERTAIN_ENDS = frozenset(";|\n)")
"""What ends a command for certain: `&` may begin a redirection."""
TABS = re.compile(r"\t*+")
LINES = re.compile(r"\n+")
NO_CLOSING_WORDS: frozenset[str] = frozenset()


class SimpleCommands(Lexer):
    """Reads what stands between two operators."""

    def skip_blanks(self) -> None:
        at = self.at
        if at >= self.size or self.text[at] not in STARTS_BLANK:
            return
        found = BLANK.match(self.text, at)
        if found:
            self.at = found.end()

    def skip_comment(self) -> None:
        end = self.text.find("\n", self.at)
        self.at = self.size if end < 0 else end

    def skip_newline(self) -> None:
        self.at += 1
        if self.waiting:
            self.read_here_documents()
        elif self.text.startswith("\n", self.at):
            self.at = LINES.match(self.text, self.at).end()  # type: ignore[union-attr]

    def read_here_documents(self) -> None:
        """Read the here-documents that were announced on the line that just ended."""
        waiting, self.waiting = self.waiting, []
        for redirection, delimiter, literal in waiting:
            self.read_here_document(redirection, delimiter, literal)

    def read_here_document(self, redirection: Redirection, delimiter: str, literal: bool) -> None:
        start = min(self.at, self.size)  # an unclosed expansion may have led beyond it
        stop, self.at = self.find_delimiter(delimiter, redirection.tabs)
        content = self.text[start:stop]
        if redirection.tabs:
            content = re.sub(r"^\t+", "", content, flags=re.MULTILINE)
        redirection.target = self.make_here_token(content, start, literal, redirection.tabs)

    def find_delimiter(self, name: str, tabs: bool) -> tuple[int, int]:
        """Where a here-document's last line starts and where reading goes on."""
        loose = None
        for start, end in self.find_lines_starting(name, tabs) if name else ():
            after = self.text[end : end + 2]
            if not after or after[0] == "\n":
                return start, min(end + 1, self.size)
            # The carriage return of a CRLF script was replaced by this blank.
            if after == " \n" and self.budget.carriage:
                return start, end + 2
            # Bash also ends it where the substitution around it ends.
            loose = loose or ((start, end) if after[0] == ")" else None)
            # Near misses count as work: a text full of them would be searched again for every here-document.
            if not self.spend():
                break
        return loose or (self.size, self.size)

    def find_lines_starting(self, name: str, tabs: bool) -> Iterator[tuple[int, int]]:
        """Lines that start with a name, perhaps behind tabs: where each starts, and where the name in it ends."""
        start = self.at
        while start >= 0:
            place = TABS.match(self.text, start).end() if tabs else start  # type: ignore[union-attr]
            if self.text.startswith(name, place):
                yield start, place + len(name)
            start = self.text.find("\n" if tabs else f"\n{name}", place) + 1 or -1

    def make_here_token(self, content: str, start: int, literal: bool, moved: bool) -> WordToken:
        if literal or not ("$" in content or "`" in content or "\\" in content):
            span = None if moved else self.make_span(start, start + len(content))
            return WordToken(None, [LiteralText(content, quoted=True)], span, True)
        part = type(self)(content, self.budget, SourcePosition(None) if moved else self.shift_source(start), self.depth)
        part.enter_nesting()
        span = None if moved else self.make_span(start, start + len(content))
        token = WordToken(None, part.read_quoted_parts(NO_CLOSING_WORDS, IN_BODY, ESCAPED_IN_BODY), span)
        self.broken.extend(part.broken)
        return token

    def skip_lines(self) -> None:
        while self.at < self.size and self.text[self.at] in " \t\n\\#":
            char = self.text[self.at]
            if char == "\n":
                self.skip_newline()
            elif char == "#":
                self.skip_comment()
            elif char == "\\" and not self.text.startswith("\\\n", self.at):
                return
            else:
                self.skip_blanks()

    def read_simple_command(self) -> SimpleCommand:
        """The simple command that starts here."""
        return self.read_command_rest(SimpleCommand([], [], []), self.at)

    def read_named_command(self, name: str, at: int) -> SimpleCommand:
        """Read the simple command whose name was just matched."""
        base, inner = self.source.base, self.source.inner
        self.budget.words -= 1
        start = at - len(name)
        span = None if base is None else (base + start, base + at)
        if name[0] == "~":
            node = SimpleCommand([WordToken(name, NO_PARTS, span, inner)], [], [])
            node.settled = False
        else:
            node = SimpleCommand([Word(name, True, "[" in name or "*" in name or "?" in name, span, inner)], [], [])
        self.at = at
        stop = self.take_whole_words(node)
        if stop is None:
            return self.read_command_rest(node, start)
        node.span = None if base is None else (base + start, base + self.at)
        self.at = stop
        return node

    def read_command_rest(self, node: SimpleCommand, start: int) -> SimpleCommand:
        """Read the rest of a simple command from where the fast patterns stopped."""
        end = self.at
        while self.read_special(node):
            end = self.at
            if not node.words or self.budget.words <= 0:
                continue
            stop = self.take_whole_words(node)
            end = self.at
            if stop is not None:
                self.at = stop
                break
        # Nothing was read: step over one character, so that the caller makes progress.
        if end == start:
            self.at += 1
        node.span = self.make_span(start, end)
        return node

    def take_whole_words(self, node: SimpleCommand) -> int | None:
        """Read the following words with the fast patterns; the end of the command if they reach it, else None."""
        text, at, left = self.text, self.at, self.budget.words
        # Locals instead of attributes: this loop reads most words of every script.
        add, base, inner = node.words.append, self.source.base, self.source.inner
        stop: int | None = None
        while left > 0:
            if at >= self.size or text[at] in CERTAIN_ENDS:
                stop = at
                break
            found = NEXT_WORD.match(text, at)
            if found is None:
                break
            kind: int = found.lastindex  # type: ignore[assignment]  # one of them has matched
            if kind == END_OF_COMMAND:
                stop = found.end()
                break
            span = found.span(kind)
            start, at = span
            said = text[start:at]
            left -= 1
            place = span if base == 0 else None if base is None else (base + start, base + at)
            if kind == PLAIN_WORD:
                add(Word(said, True, False, place, inner))
            elif kind == MIXED_WORD:
                add(WordToken(None, split_mixed_word(said), place, inner))
                node.settled = False
            elif kind <= SINGLE_QUOTED:
                add(Word(said[1:-1], True, False, place, inner))
            elif said[0] != "~":
                add(Word(said, True, True, place, inner))
            else:
                add(WordToken(said, NO_PARTS, place, inner))
                node.settled = False
        self.at, self.budget.words = at, left
        return stop

    def read_word_row(self, start: int, end: int) -> list[WordToken]:
        """The words from one place to another, each of which a pattern takes whole."""
        tokens: list[WordToken] = []
        self.at = start
        while self.at < end:
            self.skip_blanks()
            tokens.append(self.read_word())
        return tokens

    def read_special(self, node: SimpleCommand) -> bool:
        """Read a redirection, or a word that needs lexing; whether the command may go on behind it."""
        redirected = REDIRECTED.match(self.text, self.at) if self.budget.words > 0 else None
        if redirected:
            node.redirections.append(self.take_whole_redirection(redirected))
            self.read_as_clobbering(node.redirections)
            return True
        self.skip_blanks()
        char = self.text[self.at : self.at + 1]
        if char in STARTS_REDIRECT:
            found = REDIRECTION.match(self.text, self.at)
            if found:
                node.redirections.append(self.read_redirection(found))
                self.read_as_clobbering(node.redirections)
                return True
        if not char or char in ENDS_COMMAND or (char == "(" and node.words):
            return False
        if char == "#":
            self.skip_comment()
            return False
        self.read_argument(node)
        return True

    def read_as_clobbering(self, found: list[Redirection]) -> None:
        """`>! file` of zsh writes the file. For others it is an argument, so it is read once more as one."""
        last = found[-1]
        text = last.target.text
        if not text or text[0] != "!" or last.operator[-1] != ">":
            return
        if len(text) > 1:
            found.append(Redirection(last.operator, WordToken(text[1:], NO_PARTS), last.descriptor))
            return
        start = self.at
        self.skip_blanks()
        if self.at < self.size and self.text[self.at] not in ";&|\n)(<>":
            found.append(Redirection(last.operator, self.read_word(), last.descriptor))
        self.at = start

    def read_argument(self, node: SimpleCommand) -> None:
        found = None if node.words else ASSIGNMENT_START.match(self.text, self.at)
        if found is not None:
            node.assignments.append(self.read_assignment(found))
            return
        node.words.append(self.read_declared_word() if node.words else self.read_word())
        node.settled = False

    def read_assignment(self, found: re.Match[str]) -> Assignment:
        self.at = found.end()
        return Assignment(found[1], self.read_value(), found[3] == "+", found[2] or "")

    def read_value(self) -> WordToken:
        if self.text.startswith("(", self.at):
            return self.read_elements()
        if self.at >= self.size or self.text[self.at] in " \t\n;&|()":
            return WordToken("", [], self.make_span(self.at, self.at))
        return self.read_word()

    def read_declared_word(self) -> WordToken:
        """An argument; `x=(a b)` behind `declare` is one too."""
        token = self.read_word()
        if self.at >= self.size or self.text[self.at] != "(" or self.text[self.at - 1] != "=":
            return token
        parts = token.parts if token.text is None else [LiteralText(token.text)]
        return WordToken(None, [*parts, *self.read_elements().parts])

    def read_elements(self) -> WordToken:
        start = self.at
        self.at += 1
        tokens: list[WordToken] = []
        while self.at < self.size and self.text[self.at] != ")":
            before = self.at
            self.skip_lines()
            if self.at < self.size and self.text[self.at] in ";&|<>(":
                self.at += 1
            elif self.at < self.size and self.text[self.at] != ")":
                tokens.append(self.read_word())
            # No progress (a limit was reached, or nothing takes this character): leave instead of looping.
            if self.at == before:
                break
        self.at = min(self.at + 1, self.size)
        return WordToken(None, [ArrayElements(tokens, self.text[start : self.at])])

    def take_whole_redirection(self, found: re.Match[str]) -> Redirection:
        """A redirection that one pattern matched together with its target."""
        group: int = found.lastindex  # type: ignore[assignment]  # one of them has matched
        self.budget.words -= 1
        return Redirection(found[2], self.take_whole_word(group - 2, found[group], found.end()), found[1] or "")

    def read_redirection(self, found: re.Match[str]) -> Redirection:
        descriptor, operator = found[1] or "", found[2]
        self.at = found.end()
        if operator in ("<<", "<<-"):
            return self.announce_here_document(operator == "<<-", descriptor)
        at_end = self.at >= self.size or self.text[self.at] in "\n;|)"
        return Redirection(operator, WordToken("", []) if at_end else self.read_word(), descriptor)

    def announce_here_document(self, tabs: bool, descriptor: str) -> Redirection:
        """A here-document, whose text begins on the next line."""
        start = self.at
        at_end = start >= self.size or self.text[start] in "\n;|)"
        target = WordToken("", []) if at_end else self.read_word()
        node = Redirection("<<", target, descriptor, tabs)
        written = self.text[start : self.at].replace("\\\n", "")
        # As in bash, any quoting of the delimiter means that nothing in the body is expanded.
        literal = any(char in written for char in "'\"\\")
        self.waiting.append((node, unquote_delimiter(target, written), literal))
        return node


def unquote_delimiter(target: WordToken, written: str) -> str:
    """The delimiter of a here-document: quotes removed, nothing expanded."""
    if target.text is not None:
        return target.text
    if all(isinstance(part, LiteralText) for part in target.parts):
        return "".join(part.text for part in target.parts if isinstance(part, LiteralText))
    return written
