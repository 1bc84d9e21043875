"""What names stand for in code that is read by tokens: calls by another name, and small functions of its own."""

import re
from itertools import islice

import msgspec

from synaptic.model.once import computed_once
from synaptic.shell.languages.dialects import Dialect
from synaptic.shell.languages.tokens import CALL_SPAN, MAX_TOKEN_STEPS, CodeTokens
from synaptic.shell.read.script import Word

FUNCTION = re.compile(r"=>|\b(?:function|def|func)\b")
DEFINES = frozenset({"function", "def", "func"})
RENAMES = re.compile(r"\b(\w{2,30})\s*(?::|\bas\b)\s*(\w{1,40})(?=[^{}()]{0,300}\}\s*(?:=|from\b))")
MODULES = frozenset({"child_process", "fs", "fs-extra", "rimraf", "del", "execa", "shelljs"})
DECLARING_WORDS = frozenset({"const", "let", "var"})
LOADS = frozenset({"require", "import"})
MAX_BODY = 120
"""Tokens of a function that is read again for what it is given."""
MAX_NESTED_CALLS = 3
MAX_HELPERS = 200
"""Functions of one piece of code."""
VALUES_END = frozenset({")", "]", "}"})
GOES_ON = frozenset({"of", "in", "instanceof", "as", "and", "or"})


class HelperFunction(msgspec.Struct, frozen=True):
    """A function that the code defines: its parameters, the last of which may take the rest, and where its body is."""

    parameters: tuple[str, ...]
    start: int
    end: int


class CodeNames(CodeTokens):
    """Knows other names of calls, and what functions of the code are given."""

    def __init__(self, code: str, dialect: Dialect) -> None:
        super().__init__(code, dialect)
        self.aliases: dict[str, str] = {}
        self.inside = 0
        if dialect.name == "javascript" and (":" in self.code or " as " in self.code):
            found = RENAMES.finditer(self.code)
            self.aliases = {one[2]: one[1] for one in found if one[1] in dialect.relevant_calls}

    @computed_once
    def helpers(self) -> dict[str, HelperFunction]:
        """Functions with parameters, wherever they are defined."""
        found: dict[str, HelperFunction] = {}
        if not FUNCTION.search(self.code):
            return found
        arrows = self.dialect.name == "javascript"
        places = (at for at, (_, text) in enumerate(self.row) if text in DEFINES or (arrows and text == ">"))
        for place in islice(places, MAX_HELPERS):
            if self.text_at(place) in DEFINES:
                self._add_definition(place, found)
            elif self.text_at(place - 1) == "=":
                self._add_arrow(place, found)
        return found

    def _add_definition(self, place: int, found: dict[str, HelperFunction]) -> None:
        """`function run(c) { ... }`, `const run = function (c) { ... }`, `def run(c) ... end`."""
        behind = self.text_at(place + 1) != "("
        opening = place + 1 + behind
        name = self.text_at(place + 1) if behind else self._find_function_name(place)
        closing = self._find_closing(opening) if self.text_at(opening) == "(" else None
        if not name or closing is None:
            return
        body = closing + 1
        # Ruby and Lua close a body with `end`, the others with a brace.
        if self.dialect.name not in ("ruby", "lua"):
            body = next((at for at in range(body, body + 10) if self.text_at(at) == "{"), body)
            end = self._find_closing(body)
        else:
            end = next((at for at in range(body, body + MAX_BODY) if self.text_at(at) == "end"), None)
        self._add_helper(found, name, (opening, closing), (body, end))

    def _add_arrow(self, place: int, found: dict[str, HelperFunction]) -> None:
        """`const run = (c) => ...`, `const run = async c => ...`."""
        closing = place - 2
        if self.text_at(closing - 1) == ":" or self.text_at(closing) == ">":  # the type of what it returns
            closing = next((at - 1 for at in range(closing, closing - 8, -1) if self.text_at(at) == ":"), closing)
        opening = self._find_opening(closing) if self.text_at(closing) == ")" else closing
        name = self._find_function_name(opening) if opening is not None else ""
        if not name or opening is None:
            return
        body = place + 1
        end = self._find_closing(body) if self.text_at(body) == "{" else self._find_expression_end(body)
        self._add_helper(found, name, (opening, closing), (body, end))

    def _add_helper(
        self, found: dict[str, HelperFunction], name: str, given: tuple[int, int], body: tuple[int, int | None]
    ) -> None:
        start, end = body
        parameters = self._read_parameters(*given)
        if parameters and end is not None and end - start <= MAX_BODY:
            found[name] = HelperFunction(parameters, start, end)

    def _find_function_name(self, place: int) -> str:
        """The name that a function at a place is given to."""
        place -= self.text_at(place - 1) == "async"
        return self.find_assigned_name(place - 2) if self.text_at(place - 1) == "=" else ""

    def find_assigned_name(self, place: int) -> str:
        """The name that stands before `=`; in `const x: string =` it stands before its type."""
        if self.text_at(place - 1) == ":" and self.text_at(place - 3) in DECLARING_WORDS:
            return self.text_at(place - 2)
        return self.text_at(place)

    def _read_parameters(self, opening: int, closing: int) -> tuple[str, ...]:
        if opening == closing:
            return (self.text_at(opening),)
        found: list[str] = []
        for start, end in self._split_at_commas(opening + 1, closing):
            names = [text for kind, text in self.row[start:end] if kind == "name"]
            chosen = next((name for name in names if name[:1] == "$"), names[0] if names else "")
            found.append(f"...{chosen}" if self.text_at(start) in (".", "*") else chosen)
        return tuple(found)

    def _split_at_commas(self, start: int, end: int) -> list[tuple[int, int]]:
        """What stands between the commas of a list."""
        found: list[tuple[int, int]] = []
        depth, since = 0, start
        for at in range(start, end):
            text = self.text_at(at)
            depth += (text in ("(", "{", "[")) - (text in VALUES_END)
            if text == "," and not depth:
                found.append((since, at))
                since = at + 1
        return [*found, (since, end)] if since < end else found

    def _find_closing(self, place: int) -> int | None:
        """Where the bracket at a place is closed."""
        depth = 0
        for at in range(place, min(place + MAX_BODY + 1, len(self.row))):
            text = self.text_at(at)
            depth += (text in ("(", "{", "[")) - (text in VALUES_END)
            if depth <= 0:
                return at if at > place else None
        return None

    def _find_opening(self, place: int) -> int | None:
        depth = 0
        for at in range(place, max(place - CALL_SPAN, -1), -1):
            text = self.text_at(at)
            depth += (text in VALUES_END) - (text in ("(", "{", "["))
            if not depth:
                return at
        return None

    def _find_expression_end(self, place: int) -> int:
        """Where an expression ends: lines may end without a semicolon, so a value behind a value is the next."""
        depth = 0
        for at in range(place, min(place + MAX_BODY, len(self.row))):
            kind, text = self.row[at]
            fresh = kind == "name" and at > place and text not in GOES_ON
            if not depth and (text in (";", ",") or (fresh and self._is_value(at - 1))):
                return at
            depth += (text in ("(", "{", "[")) - (text in VALUES_END)
            if depth < 0:
                return at
        return min(place + MAX_BODY, len(self.row))

    def _is_value(self, place: int) -> bool:
        return self.row[place][0] == "string" or self.text_at(place) in VALUES_END

    def match_helper_call(self, place: int) -> tuple[HelperFunction, dict[str, list[Word]]] | None:
        """The function that is called at a place, and what its parameters stand for in this call."""
        helper = self.helpers.get(self.text_at(place)) if self.text_at(place + 1) == "(" else None
        if (
            helper is None
            or self.text_at(place - 1) in DEFINES | {"."}
            or self.inside >= MAX_NESTED_CALLS
            # Helpers that are read again may use half of the steps; the rest is for the code that follows.
            or self.left < MAX_TOKEN_STEPS // 2
        ):
            return None
        closing = self._find_closing(place + 1)
        pieces = self._split_at_commas(place + 2, closing) if closing else []
        words = [self.read_items(start, end, closed=True)[0] for start, end in pieces]
        given: dict[str, list[Word]] = {}
        for at, name in enumerate(helper.parameters):
            rest = name.startswith("...")
            taken = words[at:] if rest else words[at : at + 1]
            given[name.lstrip(".")] = [word for piece in taken for word in piece]
        return (helper, given) if any(word.known for piece in words for word in piece) else None

    def note_alias(self, place: int) -> None:
        """Note that a name is given a call or a module: `x = cp.execSync`, `x = require("rimraf")`."""
        name = self.find_assigned_name(place)
        self.aliases.pop(name, None)
        if name != self.text_at(place) and self.text_at(place) in self.values:
            self.values[name] = self.values.pop(self.text_at(place))
        if self.dialect.name == "javascript" and (meant := self._find_callee(place + 2)):
            self.aliases[name] = meant

    def _find_callee(self, place: int) -> str:
        place += self.text_at(place) == "await"
        module = self.find_module(place)
        if module == "util" and self.text_at(place + 5) == "promisify":
            place += 5
        if self.text_at(place + 1) == "(" and self.text_at(place).endswith("promisify"):
            place += 2
            module = self.find_module(place)
        if module and module in MODULES:
            if self.text_at(place + 4) == ".":
                return f"{module}.{self.text_at(place + 5)}" if self.text_at(place + 6) != "(" else ""
            return module if self.text_at(place + 4) != "(" else ""
        if (
            self.text_at(place + 1) in ("(", "[", ".", "=", ":")
            or self.last_name_at(place) not in self.dialect.relevant_calls
        ):
            return ""
        return self.resolve_alias(self.text_at(place)) if self.row[place][0] == "name" else ""

    def find_module(self, place: int) -> str:
        """The module that is loaded at a place; empty when none is."""
        if self.text_at(place) not in LOADS or self.text_at(place + 1) != "(" or self.text_at(place + 3) != ")":
            return ""
        return self.text_at(place + 2)[1:-1].removeprefix("node:").removesuffix("/promises")

    def resolve_alias(self, text: str) -> str:
        """A name with its alias resolved."""
        if not self.aliases:
            return text
        root, dot, behind = text.partition(".")
        return f"{self.aliases[root]}{dot}{behind}" if root in self.aliases else text
