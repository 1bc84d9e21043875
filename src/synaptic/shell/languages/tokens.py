"""Code as a row of tokens: the values of arguments, and what names stand for."""

import re

from synaptic.shell.languages.acts import ITEM_VARIABLE, concat_words, join_paths
from synaptic.shell.languages.dialects import HOME_IN_TEXT, Dialect
from synaptic.shell.read.script import Word

MAX_CODE = 50_000
MAX_TOKENS = 4_000
MAX_TOKEN_STEPS = 40_000
"""Tokens looked at in one piece of code, those that are looked at again included."""
CALL_SPAN = 60
"""Tokens of one call."""
MAX_NESTING = 8
PATH_JOINERS = frozenset({"join", "resolve", "joinpath", "path", "Join"})
"""Calls that put a path together: `path.join`, `File.join`, `file.path`."""
IDENTITY_CALLS = frozenset(
    {"expand_path", "absolute_path", "normalize", "realpath", "realpathSync", "Pathname", "Path", "String", "URI",
     "parse", "URL", "expand", "abspath", "expanduser", "toString", "to_s", "trim", "strip", "chomp", "shellescape"}
)  # fmt: skip
"""Calls and methods that leave a text what it is, as far as it matters here."""
GLOB_CALLS = frozenset({"glob", "globSync", "list_files"})
LISTING_CALLS = frozenset({"readdirSync", "readdir", "children", "entries", "each_child", "scandir", "ls"})
"""Calls that list the names in a folder."""
LOOP_METHODS = frozenset({"forEach", "each", "map"})
LOOP_WORDS = LOOP_METHODS | {"of", "in"}
FILTER_WORDS = frozenset({"if", "unless", "next", "continue", "filter", "select", "reject", "grep", "?", "&"})
"""What makes a loop leave something out."""
MODIFIERS = frozenset({"for", "foreach"})
"""Words behind which Perl names what `$_` takes in turn."""
NO_VALUE = frozenset({"new", "await", "return", "my", "const", "let", "var", "typeof", "not"})
END_WORDS = frozenset({"if", "unless", "while", "until", "for", "do", "or", "and", "then", "end", "else"})
EMBEDDED = re.compile(r"[$#]\{(\w{1,80})\}|\{?(\$\w{1,80})\}?")
DYNAMIC = re.compile(r"\$\{|#\{|\$[A-Za-z_]")
NAME_SEPARATORS = re.compile(r"\?\.|\.|::|->")
QUOTED_EDGES = re.compile(r"^[%q][a-zA-Z]?\s*.|.$", re.DOTALL)
AWK_LINE = Word(f"${ITEM_VARIABLE}", known=False)
"""What awk takes from a line."""
CodeToken = tuple[str, str]


class CodeTokens:
    """A row of tokens and what the names among them stand for so far."""

    def __init__(self, code: str, dialect: Dialect) -> None:
        self.code = code[:MAX_CODE]
        self.dialect = dialect
        self.row: list[CodeToken] = []
        self.values: dict[str, list[Word]] = {}
        self.left = MAX_TOKEN_STEPS
        for found in dialect.choose_token_pattern(self.code).finditer(self.code):
            kind = found.lastgroup or "mark"
            if kind == "home":
                self.row.append(("string", "'~'"))
            elif kind != "comment":
                self.row.append((kind, found[0]))
            if len(self.row) >= MAX_TOKENS:
                break

    def text_at(self, place: int) -> str:
        return self.row[place][1] if 0 <= place < len(self.row) else ""

    def last_name_at(self, place: int) -> str:
        """The last part of the name at a place."""
        return NAME_SEPARATORS.split(self.text_at(place))[-1].rstrip("!?")

    def read_arguments(self, place: int) -> list[Word]:
        """The arguments behind a name, up to the end of the call; what is no literal is unknown."""
        return self.read_items(place + (self.text_at(place) == "("), place + CALL_SPAN, self.text_at(place) == "(")[0]

    def read_items(self, place: int, stop: int, closed: bool, deep: int = 0) -> tuple[list[Word], int]:
        """Values between commas, up to what ends them, and the place of that."""
        found: list[Word] = []
        held: list[Word] = []
        glue = skipped = False
        while place < min(stop, len(self.row)) and not self._is_end(place, closed):
            self.left -= 1
            text = self.text_at(place)
            if text == ",":
                found, held, skipped = found + held, [], False
            elif self.row[place][0] == "mark" and text in self.dialect.glue:
                glue, place = True, place + 1
                continue
            elif text in (":", "=") and self.row[place][0] == "mark":
                held, skipped = [], True  # `recursive: true` is an option
            else:
                words, place = self.read_operand(place, stop, deep)
                held = held if skipped else self._append_words(held, words, glue or not self.dialect.glue)
                glue = False
                continue
            glue, place = False, place + 1
        return found + held, place

    def _is_end(self, place: int, closed: bool) -> bool:
        kind, text = self.row[place]
        if self.left <= 0 or text in (";", "{", "}", ")", "]"):
            return True
        return not closed and (text in ("&", "|", "=", "<", ">") or (kind == "name" and text in END_WORDS))

    def _append_words(self, held: list[Word], words: list[Word], glue: bool) -> list[Word]:
        if glue and held and words:
            return [*held[:-1], concat_words([held[-1], words[0]]), *words[1:]]
        return held + words

    def read_operand(self, place: int, stop: int, deep: int) -> tuple[list[Word], int]:
        """One value and what follows it, and the place behind."""
        kind, text = self.row[place]
        words: list[Word] = []
        following = place + 1
        if kind == "string":
            words = [self.read_literal(text)]
        elif kind == "quoted":
            words = self._read_quoted(text)
        elif kind == "name":
            words, following = self._read_name(place, stop, deep)
        elif text in "([" and deep < MAX_NESTING:
            words, following = self.read_items(place + 1, stop, True, deep + 1)
            following += 1
        return self._read_methods(words, following, stop, deep)

    def _read_quoted(self, text: str) -> list[Word]:
        """`qw(a b)`, `%w[a b]`, `q{text}`, `qq{text}`, `<*.c>`; what `qx` and `%x` print is not known."""
        if text[0] == "<":
            return [Word(text[1:-1], glob=True)]
        kind = text[1] if text[0] == "%" else text[1] if text[1].isalpha() else ""
        inner = QUOTED_EDGES.sub("", text)
        if kind in ("w", "W"):
            return [Word(item) for item in inner.split()]
        if kind == "x":
            return [Word(text, False)]
        return [Word(inner) if kind in ("", "q") and text[:2] != "qq" else self.read_literal(f'"{inner}"')]

    def _read_name(self, place: int, stop: int, deep: int) -> tuple[list[Word], int]:
        text, last = self.text_at(place), self.last_name_at(place)
        if text in NO_VALUE:
            return [], place + 1
        following = self.row[place + 1][0] if place + 1 < len(self.row) else ""
        if last in GLOB_CALLS and following == "string":  # Perl does without brackets
            return [Word(self.read_literal(self.text_at(place + 1)).text, glob=True)], place + 2
        if text == "Dir" and self.text_at(place + 1) == "[" and deep < MAX_NESTING:
            words, end = self.read_items(place + 2, stop, True, deep + 1)
            return [Word(word.text, word.known, glob=True) for word in words], end + 1
        if self.text_at(place + 1) == "(" and deep < MAX_NESTING:
            words, end = self.read_items(place + 2, stop, True, deep + 1)
            return self._read_result(text, last, words), end + 1
        # In awk a name holds text of the input line.
        if not self.dialect.glue:
            return [AWK_LINE], place + 1
        return self.values.get(text) or [Word(text, known=False)], place + 1

    def _read_result(self, name: str, last: str, words: list[Word]) -> list[Word]:
        if not self.dialect.glue:
            return [AWK_LINE]
        if last == "join" and (held := self.values.get(name.rpartition(".")[0])):
            return [concat_words(held, words[0].text if words else ",")]
        if last in PATH_JOINERS and words:
            return [join_paths(words, anew=last == "resolve")]
        if last in GLOB_CALLS and words:
            return [Word(words[0].text, words[0].known, glob=True)]
        if last in LISTING_CALLS:
            return [Word("*", glob=True)]
        return words[:1] if last in IDENTITY_CALLS and words else [Word(f"{name}()", known=False)]

    def _read_methods(self, words: list[Word], place: int, stop: int, deep: int) -> tuple[list[Word], int]:
        """`"x".strip`, `Buffer.from(...).toString()`: what is called on a value."""
        if "." in self.dialect.glue:
            return words, place
        while self.text_at(place) == "." and place + 1 < min(stop, len(self.row)) and self.row[place + 1][0] == "name":
            self.left -= 1
            name = self.last_name_at(place + 1)
            given: list[Word] = []
            place += 2
            if self.text_at(place) == "(" and deep < MAX_NESTING:
                given, place = self.read_items(place + 1, stop, True, deep + 1)
                place += 1
            if name == "join" and words:
                words = [concat_words(words, given[0].text if given else ",")]
            elif name not in IDENTITY_CALLS:
                words = [Word("()", known=False)] if words else []
        return words, place

    def read_literal(self, written: str) -> Word:
        """A string without its quotes, with what is known put into it."""
        inner = written[1:-1]
        if "\\" in inner:
            inner = re.sub(r"\\(.)", lambda one: {"n": "\n", "t": "\t"}.get(one[1], one[1]), inner, flags=re.DOTALL)
        if written[0] == "'" or not DYNAMIC.search(inner):
            return Word(inner)
        if "HOME" in inner or "home" in inner:
            inner = HOME_IN_TEXT.sub("~", inner)
        inner = EMBEDDED.sub(self._fill_embedded, inner)
        return Word(inner, known=not DYNAMIC.search(inner))

    def _fill_embedded(self, found: re.Match[str]) -> str:
        held = self.values.get(found[1] or found[2], [])
        return held[0].text if len(held) == 1 and held[0].known else found[0]

    def bind(self, place: int) -> None:
        """Bind a name to the value that is assigned to it here."""
        words, _ = self.read_items(place + 2, place + 2 + CALL_SPAN, closed=False)
        # Forgotten first: a value that is not known must not leave the old one in place.
        self.values.pop(self.text_at(place), None)
        if words and all(word.known for word in words):
            self.values[self.text_at(place)] = words

    def draw(self, place: int, last: str) -> None:
        """Bind the name of a loop to what it iterates over."""
        if last in LOOP_METHODS:
            self._bind_each(place)
        elif place and self.row[place - 1][0] == "name":
            self._bind_values(place - 1, self.read_items(place + 1, place + 1 + CALL_SPAN, closed=False)[0], place)

    def bind_listed(self, place: int) -> None:
        """`foreach my $f (LIST) {`, `foreach (LIST as $f)`: bind the name, or `$_`, to each of the list."""
        at = place + 1 + (self.text_at(place + 1) == "my")
        name = "$_"
        if self.text_at(at)[:1] == "$":
            name, at = self.text_at(at), at + 1
        if self.text_at(at) != "(":
            return
        words, end = self.read_items(at + 1, at + CALL_SPAN, closed=True)
        if self.dialect.name == "php" and self.text_at(end - 2) == "as":
            name, words = self.text_at(end - 1), [word for word in words if word.text not in ("as", name)][:-1] or words
        if words and all(word.known for word in words):
            self.values[name] = words

    def bind_modifier(self, place: int) -> None:
        """`unlink $_ for LIST`: what stands behind is what `$_` is before."""
        for at in range(place + 1, min(place + CALL_SPAN, len(self.row))):
            text = self.text_at(at)
            if text in (";", "{", "}"):
                return
            if text in MODIFIERS:
                words, _ = self.read_items(at + 1, at + CALL_SPAN, closed=False)
                if words and all(word.known for word in words):
                    self.values["$_"] = words
                return

    def _bind_each(self, place: int) -> None:
        """`[...].forEach(x => ...)`, `%w[...].each { |x| ... }`, `readdirSync(d).forEach(x => ...)`."""
        start = place - 1
        depth = 0
        for start in range(place - 1, max(place - CALL_SPAN, -1), -1):
            self.left -= 1
            text = self.text_at(start)
            depth += (text in (")", "]")) - (text in ("(", "["))
            if depth < 0 or text in (";", "{", "}", "="):
                start += 1
                break
        words, _ = self.read_items(start, place, closed=True)
        behind = next((at for at in range(place + 1, place + 6) if self.text_at(at)[:1].isalpha()), None)
        if behind is not None and behind < len(self.row):
            self._bind_values(behind, words, place)

    def _bind_values(self, name: int, words: list[Word], place: int) -> None:
        """Bind a name that takes each of these values in turn."""
        if not words or not all(word.known for word in words):
            return
        # A loop that filters touches only some of the files: the pattern for all of them would be judged too harshly.
        if any(word.glob for word in words) and any(
            text in FILTER_WORDS for _, text in self.row[place : place + CALL_SPAN]
        ):
            words = [Word("./{}", known=False)]
        self.values[self.text_at(name)] = words
