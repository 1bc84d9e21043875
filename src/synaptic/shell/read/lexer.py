"""Words of shell text, taken apart into literal text and expansions as bash does it."""

import re

from synaptic.shell.read.limits import MAX_ARITHMETIC, MAX_DEPTH, MAX_ESCAPES, MAX_SOURCE, Budget
from synaptic.shell.read.quoting import decode_ansi_quoted
from synaptic.shell.read.syntax import (
    Arithmetic,
    CommandOutput,
    CommandSequence,
    FlaggedParameter,
    LiteralText,
    Parameter,
    Part,
    Redirection,
    WordToken,
)
from synaptic.shell.read.whole import (
    EMPTY_QUOTED,
    GLOB_WORD,
    MIXED_WORD,
    NO_PARTS,
    OPERATOR,
    PLAIN_WORD,
    WORD,
    split_mixed_word,
)

PLAIN_RUN = re.compile(r"[^ \t\n;&|()<>'\"\\$`]+")
IN_QUOTES = re.compile(r"[^\"\\$`]+")
IN_BODY = re.compile(r"[^\\$`]+")
IN_BRACES = re.compile(r"[^}'\"\\$`]+")
NAME = re.compile(r"[A-Za-z_]\w*|\d|[@*#?$!_-]")
LONG_NAME = re.compile(r"[A-Za-z_]\w*|\d+|[@*#?$!_-]")
SUBSCRIPT_SIGN = re.compile(r"[\[\]]")
MAX_SUBSCRIPT = 1_000
"""Characters in which the end of a subscript is looked for."""
ZSH_FLAGS = re.compile(r"(?:\(((?:[^()\n]|\([^()\n]*\)){0,60}+)\))?([=~^]*+)")
STARTS_FLAGGED = frozenset('(=~^:"')
"""What stands behind `${` in zsh, and never in bash."""
TO_BACKTICK = re.compile(r"(?:[^`\\]++|\\.)*+", re.DOTALL)
OPERATION = re.compile(OPERATOR)
SUBSTITUTION = re.compile(r"(\"?)\$\((?!\()")
EXTENDED_SIGNS = frozenset("?*+@!")
ALTERNATIVES = re.compile(r"\([\w./-]++(?:\|[\w./-]++)++\)")
ZSH_QUALIFIER = re.compile(r"\([\w./:#^|@+-]{1,40}+\)")
"""`(.)`, `(/)`, `(a|b)` behind a pattern: which files are meant."""
QUALIFIED_BY_OTHERS = frozenset("?*+@!=")
"""Behind these a bracket means something else."""
BRACKET = re.compile(r"[()]")
WORD_ENDS = frozenset(" \t\n;&|()<>")
ENDS_SUBSTITUTION = frozenset(")")
ENDS_BRACES = frozenset("}")
ENDS_QUOTES = frozenset('"')
ESCAPED_IN_QUOTES = frozenset('$`"\\')
ESCAPED_IN_BODY = frozenset("$`\\")


class SourcePosition:
    """Where a text stands: its offset in the outermost text (None: nowhere), and whether inside quoted code."""

    __slots__ = ("base", "inner")

    def __init__(self, base: int | None = 0, inner: bool = False) -> None:
        self.base = base
        self.inner = inner


class Lexer:
    """Reads words from a position in the text. The grammar above it reads what stands inside `$(...)`."""

    def __init__(self, text: str, budget: Budget, source: SourcePosition, depth: int = 0) -> None:
        self.text = text
        self.size = len(text)
        self.at = 0
        self.budget = budget
        self.source = source
        self.depth = depth
        self.broken: list[str] = []
        self.waiting: list[tuple[Redirection, str, bool]] = []

    def read_commands(self, stop: frozenset[str]) -> CommandSequence:
        """Commands up to one of the closing words; the grammar provides it."""
        raise TypeError(f"{type(self).__name__} reads words only")

    def enter_nesting(self) -> None:
        self.depth += 1
        # The text ends here instead of raising an error: the commands before this place must still be judged.
        if self.depth > MAX_DEPTH:
            self.budget.reason = self.budget.reason or f"more than {MAX_DEPTH} constructions inside one another"
            self.at = self.size

    def spend(self) -> bool:
        """Count a piece of work. At the limit the text ends here, and what was read so far stands."""
        if self.budget.count_word():
            return True
        self.at = self.size
        return False

    def make_span(self, start: int, end: int) -> tuple[int, int] | None:
        base = self.source.base
        return None if base is None else (base + start, base + (end if end < self.size else self.size))

    def read_word(self) -> WordToken:
        """The word that starts here."""
        start, text = self.at, self.text
        if not self.spend():
            return WordToken("", NO_PARTS)
        found = WORD.match(text, start)
        if found:
            return self.take_whole_word(found.lastindex, found[0], found.end())
        run = PLAIN_RUN.match(text, start)
        if run and "{" not in run[0] and (run.end() == self.size or text[run.end()] in " \t\n;&|)"):
            self.at = run.end()
            return WordToken(run[0], NO_PARTS, self.make_span(start, self.at), self.source.inner)
        parts = self.read_parts(WORD_ENDS, PLAIN_RUN, self.read_leading_substitution(start))
        # A character that neither starts nor ends a word counts as text; otherwise the caller would never get past
        # it.
        if self.at == start < self.size:
            self.at += 1
            parts = [LiteralText(text[start])]
        return WordToken(None, parts, self.make_span(start, self.at), self.source.inner)

    def take_whole_word(self, kind: int | None, said: str, end: int) -> WordToken:
        """The word that a pattern has found, of which kind, and where it ends."""
        base, self.at = self.source.base, end
        span = None if base is None else (base + end - len(said), base + end)
        if kind in (PLAIN_WORD, GLOB_WORD):
            return WordToken(said, NO_PARTS, span, self.source.inner)
        parts: list[Part] = split_mixed_word(said) if kind == MIXED_WORD else [LiteralText(said[1:-1], True)]
        return WordToken(None, parts, span, self.source.inner)

    def read_leading_substitution(self, start: int) -> list[Part]:
        """The parts of a word that begins with `$(...)`, in double quotes or without; none when it does not."""
        opened = SUBSTITUTION.match(self.text, start)
        if opened is None or not self.spend():
            return []
        self.at = opened.end()
        if not opened[1]:
            return [self.read_substitution(start, False)]
        found: list[Part] = [EMPTY_QUOTED, self.read_substitution(start + 1, True)]
        if self.text.startswith('"', self.at):
            self.at += 1
        else:
            found.extend(self.read_double_quoted())
        return found

    def read_parts(self, ends: frozenset[str], run: re.Pattern[str], found: list[Part]) -> list[Part]:
        """Parts up to one of the ending characters, outside quotes, behind those that were found."""
        while self.at < self.size:
            piece = run.match(self.text, self.at)
            if piece:
                found.append(LiteralText(piece[0]))
                self.at = piece.end()
                continue
            char = self.text[self.at]
            if char in ends:
                if not self.read_bracket_in_word(char, found):
                    break
                continue
            self.read_piece(char, found)
        return found

    def read_bracket_in_word(self, char: str, found: list[Part]) -> bool:
        """Process substitution and extended patterns: brackets that do not end a word."""
        following = self.text[self.at + 1 : self.at + 2]
        if char in "<>" and following == "(":
            start = self.at
            self.at += 2
            found.append(self.read_substitution(start, False, file=True))
            return True
        if char == "(" and len(found) == 1 and isinstance(found[0], LiteralText) and found[0].text == "=":
            start = self.at - 1
            self.at += 1
            # `=(...)` of zsh is a file with the output, as `<(...)` is.
            found[0] = self.read_substitution(start, False, file=True)
            return True
        qualified = ZSH_QUALIFIER.match(self.text, self.at) if char == "(" and found else None
        if qualified and isinstance(found[-1], LiteralText) and found[-1].text[-1:] not in QUALIFIED_BY_OTHERS:
            self.at = qualified.end()
            if "|" in qualified[0]:
                found[-1] = LiteralText(f"{found[-1].text}{{{qualified[0][1:-1].replace('|', ',')}}}")
            return True
        if char == "(" and found and isinstance(found[-1], LiteralText) and found[-1].text[-1:] in EXTENDED_SIGNS:
            start = self.at
            self.at += 1
            self.read_substitution(start, False)
            self.add_extended_pattern(found, found[-1].text, self.text[start : self.at])
            return True
        return False

    def add_extended_pattern(self, found: list[Part], before: str, bracket: str) -> None:
        """`!(a)` is everything but one, which is as good as `*`; so is `*(...)`. `@(a|b)` is `{a,b}`."""
        if before[-1] in "!*":
            found[-1] = LiteralText(f"{before[:-1]}*")
        elif before[-1] in "@+" and ALTERNATIVES.fullmatch(bracket):
            found[-1] = LiteralText(f"{before[:-1]}{{{bracket[1:-1].replace('|', ',')}}}")
        else:
            found.append(LiteralText(bracket))

    def read_piece(self, char: str, found: list[Part]) -> None:
        if not self.spend():
            return
        if char == "'":
            found.append(LiteralText(self.read_single_quoted(), quoted=True))
        elif char == '"':
            self.at += 1
            found.append(LiteralText("", quoted=True))
            found.extend(self.read_double_quoted())
        elif char == "\\":
            self.read_backslash(found)
        elif char == "$":
            found.append(self.read_dollar(False))
        elif char == "`":
            found.append(self.read_backticks(False))
        else:
            found.append(LiteralText(char))
            self.at += 1

    def read_backslash(self, found: list[Part]) -> None:
        char = self.text[self.at + 1 : self.at + 2]
        self.at += 2
        if char != "\n":
            found.append(LiteralText(char or "\\", quoted=True))

    def read_single_quoted(self) -> str:
        start = self.at + 1
        end = self.text.find("'", start)
        if end < 0:
            self.broken.append("a single quote is never closed")
            end = self.size
        self.at = end + 1 if end < self.size else end
        return self.text[start:end]

    def read_double_quoted(self) -> list[Part]:
        """The inside of double quotes, up to and over the closing one."""
        found = self.read_quoted_parts(ENDS_QUOTES, IN_QUOTES, ESCAPED_IN_QUOTES)
        if self.at >= self.size:
            self.broken.append("a double quote is never closed")
        self.at += 1
        return found

    def read_quoted_parts(self, ends: frozenset[str], run: re.Pattern[str], escaped: frozenset[str]) -> list[Part]:
        found: list[Part] = []
        budget = self.budget
        while self.at < self.size:
            piece = run.match(self.text, self.at)
            if piece:
                found.append(LiteralText(piece[0], quoted=True))
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
                self.read_escape(found, escaped)
            elif char == "$":
                found.append(self.read_dollar(True))
            elif char == "`":
                found.append(self.read_backticks(True))
            else:
                found.append(LiteralText(char, quoted=True))
                self.at += 1
        return found

    def read_escape(self, found: list[Part], escaped: frozenset[str]) -> None:
        char = self.text[self.at + 1 : self.at + 2]
        self.at += 2
        if char in escaped and char:
            found.append(LiteralText(char, quoted=True))
        elif char != "\n":
            found.append(LiteralText("\\" + char, quoted=True))

    def read_dollar(self, quoted: bool) -> Part:
        start = self.at
        name = NAME.match(self.text, start + 1)
        if name is not None:
            self.at = name.end()
            return Parameter(name[0], self.text[start : self.at], quoted)
        following = self.text[start + 1 : start + 2]
        if following and following in "=~^" and LONG_NAME.match(self.text, start + 2):
            self.at = start + 2
            name = NAME.match(self.text, self.at)
            self.at = name.end() if name else self.at
            return FlaggedParameter(self.text[start + 2 : self.at], self.text[start : self.at], quoted, following)
        if following == "(":
            return self.read_dollar_bracket(start, quoted)
        if following == "{":
            return self.read_braces(start, quoted)
        if following == "'" and not quoted:
            return self.read_ansi_quoted()
        if following == '"' and not quoted:
            self.at += 2
            # `$"..."` is text to be translated; without a catalogue it stands for itself.
            return Parameter("", "", True, "text", WordToken(None, self.read_double_quoted()))
        self.at += 1
        return LiteralText("$", quoted=quoted)

    def read_ansi_quoted(self) -> LiteralText:
        text, self.at, closed = decode_ansi_quoted(self.text, self.at + 2)
        # Escapes beyond the limit were not decoded, so the value is not what bash would see: report it as truncated.
        if len(text) > MAX_ESCAPES:
            self.budget.reason = self.budget.reason or f"more than {MAX_ESCAPES} characters with escapes"
        if not closed:
            self.broken.append("a single quote is never closed")
        return LiteralText(text, quoted=True)

    def read_dollar_bracket(self, start: int, quoted: bool) -> Part:
        """`$(...)` or `$((...))`."""
        # `$((` may also open a substitution that begins with a subshell; only a closing `))` tells which.
        if self.text.startswith("$((", start):
            end = self.find_arithmetic_end(start + 3)
            if end is not None:
                operand = self.read_arithmetic(start + 3, end)
                self.at = end + 2
                return Arithmetic(operand, self.text[start : self.at])
        self.at = start + 2
        return self.read_substitution(start, quoted)

    def find_arithmetic_end(self, start: int) -> int | None:
        """Where `))` closes what was opened with `((`; None when it is two subshells instead."""
        depth = 0
        for found in BRACKET.finditer(self.text, start, start + MAX_ARITHMETIC):
            depth += 1 if found[0] == "(" else -1
            if depth < 0:
                return found.start() if self.text.startswith("))", found.start()) else None
        return None

    def read_arithmetic(self, start: int, end: int) -> WordToken:
        part = type(self)(self.text[start:end], self.budget, self.shift_source(start), self.depth)
        part.enter_nesting()
        token = WordToken(None, part.read_quoted_parts(frozenset(), IN_BODY, ESCAPED_IN_BODY))
        self.broken.extend(part.broken)
        return token

    def shift_source(self, start: int) -> SourcePosition:
        base = self.source.base
        return SourcePosition(None if base is None else base + start, self.source.inner)

    def read_substitution(self, start: int, quoted: bool, file: bool = False) -> CommandOutput:
        """The commands of a substitution whose bracket was just passed."""
        # A here-document that is announced inside ends with the bracket; those of the line around it still wait.
        waiting, self.waiting = self.waiting, []
        self.enter_nesting()
        body = self.read_commands(ENDS_SUBSTITUTION)
        self.depth -= 1
        self.waiting = waiting
        if self.text.startswith(")", self.at):
            self.at += 1
        else:
            self.broken.append("a bracket is never closed")
        return CommandOutput(body, self.text[start : min(self.at, start + MAX_SOURCE)], quoted, file)

    def read_backticks(self, quoted: bool) -> CommandOutput:
        start = self.at
        found = TO_BACKTICK.match(self.text, start + 1)
        end = found.end() if found else self.size
        if end >= self.size:
            self.broken.append("a backtick is never closed")
        inner = self.text[start + 1 : end]
        self.at = min(end + 1, self.size)
        where = self.shift_source(start + 1)
        if "\\" in inner:
            inner = re.sub(r'\\([$`\\"])' if quoted else r"\\([$`\\])", r"\1", inner)
            # Unescaped text has other offsets than the original, so nothing inside can be rewritten in place.
            where = SourcePosition(None)
        part = type(self)(inner, self.budget, where, self.depth)
        part.enter_nesting()
        body = part.read_commands(frozenset())
        self.broken.extend(part.broken)
        return CommandOutput(body, self.text[start : self.at], quoted)

    def read_braces(self, start: int, quoted: bool) -> Part:
        """`${...}`."""
        self.at = start + 2
        opening = self.text[self.at : self.at + 2]
        if opening[:1] in STARTS_FLAGGED or opening in ("$(", "${"):
            return self.read_flagged(start, quoted)
        prefix = self.read_prefix()
        name = LONG_NAME.match(self.text, self.at)
        self.at = name.end() if name else self.at
        index = self.read_subscript()
        operator = OPERATION.match(self.text, self.at)
        self.at = operator.end() if operator else self.at
        self.enter_nesting()
        operand = WordToken(None, self.read_parts(ENDS_BRACES, IN_BRACES, []))
        self.depth -= 1
        if self.at >= self.size:
            self.broken.append("a brace is never closed")
        self.at += 1
        kind = prefix + (operator[0] if operator else "")
        source = self.text[start : self.at]
        return Parameter(name[0] if name else "", source, quoted, kind, operand, index)

    def read_subscript(self) -> str:
        """What stands in `[...]` here, brackets inside included."""
        if not self.text.startswith("[", self.at):
            return ""
        depth = 0
        for found in SUBSCRIPT_SIGN.finditer(self.text, self.at, self.at + MAX_SUBSCRIPT):
            depth += 1 if found[0] == "[" else -1
            if not depth:
                start, self.at = self.at + 1, found.end()
                return self.text[start : found.start()]
        return ""

    def read_flagged(self, start: int, quoted: bool) -> Part:
        """`${(flags)name}`, `${=name}`, `${${...}}` of zsh."""
        self.enter_nesting()
        found = ZSH_FLAGS.match(self.text, self.at)
        flags, self.at = (f"{found[1] or ''}{found[2]}", found.end()) if found else ("", self.at)
        inner: list[Part] | None = None
        name = LONG_NAME.match(self.text, self.at)
        if self.text.startswith('"', self.at):
            self.at += 1
            inner = self.read_double_quoted()
        elif self.text.startswith(("${", "$("), self.at) and self.spend():
            inner = [self.read_dollar(quoted)]
        elif name is not None:
            self.at = name.end()
        index = self.read_subscript()
        operator = OPERATION.match(self.text, self.at)
        self.at = operator.end() if operator else self.at
        operand = WordToken(None, self.read_parts(ENDS_BRACES, IN_BRACES, []))
        self.depth -= 1
        if self.at >= self.size:
            self.broken.append("a brace is never closed")
        self.at += 1
        return FlaggedParameter(
            "" if inner is not None or name is None else name[0],
            self.text[start : self.at],
            quoted,
            flags,
            inner,
            index,
            operator[0] if operator else "",
            operand,
        )

    def read_prefix(self) -> str:
        char = self.text[self.at : self.at + 1]
        following = self.text[self.at + 1 : self.at + 2]
        # `${#}` and `${!}` are parameters of that name; in `${#x}` and `${!x}` the sign is an operator.
        if char and char in "!#" and following not in ("}", ":", "-", ""):
            self.at += 1
            return char
        return ""
