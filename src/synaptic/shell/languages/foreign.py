"""Code in JavaScript, Perl, Ruby and others: calls with known arguments, found by a light tokenising."""

import re
from functools import cached_property

from synaptic.shell.languages.acts import MAX_ACTS, Act, Deeds, deletion, joined
from synaptic.shell.languages.dialects import BROUGHT, EMPTIES, HEADS, REMOVES, STATEMENTS, Dialect
from synaptic.shell.languages.foreign_names import MODULES, Helper
from synaptic.shell.languages.foreign_sending import Sent, fetched, origin
from synaptic.shell.languages.tokens import DRAWS, PARTS, SPAN, Tokens
from synaptic.shell.read.script import Word

MAX_DEPTH = 4
"""Code inside code."""
DROPS = re.compile(r"\s*(?:drop|truncate|alter)\s", re.IGNORECASE)
ADDS = ("+", ".", "*", "|", "?", "<")
"""What stands before `=` when a value grows."""
DELETERS = re.compile(r"['\"](?:del|rimraf|fs-extra)['\"]|\bfse\.")
SHORT = 5_000
MODE = re.compile(r"[wax]b?\+?|r\+")
"""How a file is opened that is written."""
OFF = frozenset({"false", "FALSE", "F", "0", "nil"})


def foreign_deeds(code: str, dialect: Dialect, depth: int = 0) -> Deeds:
    """What the code runs, deletes, reads, writes, sends and prints, in the order it is written."""
    reader = _Reader(code, dialect, depth)
    return Deeds(reader.read(), reader.printed())


def foreign_value(code: str, dialect: Dialect) -> str | None:
    """What code prints whose value is printed, when it is nothing but a text."""
    tokens = Tokens(code, dialect)
    words, end = tokens.items(0, SPAN, closed=False)
    return f"{words[0].text}\n" if end == len(tokens.row) and len(words) == 1 and words[0].known else None


class _Reader(Sent):
    def __init__(self, code: str, dialect: Dialect, depth: int) -> None:
        super().__init__(code, dialect)
        self.depth = depth
        self.counts = not dialect.needs or bool(re.search(dialect.needs, self.code))

    def read(self) -> list[Act]:
        return self._between(0, len(self.row))[: MAX_ACTS + 1]

    def _between(self, start: int, end: int) -> list[Act]:
        acts: list[Act] = []
        for place in range(start, end):
            kind, text = self.row[place]
            if kind == "name":
                acts.extend(self._named_at(place, text))
            elif text[:1] == "`" and self.counts and self.text(place - 1) == "$":  # zx
                acts.append(Act("shell", [self.literal(text)]))
            elif (kind == "quoted" and text[:2] in ("%x", "qx")) or (self.dialect.backtick_runs and text[:1] == "`"):
                acts.append(Act("shell", [_inside(text)]))
            elif self.dialect.name == "awk":
                acts.extend(self._awk(place))
            if len(acts) >= MAX_ACTS or self.left <= 0:
                break
        return acts

    def _named_at(self, place: int, text: str) -> list[Act]:
        if self.text(place + 1) == "=" and self.text(place + 2) not in ("=", ">", "~"):
            self.bind(place)
            self.hold(place)
            self.rename(place)
            return []
        if self.text(place + 2) == "=" and self.text(place + 1) in ADDS:
            self.values.pop(text, None)
        if text in self.helpers and (lent := self.lend(place)) is not None:
            return self._lent(*lent)
        if text == "require" and self.text(place + 4) == "(" and (module := self.module(place)) in MODULES:
            return self.called(place + 3, module, module) if module in self.dialect.matters else []
        text = self.meant(text) if self.aliases else text
        last = PARTS.split(text)[-1].rstrip("!?")
        if last in DRAWS:
            self.draw(place, last)
            return self._handed(place)
        return self.called(place, text, last) if last in self.dialect.matters else []

    def _lent(self, helper: Helper, given: dict[str, list[Word]]) -> list[Act]:
        """What a function of the code does with what this call gives it."""
        kept = self.values
        self.values = {**kept, **given}
        self.inside += 1
        self.left -= helper.end - helper.start
        acts = self._between(helper.start, helper.end)
        self.inside -= 1
        self.values = kept
        return acts

    def _handed(self, place: int) -> list[Act]:
        """`[...].forEach(run)`: a function that is given each value."""
        name = self.text(place + 2)
        if self.text(place + 1) != "(" or self.text(place + 3) != ")" or self.inside:
            return []
        # The loop has bound its values to this name, which is a function and no variable.
        words = self.values.pop(name, [])
        helper = self.helpers.get(name)
        if helper is not None and words:
            return self._lent(helper, {helper.parameters[0]: words})
        runs = self.counts and PARTS.split(self.meant(name))[-1] in self.dialect.shell
        return [Act("shell", [word]) for word in words] if runs else []

    def _awk(self, place: int) -> list[Act]:
        """`"cmd" | getline`, `print | "cmd"`, `print > "file"`."""
        kind, text = self.row[place]
        following = self.row[place + 1 : place + 3]
        if kind == "string" and [item[1] for item in following] == ["|", "getline"]:
            return [Act("shell", [self.literal(text)])]
        if text in ("|", ">") and following and following[0][0] == "string":
            return [Act("shell" if text == "|" else "write", [self.literal(following[0][1])])]
        return []

    def called(self, place: int, text: str, last: str) -> list[Act]:
        """What the call at a name does."""
        if self.text(place + 1) == "as":
            return []  # it is given another name
        parts = PARTS.split(text)
        owner = parts[-2] if len(parts) > 1 else ""
        if not owner and self.text(place - 1) == ".":
            owner = self.module(place - 5) or "?"
        if last in STATEMENTS and owner and (drop := self._statement(place)):
            return [drop]
        if owner and last in HEADS and owner not in HEADS[last]:
            return []
        if last in self.dialect.shell and self.counts:
            return self._spoken(place)
        if last in self.dialect.program and self.counts:
            return self._program(place)
        if last in self.dialect.code:
            return self._evaluated(place)
        if last in BROUGHT:
            return self._brought(place, last, owner)
        return self._filed(place, last) or self.sends(place, last)

    def _brought(self, place: int, last: str, owner: str) -> list[Act]:
        """Calls of packages that remove whole folders: `fs-extra`, `del`, `rimraf`."""
        if not DELETERS.search(self.code) or (last == "sync" and not owner):
            return self._filed(place, last) if last in REMOVES else []
        words = [word for word in self.arguments(place + 1) if word.text[:1] != "!"]
        if last in EMPTIES:
            words = [joined([word, Word("*", glob=True)]) for word in words[:1]]
        paths = [Word(word.text, word.known, word.glob or "*" in word.text) for word in words[:8]]
        return [deletion(paths, tree=owner != "Deno" or self._recursive(place))] if paths else []

    def _filed(self, place: int, last: str) -> list[Act]:
        dialect = self.dialect
        if last in dialect.tree or last in dialect.file:
            words = self.arguments(place + 1)
            return [deletion(words[:8], last in dialect.tree or self._recursive(place))] if words else []
        if last in dialect.write:
            words = self.arguments(place + 1)
            return [Act("write", words[:2])] if words else []
        if last in dialect.reads:
            words = self.arguments(place + 1)
            return [Act("read", words[:1])] if words and "://" not in words[0].text else []
        if last not in dialect.opens:
            return []
        words = self.arguments(place + 1)
        # In Perl the first word is the handle, which is no file.
        return _opened(words[1:] if dialect.name == "perl" and len(words) > 1 else words)

    def _recursive(self, place: int) -> bool:
        row = self.row[place : place + 20]
        return any(text == "recursive" and self.text(place + at + 2) not in OFF for at, (_, text) in enumerate(row))

    def _spoken(self, place: int) -> list[Act]:
        words = self.arguments(place + 1)
        if not words:
            return []
        if len(words) > 1 and words == self.values.get(self.text(place + 2)):
            return [Act("shell", [word]) for word in words]  # a name that takes each of them in turn
        if len(words) > 1 and all(word.known for word in words[:2]) and " " not in words[0].text:
            return [Act("argv", words)]
        if not words[0].known and " " not in words[0].text:
            return [Act("unknown", words[:1], origin=self._note(place))]
        return [Act("shell", words[:1])]

    def _program(self, place: int) -> list[Act]:
        words = self.arguments(place + 1)[self.last(place) == "CommandContext" :]
        if len(words) == 1 and " " in words[0].text:
            return self._spoken(place)
        named = next((at for at in range(place, place + 20) if self.text(at) == "args"), None)
        if named is not None and self.text(named + 2) == "[":  # `new Deno.Command("rm", {args: [...]})`
            words += self.arguments(named + 2)
        return [Act("argv", words)] if words else []

    def _statement(self, place: int) -> Act | None:
        """SQL that drops something, as a client would be given it."""
        text = self.text(place + 2) if self.text(place + 1) == "(" else self.text(place + 1)
        if not DROPS.match(text[1:]):
            return None
        held = [Word(":memory:")] if ":memory:" in self.code else []
        return Act("argv", [Word("sqlite3"), *held, self.literal(text)])

    def _evaluated(self, place: int) -> list[Act]:
        """Text that is run as code of the same language."""
        after = self.text(place + 1)
        if after in ("{", "=", ":", "do", ";", ""):
            return []  # a block, or a name of its own
        words = self.arguments(place + 1)
        last = self.last(place)
        code = words[-1 if last == "Function" else 0] if words else Word(last, known=False)
        if code.known and not (last == "source" and "://" in code.text):
            return foreign_deeds(code.text, self.dialect, self.depth + 1).acts if self.depth < MAX_DEPTH else []
        return [Act("unknown", [Word(code.text, known=False)], origin="fetched" if self._asks else self._note(place))]

    def _note(self, place: int) -> str:
        """Where unknown code in a call comes from: what the call says, and the names in it."""
        end = self.until(place + 1, call=True)
        notes = [origin(" ".join(text for _, text in self.row[place:end]))]
        notes += [self.notes.get(text, "") for _, text in self.row[place:end]]
        return "fetched" if "fetched" in notes else next(filter(None, notes), "")

    @cached_property
    def _asks(self) -> bool:
        """Whether a one-liner contacts another machine: what it evaluates is then taken for the response."""
        return len(self.code) <= SHORT and fetched(self.code)

    def printed(self) -> str | None:
        """What the code prints, when it does nothing but print what is known."""
        place, lines = 0, []
        while place < len(self.row):
            if self.text(place) in (";", "{", "}", "BEGIN", "END"):
                place += 1
                continue
            way = self.dialect.prints.get(self.text(place))
            if way is None:
                return None
            closed = self.text(place + 1) == "("
            words, place = self.items(place + 1 + closed, place + SPAN, closed)
            place += closed
            if not words or not all(word.known and not word.glob for word in words):
                return None
            if place < len(self.row) and self.text(place) not in (";", "}"):
                return None
            lines.append(way[0].join(word.text for word in words) + way[1])
        return "".join(lines) if lines else None


def _inside(text: str) -> Word:
    return Word(text[1:-1] if text[0] == "`" else re.sub(r"^(?:%x|qx)\s*.|.$", "", text, flags=re.DOTALL))


def _opened(words: list[Word]) -> list[Act]:
    """`open(F, ">file")`, `open(F, ">", "file")`, `open("file", "w")`, `open("|cmd")`, and the same for reading."""
    texts = [word.text for word in words if word.known]
    for place, text in enumerate(texts):
        if text.startswith("|") or text.endswith("|"):
            return [Act("shell", [Word(text.strip("| ") or " ".join(texts[place + 1 :]))])]
        if text[:1] in ("<", ">"):
            path = _behind_mode(words, text)
            return [Act("write" if text[:1] == ">" else "read", [path])] if path else []
    if len(words) > 1 and words[1].known and MODE.fullmatch(words[1].text):
        return [Act("write", words[:1])]
    return [Act("read", [Word(texts[0])])] if texts and "://" not in texts[0] else []


def _behind_mode(words: list[Word], mode: str) -> Word | None:
    """The file behind `>` in the same text, or in the next, which may be worked out."""
    if path := mode.lstrip("<> "):
        return Word(path)
    place = next(place for place, word in enumerate(words) if word.text == mode)
    return words[place + 1] if place + 1 < len(words) else None
