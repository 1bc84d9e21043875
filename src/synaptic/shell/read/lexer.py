"""Words of shell text, taken apart into literal text and expansions as bash does it."""

import re

from synaptic.shell.read.limits import MAX_ARITHMETIC, MAX_DEPTH, MAX_ESCAPES, MAX_SOURCE, Budget
from synaptic.shell.read.quoting import ansi
from synaptic.shell.read.syntax import Arithmetic, Output, Parameter, Part, Redirection, Sequence, Text, Token
from synaptic.shell.read.whole import GLOB, NO_PARTS, OPENED, OPERATOR, PLAIN, WORD, WOVEN, woven

RUN = re.compile(r"[^ \t\n;&|()<>'\"\\$`]+")
IN_QUOTES = re.compile(r"[^\"\\$`]+")
IN_BODY = re.compile(r"[^\\$`]+")
IN_BRACES = re.compile(r"[^}'\"\\$`]+")
NAME = re.compile(r"[A-Za-z_]\w*|\d|[@*#?$!_-]")
LONG_NAME = re.compile(r"[A-Za-z_]\w*|\d+|[@*#?$!_-]")
SUBSCRIPT = re.compile(r"\[([^\]]{0,200})\]")
TO_BACKTICK = re.compile(r"(?:[^`\\]++|\\.)*+", re.DOTALL)
OPERATION = re.compile(OPERATOR)
SUBSTITUTION = re.compile(r"(\"?)\$\((?!\()")
EXTENDED = frozenset("?*+@!")
ALTERNATIVES = re.compile(r"\([\w./-]++(?:\|[\w./-]++)++\)")
BRACKET = re.compile(r"[()]")
ENDS = frozenset(" \t\n;&|()<>")
BRACKETED = frozenset(")")
ENDS_BRACES = frozenset("}")
ENDS_QUOTES = frozenset('"')
ESCAPED_IN_QUOTES = frozenset('$`"\\')
ESCAPED_IN_BODY = frozenset("$`\\")


class Source:
    """Where a text stands: its offset in the outermost text (None: nowhere), and whether inside quoted code."""

    __slots__ = ("base", "inner")

    def __init__(self, base: int | None = 0, inner: bool = False) -> None:
        self.base = base
        self.inner = inner


class Lexer:
    """Reads words from a position in the text. The grammar above it reads what stands inside `$(...)`."""

    def __init__(self, text: str, budget: Budget, source: Source, depth: int = 0) -> None:
        self.text = text
        self.size = len(text)
        self.at = 0
        self.budget = budget
        self.source = source
        self.depth = depth
        self.broken: list[str] = []
        self.waiting: list[tuple[Redirection, str, bool]] = []

    def commands(self, stop: frozenset[str]) -> Sequence:
        """Commands up to one of the closing words; the grammar provides it."""
        raise TypeError(f"{type(self).__name__} reads words only")

    def deeper(self) -> None:
        self.depth += 1
        # The text ends here instead of raising an error: the commands before this place must still be judged.
        if self.depth > MAX_DEPTH:
            self.budget.reason = self.budget.reason or f"more than {MAX_DEPTH} constructions inside one another"
            self.at = self.size

    def spend(self) -> bool:
        """Count a piece of work. At the limit the text ends here, and what was read so far stands."""
        if self.budget.word():
            return True
        self.at = self.size
        return False

    def span(self, start: int, end: int) -> tuple[int, int] | None:
        base = self.source.base
        return None if base is None else (base + start, base + min(end, self.size))

    def word(self) -> Token:
        """The word that starts here."""
        start, text = self.at, self.text
        if not self.spend():
            return Token("", NO_PARTS)
        found = WORD.match(text, start)
        if found:
            return self.whole(found.lastindex, found[0], found.end())
        run = RUN.match(text, start)
        if run and "{" not in run[0] and (run.end() == self.size or text[run.end()] in " \t\n;&|)"):
            self.at = run.end()
            return Token(run[0], NO_PARTS, self.span(start, self.at), self.source.inner)
        parts = self.parts(ENDS, RUN, self.substitution(start))
        # A character that neither starts nor ends a word counts as text; otherwise the caller would never get past
        # it.
        if self.at == start < self.size:
            self.at += 1
            parts = [Text(text[start])]
        return Token(None, parts, self.span(start, self.at), self.source.inner)

    def whole(self, kind: int | None, said: str, end: int) -> Token:
        """The word that a pattern has found, of which kind, and where it ends."""
        base, self.at = self.source.base, end
        span = None if base is None else (base + end - len(said), base + end)
        if kind in (PLAIN, GLOB):
            return Token(said, NO_PARTS, span, self.source.inner)
        parts: list[Part] = woven(said) if kind == WOVEN else [Text(said[1:-1], True)]
        return Token(None, parts, span, self.source.inner)

    def substitution(self, start: int) -> list[Part]:
        """The parts of a word that begins with `$(...)`, in double quotes or without; none when it does not."""
        opened = SUBSTITUTION.match(self.text, start)
        if opened is None or not self.spend():
            return []
        self.at = opened.end()
        if not opened[1]:
            return [self.substituted(start, False)]
        found: list[Part] = [OPENED, self.substituted(start + 1, True)]
        if self.text.startswith('"', self.at):
            self.at += 1
        else:
            found.extend(self.quoted())
        return found

    def parts(self, ends: frozenset[str], run: re.Pattern[str], found: list[Part]) -> list[Part]:
        """Parts up to one of the ending characters, outside quotes, behind those that were found."""
        while self.at < self.size:
            piece = run.match(self.text, self.at)
            if piece:
                found.append(Text(piece[0]))
                self.at = piece.end()
                continue
            char = self.text[self.at]
            if char in ends:
                if not self.in_word(char, found):
                    break
                continue
            self.piece(char, found)
        return found

    def in_word(self, char: str, found: list[Part]) -> bool:
        """Process substitution and extended patterns: brackets that do not end a word."""
        following = self.text[self.at + 1 : self.at + 2]
        if char in "<>" and following == "(":
            start = self.at
            self.at += 2
            found.append(self.substituted(start, False, file=True))
            return True
        if char == "(" and found and isinstance(found[-1], Text) and found[-1].text[-1:] in EXTENDED:
            start = self.at
            self.at += 1
            self.substituted(start, False)
            self.extended(found, found[-1].text, self.text[start : self.at])
            return True
        return False

    def extended(self, found: list[Part], before: str, bracket: str) -> None:
        """`!(a)` is everything but one, which is as good as `*`; so is `*(...)`. `@(a|b)` is `{a,b}`."""
        if before[-1] in "!*":
            found[-1] = Text(f"{before[:-1]}*")
        elif before[-1] in "@+" and ALTERNATIVES.fullmatch(bracket):
            found[-1] = Text(f"{before[:-1]}{{{bracket[1:-1].replace('|', ',')}}}")
        else:
            found.append(Text(bracket))

    def piece(self, char: str, found: list[Part]) -> None:
        if not self.spend():
            return
        if char == "'":
            found.append(Text(self.single(), quoted=True))
        elif char == '"':
            self.at += 1
            found.append(Text("", quoted=True))
            found.extend(self.quoted())
        elif char == "\\":
            self.backslash(found)
        elif char == "$":
            found.append(self.dollar(False))
        elif char == "`":
            found.append(self.backticks(False))
        else:
            found.append(Text(char))
            self.at += 1

    def backslash(self, found: list[Part]) -> None:
        char = self.text[self.at + 1 : self.at + 2]
        self.at += 2
        if char != "\n":
            found.append(Text(char or "\\", quoted=True))

    def single(self) -> str:
        start = self.at + 1
        end = self.text.find("'", start)
        if end < 0:
            self.broken.append("a single quote is never closed")
            end = self.size
        self.at = end + 1 if end < self.size else end
        return self.text[start:end]

    def quoted(self) -> list[Part]:
        """The inside of double quotes, up to and over the closing one."""
        found = self.inside(ENDS_QUOTES, IN_QUOTES, ESCAPED_IN_QUOTES)
        if self.at >= self.size:
            self.broken.append("a double quote is never closed")
        self.at += 1
        return found

    def inside(self, ends: frozenset[str], run: re.Pattern[str], escaped: frozenset[str]) -> list[Part]:
        found: list[Part] = []
        budget = self.budget
        while self.at < self.size:
            piece = run.match(self.text, self.at)
            if piece:
                found.append(Text(piece[0], quoted=True))
                self.at = piece.end()
                continue
            # The counter is inlined: this runs for every piece of every quoted text.
            if budget.words > 0:
                budget.words -= 1
            elif not self.spend():
                break
            char = self.text[self.at]
            if char in ends:
                break
            if char == "\\":
                self.escape(found, escaped)
            elif char == "$":
                found.append(self.dollar(True))
            elif char == "`":
                found.append(self.backticks(True))
            else:
                found.append(Text(char, quoted=True))
                self.at += 1
        return found

    def escape(self, found: list[Part], escaped: frozenset[str]) -> None:
        char = self.text[self.at + 1 : self.at + 2]
        self.at += 2
        if char in escaped and char:
            found.append(Text(char, quoted=True))
        elif char != "\n":
            found.append(Text("\\" + char, quoted=True))

    def dollar(self, quoted: bool) -> Part:
        start = self.at
        name = NAME.match(self.text, start + 1)
        if name is not None:
            self.at = name.end()
            return Parameter(name[0], self.text[start : self.at], quoted)
        following = self.text[start + 1 : start + 2]
        if following == "(":
            return self.round(start, quoted)
        if following == "{":
            return self.braces(start, quoted)
        if following == "'" and not quoted:
            return self.ansi_quoted()
        if following == '"' and not quoted:
            self.at += 2
            # `$"..."` is text to be translated; without a catalogue it stands for itself.
            return Parameter("", "", True, "text", Token(None, self.quoted()))
        self.at += 1
        return Text("$", quoted=quoted)

    def ansi_quoted(self) -> Text:
        text, self.at, closed = ansi(self.text, self.at + 2)
        # Escapes beyond the limit were not decoded, so the value is not what bash would see: report it as truncated.
        if len(text) > MAX_ESCAPES:
            self.budget.reason = self.budget.reason or f"more than {MAX_ESCAPES} characters with escapes"
        if not closed:
            self.broken.append("a single quote is never closed")
        return Text(text, quoted=True)

    def round(self, start: int, quoted: bool) -> Part:
        """`$(...)` or `$((...))`."""
        # `$((` may also open a substitution that begins with a subshell; only a closing `))` tells which.
        if self.text.startswith("$((", start):
            end = self.arithmetic_end(start + 3)
            if end is not None:
                operand = self.arithmetic(start + 3, end)
                self.at = end + 2
                return Arithmetic(operand, self.text[start : self.at])
        self.at = start + 2
        return self.substituted(start, quoted)

    def arithmetic_end(self, start: int) -> int | None:
        """Where `))` closes what was opened with `((`; None when it is two subshells instead."""
        depth = 0
        for found in BRACKET.finditer(self.text, start, start + MAX_ARITHMETIC):
            depth += 1 if found[0] == "(" else -1
            if depth < 0:
                return found.start() if self.text.startswith("))", found.start()) else None
        return None

    def arithmetic(self, start: int, end: int) -> Token:
        part = type(self)(self.text[start:end], self.budget, self.shifted(start), self.depth)
        part.deeper()
        return Token(None, part.inside(frozenset(), IN_BODY, ESCAPED_IN_BODY))

    def shifted(self, start: int) -> Source:
        base = self.source.base
        return Source(None if base is None else base + start, self.source.inner)

    def substituted(self, start: int, quoted: bool, file: bool = False) -> Output:
        """The commands of a substitution whose bracket was just passed."""
        # A here-document that is announced inside ends with the bracket; those of the line around it still wait.
        waiting, self.waiting = self.waiting, []
        self.deeper()
        body = self.commands(BRACKETED)
        self.depth -= 1
        self.waiting = waiting
        if self.text.startswith(")", self.at):
            self.at += 1
        else:
            self.broken.append("a bracket is never closed")
        return Output(body, self.text[start : min(self.at, start + MAX_SOURCE)], quoted, file)

    def backticks(self, quoted: bool) -> Output:
        start = self.at
        found = TO_BACKTICK.match(self.text, start + 1)
        end = found.end() if found else self.size
        if end >= self.size:
            self.broken.append("a backtick is never closed")
        inner = self.text[start + 1 : end]
        self.at = min(end + 1, self.size)
        where = self.shifted(start + 1)
        if "\\" in inner:
            inner = re.sub(r'\\([$`\\"])' if quoted else r"\\([$`\\])", r"\1", inner)
            # Unescaped text has other offsets than the original, so nothing inside can be rewritten in place.
            where = Source(None)
        part = type(self)(inner, self.budget, where, self.depth)
        part.deeper()
        body = part.commands(frozenset())
        self.broken.extend(part.broken)
        return Output(body, self.text[start : self.at], quoted)

    def braces(self, start: int, quoted: bool) -> Part:
        """`${...}`."""
        self.at = start + 2
        prefix = self.prefix()
        name = LONG_NAME.match(self.text, self.at)
        self.at = name.end() if name else self.at
        index = SUBSCRIPT.match(self.text, self.at)
        self.at = index.end() if index else self.at
        operator = OPERATION.match(self.text, self.at)
        self.at = operator.end() if operator else self.at
        self.deeper()
        operand = Token(None, self.parts(ENDS_BRACES, IN_BRACES, []))
        self.depth -= 1
        if self.at >= self.size:
            self.broken.append("a brace is never closed")
        self.at += 1
        kind = prefix + (operator[0] if operator else "")
        source = self.text[start : self.at]
        return Parameter(name[0] if name else "", source, quoted, kind, operand, index[1] if index else "")

    def prefix(self) -> str:
        char = self.text[self.at : self.at + 1]
        following = self.text[self.at + 1 : self.at + 2]
        # `${#}` and `${!}` are parameters of that name; in `${#x}` and `${!x}` the sign is an operator.
        if char and char in "!#" and following not in ("}", ":", "-", ""):
            self.at += 1
            return char
        return ""
