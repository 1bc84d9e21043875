"""Code in JavaScript, Perl, Ruby and others: calls with known arguments, found by a light tokenising."""

import re

from synaptic.model.once import computed_once
from synaptic.shell.languages.acts import MAX_ACTS, CodeAct, CodeEffects, join_paths, make_deletion
from synaptic.shell.languages.clouds import read_javascript_deletions, uses_cloud
from synaptic.shell.languages.data_libraries import JAVASCRIPT_SIGNS, read_javascript_emptying
from synaptic.shell.languages.dialects import EMPTIES, METHOD_OWNERS, PACKAGE_DELETERS, REMOVES, SQL_METHODS, Dialect
from synaptic.shell.languages.foreign_names import MODULES, HelperFunction
from synaptic.shell.languages.foreign_sending import CodeSending, classify_origin, fetches_remotely
from synaptic.shell.languages.tokens import CALL_SPAN, LOOP_WORDS, MODIFIERS, NAME_SEPARATORS, CodeTokens
from synaptic.shell.read.script import Word

MAX_CODE_DEPTH = 4
"""Code inside code."""
DROPS = re.compile(r"\s*(?:drop|truncate|alter)\s", re.IGNORECASE)
GROWTH_SIGNS = ("+", ".", "*", "|", "?", "<")
"""What stands before `=` when a value grows."""
DELETING_PACKAGES = re.compile(r"['\"](?:del|rimraf|fs-extra)['\"]|\bfse\.")
SHORT_CODE = 5_000
MODE = re.compile(r"[wax]b?\+?|r\+")
"""How a file is opened that is written."""
LISTING_LOOPS = frozenset({"perl", "php"})
"""Languages with `foreach`."""
FALSE_WORDS = frozenset({"false", "FALSE", "F", "0", "nil"})


def read_foreign_code(code: str, dialect: Dialect, depth: int = 0) -> CodeEffects:
    """What the code runs, deletes, reads, writes, sends and prints, in the order it is written."""
    reader = _ForeignReader(code, dialect, depth)
    return CodeEffects(reader.read(), reader.find_printed())


def read_printed_value(code: str, dialect: Dialect) -> str | None:
    """What code prints whose value is printed, when it is nothing but a text."""
    tokens = CodeTokens(code, dialect)
    words, end = tokens.read_items(0, CALL_SPAN, closed=False)
    return f"{words[0].text}\n" if end == len(tokens.row) and len(words) == 1 and words[0].known else None


class _ForeignReader(CodeSending):
    def __init__(self, code: str, dialect: Dialect, depth: int) -> None:
        super().__init__(code, dialect)
        self.depth = depth
        self.counts = not dialect.needs or bool(re.search(dialect.needs, self.code))

    def read(self) -> list[CodeAct]:
        acts = self._read_range(0, len(self.row))
        if self.dialect.name == "javascript":
            acts += self._read_libraries()
        return acts[: MAX_ACTS + 1]

    def _read_libraries(self) -> list[CodeAct]:
        """What is deleted in clouds, and emptied or dropped in databases and queues."""
        acts: list[CodeAct] = []
        if uses_cloud(self.code):
            acts += read_javascript_deletions(" ".join(text for kind, text in self.row if kind != "string"), self.code)
        if JAVASCRIPT_SIGNS.search(self.code):
            acts += read_javascript_emptying(self.row, self.code)
        return acts

    def _read_range(self, start: int, end: int) -> list[CodeAct]:
        acts: list[CodeAct] = []
        for place in range(start, end):
            kind, text = self.row[place]
            if kind == "name":
                acts.extend(self._read_name_at(place, text))
            elif text[:1] == "`" and self.counts and self.text_at(place - 1) == "$":  # zx
                acts.append(CodeAct("shell", [self.read_literal(text)]))
            elif (kind == "quoted" and text[:2] in ("%x", "qx")) or (self.dialect.backtick_runs and text[:1] == "`"):
                acts.append(CodeAct("shell", [_read_command_literal(text)]))
            elif self.dialect.name == "awk":
                acts.extend(self._read_awk(place))
            if len(acts) >= MAX_ACTS or self.left <= 0:
                break
        return acts

    def _read_name_at(self, place: int, text: str) -> list[CodeAct]:
        if self.text_at(place + 1) == "=" and self.text_at(place + 2) not in ("=", ">", "~"):
            self.bind(place)
            self.note_read_value(place)
            self.note_alias(place)
            return []
        if self.text_at(place + 2) == "=" and self.text_at(place + 1) in GROWTH_SIGNS:
            self.values.pop(text, None)
        if text in self.helpers and (lent := self.match_helper_call(place)) is not None:
            return self._run_helper(*lent)
        if text == "require" and self.text_at(place + 4) == "(" and (module := self.find_module(place)) in MODULES:
            return self.read_call(place + 3, module, module) if module in self.dialect.relevant_calls else []
        text = self.resolve_alias(text) if self.aliases else text
        last = NAME_SEPARATORS.split(text)[-1].rstrip("!?")
        if last in MODIFIERS and self.dialect.name in LISTING_LOOPS:
            self.bind_listed(place)
            return []
        if last in LOOP_WORDS:
            self.draw(place, last)
            return self._run_handed_function(place)
        return self.read_call(place, text, last) if last in self.dialect.relevant_calls else []

    def _run_helper(self, helper: HelperFunction, given: dict[str, list[Word]]) -> list[CodeAct]:
        """What a function of the code does with what this call gives it."""
        kept = self.values
        self.values = {**kept, **given}
        self.inside += 1
        self.left -= helper.end - helper.start
        acts = self._read_range(helper.start, helper.end)
        self.inside -= 1
        self.values = kept
        return acts

    def _run_handed_function(self, place: int) -> list[CodeAct]:
        """`[...].forEach(run)`: a function that is given each value."""
        name = self.text_at(place + 2)
        if self.text_at(place + 1) != "(" or self.text_at(place + 3) != ")" or self.inside:
            return []
        # The loop has bound its values to this name, which is a function and no variable.
        words = self.values.pop(name, [])
        helper = self.helpers.get(name)
        if helper is not None and words:
            return self._run_helper(helper, {helper.parameters[0]: words})
        runs = self.counts and NAME_SEPARATORS.split(self.resolve_alias(name))[-1] in self.dialect.shell
        return [CodeAct("shell", [word]) for word in words] if runs else []

    def _read_awk(self, place: int) -> list[CodeAct]:
        """`"cmd" | getline`, `print | "cmd"`, `print > "file"`."""
        kind, text = self.row[place]
        following = self.row[place + 1 : place + 3]
        if kind == "string" and [item[1] for item in following] == ["|", "getline"]:
            return [CodeAct("shell", [self.read_literal(text)])]
        if text in ("|", ">") and following and following[0][0] == "string":
            return [CodeAct("shell" if text == "|" else "write", [self.read_literal(following[0][1])])]
        return []

    def read_call(self, place: int, text: str, last: str) -> list[CodeAct]:
        """What the call at a name does."""
        if self.text_at(place + 1) == "as":
            return []  # it is given another name
        parts = NAME_SEPARATORS.split(text)
        owner = parts[-2] if len(parts) > 1 else ""
        if not owner and self.text_at(place - 1) == ".":
            owner = self.find_module(place - 5) or "?"
        if last in SQL_METHODS and owner and (drop := self._read_statement(place)):
            return [drop]
        if owner and last in METHOD_OWNERS and owner not in METHOD_OWNERS[last]:
            return []
        if last in self.dialect.shell and self.counts:
            return self._read_shell_call(place)
        if last in self.dialect.program and self.counts:
            return self._read_program_call(place)
        if last in self.dialect.code:
            return self._read_evaluated(place)
        if last in PACKAGE_DELETERS:
            return self._read_package_call(place, last, owner)
        if last in self.dialect.applies:
            return self._read_applied(place)
        return self._read_file_call(place, last) or self.find_sent(place, last)

    def _read_applied(self, place: int) -> list[CodeAct]:
        """`array_map("unlink", [...])`, `array_walk([...], "unlink")`: a call that is named by a text."""
        words = self.read_arguments(place + 1)
        names = [word for word in words if word.known and word.text in self.dialect.relevant_calls]
        given = [word for word in words if word not in names]
        if not names or not given:
            return []
        if names[0].text in self.dialect.shell:
            return [CodeAct("shell", [word]) for word in given[:8]]
        return [make_deletion(given[:8], tree=False)] if names[0].text in self.dialect.file else []

    def _read_package_call(self, place: int, last: str, owner: str) -> list[CodeAct]:
        """Calls of packages that remove whole folders: `fs-extra`, `del`, `rimraf`."""
        if not DELETING_PACKAGES.search(self.code) or (last == "sync" and not owner):
            return self._read_file_call(place, last) if last in REMOVES else []
        words = [word for word in self.read_arguments(place + 1) if word.text[:1] != "!"]
        if last in EMPTIES:
            words = [join_paths([word, Word("*", glob=True)]) for word in words[:1]]
        paths = [Word(word.text, word.known, word.glob or "*" in word.text) for word in words[:8]]
        return [make_deletion(paths, tree=owner != "Deno" or self._is_recursive(place))] if paths else []

    def _read_file_call(self, place: int, last: str) -> list[CodeAct]:
        dialect = self.dialect
        if last in dialect.moves or last in dialect.copies:
            words = self.read_arguments(place + 1)
            return [CodeAct("argv", [Word("mv" if last in dialect.moves else "cp"), *words[:2]])] if words[1:] else []
        if last in dialect.tree or last in dialect.file:
            words = self._read_deleted(place)
            return [make_deletion(words[:8], last in dialect.tree or self._is_recursive(place))] if words else []
        if last in dialect.write:
            words = self.read_arguments(place + 1)
            return [CodeAct("write", words[:2])] if words else []
        if last in dialect.reads:
            words = self.read_arguments(place + 1)
            return [CodeAct("read", words[:1])] if words and "://" not in words[0].text else []
        if last not in dialect.opens:
            return []
        words = self.read_arguments(place + 1)
        # In Perl the first word is the handle, which is no file.
        return _read_open_call(words[1:] if dialect.name == "perl" and len(words) > 1 else words)

    def _read_deleted(self, place: int) -> list[Word]:
        if self.dialect.name == "perl":
            self.bind_modifier(place)
        words = self.read_arguments(place + 1)
        # Perl deletes `$_` where nothing is named.
        return words or (self.values.get("$_", []) if self.dialect.name == "perl" else [])

    def _is_recursive(self, place: int) -> bool:
        row = self.row[place : place + 20]
        return any(
            text == "recursive" and self.text_at(place + at + 2) not in FALSE_WORDS for at, (_, text) in enumerate(row)
        )

    def _read_shell_call(self, place: int) -> list[CodeAct]:
        words = self.read_arguments(place + 1)
        if not words:
            return []
        if len(words) > 1 and words == self.values.get(self.text_at(place + 2)):
            return [CodeAct("shell", [word]) for word in words]  # a name that takes each of them in turn
        if len(words) > 1 and all(word.known for word in words[:2]) and " " not in words[0].text:
            return [CodeAct("argv", words)]
        if not words[0].known and " " not in words[0].text:
            return [CodeAct("unknown", words[:1], origin=self._find_call_origin(place))]
        return [CodeAct("shell", words[:1])]

    def _read_program_call(self, place: int) -> list[CodeAct]:
        words = self.read_arguments(place + 1)[self.last_name_at(place) == "CommandContext" :]
        if len(words) == 1 and " " in words[0].text:
            return self._read_shell_call(place)
        named = next((at for at in range(place, place + 20) if self.text_at(at) == "args"), None)
        if named is not None and self.text_at(named + 2) == "[":  # `new Deno.Command("rm", {args: [...]})`
            words += self.read_arguments(named + 2)
        return [CodeAct("argv", words)] if words else []

    def _read_statement(self, place: int) -> CodeAct | None:
        """SQL that drops something, as a client would be given it."""
        text = self.text_at(place + 2) if self.text_at(place + 1) == "(" else self.text_at(place + 1)
        if not DROPS.match(text[1:]):
            return None
        held = [Word(":memory:")] if ":memory:" in self.code else []
        return CodeAct("argv", [Word("sqlite3"), *held, self.read_literal(text)])

    def _read_evaluated(self, place: int) -> list[CodeAct]:
        """Text that is run as code of the same language."""
        after = self.text_at(place + 1)
        if after in ("{", "=", ":", "do", ";", ""):
            return []  # a block, or a name of its own
        words = self.read_arguments(place + 1)
        last = self.last_name_at(place)
        code = words[-1 if last == "Function" else 0] if words else Word(last, known=False)
        if code.known and not (last == "source" and "://" in code.text):
            return (
                read_foreign_code(code.text, self.dialect, self.depth + 1).acts if self.depth < MAX_CODE_DEPTH else []
            )
        return [
            CodeAct(
                "unknown",
                [Word(code.text, known=False)],
                origin="fetched" if self._is_fetching else self._find_call_origin(place),
            )
        ]

    def _find_call_origin(self, place: int) -> str:
        """Where unknown code in a call comes from: what the call says, and the names in it."""
        end = self.find_end(place + 1, call=True)
        notes = [classify_origin(" ".join(text for _, text in self.row[place:end]))]
        notes += [self.notes.get(text, "") for _, text in self.row[place:end]]
        return "fetched" if "fetched" in notes else next(filter(None, notes), "")

    @computed_once
    def _is_fetching(self) -> bool:
        """Whether a one-liner contacts another machine: what it evaluates is then taken for the response."""
        return len(self.code) <= SHORT_CODE and fetches_remotely(self.code)

    def find_printed(self) -> str | None:
        """What the code prints, when it does nothing but print what is known."""
        place, lines = 0, []
        while place < len(self.row):
            if self.text_at(place) in (";", "{", "}", "BEGIN", "END"):
                place += 1
                continue
            way = self.dialect.prints.get(self.text_at(place))
            if way is None:
                return None
            closed = self.text_at(place + 1) == "("
            words, place = self.read_items(place + 1 + closed, place + CALL_SPAN, closed)
            place += closed
            if not words or not all(word.known and not word.glob for word in words):
                return None
            if place < len(self.row) and self.text_at(place) not in (";", "}"):
                return None
            lines.append(way[0].join(word.text for word in words) + way[1])
        return "".join(lines) if lines else None


def _read_command_literal(text: str) -> Word:
    return Word(text[1:-1] if text[0] == "`" else re.sub(r"^(?:%x|qx)\s*.|.$", "", text, flags=re.DOTALL))


def _read_open_call(words: list[Word]) -> list[CodeAct]:
    """`open(F, ">file")`, `open(F, ">", "file")`, `open("file", "w")`, `open("|cmd")`, and the same for reading."""
    texts = [word.text for word in words if word.known]
    for place, text in enumerate(texts):
        if text.startswith("|") or text.endswith("|"):
            return [CodeAct("shell", [Word(text.strip("| ") or " ".join(texts[place + 1 :]))])]
        if text[:1] in ("<", ">"):
            path = _behind_mode(words, text)
            return [CodeAct("write" if text[:1] == ">" else "read", [path])] if path else []
    if len(words) > 1 and words[1].known and MODE.fullmatch(words[1].text):
        return [CodeAct("write", words[:1])]
    return [CodeAct("read", [Word(texts[0])])] if texts and "://" not in texts[0] else []


def _behind_mode(words: list[Word], mode: str) -> Word | None:
    """The file behind `>` in the same text, or in the next, which may be worked out."""
    if path := mode.lstrip("<> "):
        return Word(path)
    place = next(place for place, word in enumerate(words) if word.text == mode)
    return words[place + 1] if place + 1 < len(words) else None
