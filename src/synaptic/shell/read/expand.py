"""Words as a command receives them: quotes removed, expansions made where their values are known."""

import re
from typing import TYPE_CHECKING

import msgspec

from synaptic.shell.read import value as values
from synaptic.shell.read.braces import expanded
from synaptic.shell.read.limits import MAX_BRACES, MAX_LITERAL
from synaptic.shell.read.script import Word
from synaptic.shell.read.syntax import Arithmetic, Elements, Output, Parameter, Part, Text, Token

if TYPE_CHECKING:
    from synaptic.shell.read.evaluate import Evaluation

SPLITS = re.compile(r"[*?\[ \t\n]")
GLOB = re.compile(r"[*?\[]")
DEFAULTS = {"IFS": " \t\n", "SHELL": "/bin/bash", "BASH": "/bin/bash", "0": "bash", "PATH": "/usr/bin:/bin"}
"""Values that hold in every shell unless the script says otherwise."""


class Piece(msgspec.Struct):
    """What one expansion yields."""

    text: str
    known: bool = True
    outputs: tuple[int, ...] = ()


class Field:
    """A word that is being put together."""

    __slots__ = ("glob", "known", "outputs", "started", "texts")

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.known = True
        self.glob = False
        self.started = False
        self.outputs: tuple[int, ...] = ()

    def add(self, text: str, quoted: bool) -> None:
        self.texts.append(text)
        self.started = self.started or quoted or bool(text)
        if not quoted and GLOB.search(text):
            self.glob = True

    def take(self, piece: Piece, quoted: bool) -> None:
        self.add(piece.text, quoted or not piece.known)
        self.known = self.known and piece.known
        if piece.outputs:
            self.outputs += piece.outputs

    def word(self) -> Word:
        return Word("".join(self.texts), self.known, self.glob, None, False, self.outputs)


def fields(shell: "Evaluation", token: Token) -> list[Word]:
    """The words that one written word becomes."""
    if token.text is not None:
        return [joined(shell, token)]
    plain = _plain(shell, token, split=True)
    if plain is not None:
        return [plain]
    found: list[Word] = []
    several = expanded(token.parts)
    # Too many words to list: an unknown word stands for the rest, so that no policy takes the list for complete.
    if several is None or len(several) > MAX_BRACES:
        word = joined(shell, token)
        found.append(msgspec.structs.replace(word, known=False))
    for parts in (several or [])[:MAX_BRACES]:
        found.extend(_split(shell, parts))
    if len(found) == 1 and token.span:
        return [msgspec.structs.replace(found[0], span=token.span, inner=token.inner)]
    return found


def _plain(shell: "Evaluation", token: Token, split: bool) -> Word | None:
    """The one word that text and plain variables make, as most do; None when there is more to it."""
    texts: list[str] = []
    known, volume, variables = True, 0, shell.variables
    outputs: tuple[int, ...] = ()
    for part in token.parts:
        if type(part) is Text:
            if not part.quoted and _special(part.text, not texts):
                return None
            texts.append(part.text)
            continue
        if type(part) is not Parameter or part.index or part.name in ("@", "*"):
            return None
        held: Piece | values.Value | None
        if part.operator:
            if not _pure(part):
                return None
            held = _one(shell, part, shell.lookup(part.name, ""))
        else:
            held = variables.get(part.name)
            if held is None or held.items is not None or part.name.isdigit():
                held = shell.lookup(part.name, "")
        if held is None:
            known, text = False, part.source
        else:
            known, text, outputs = known and held.known, held.text, outputs + held.outputs
            if split and held.known and not part.quoted and _splits(shell, text):
                return None
        volume += len(text)
        texts.append(text)
    if not texts:
        return None
    shell.budget.text(volume)
    return Word("".join(texts), known, False, token.span, token.inner if token.span or not split else False, outputs)


def _pure(part: Parameter) -> bool:
    """Whether an expansion changes nothing and runs nothing, so that it may be made twice."""
    operand = part.operand.parts if part.operand else []
    if part.operator == "text" or part.operator[0] == "!" or part.operator[-1] == "=":
        return False
    return all(type(one) is Text for one in operand)


def _special(text: str, first: bool) -> bool:
    return GLOB.search(text) is not None or "{" in text or (first and text[:1] == "~")


def _splits(shell: "Evaluation", text: str) -> bool:
    """Whether an unquoted value may be more or less than one word, or a pattern."""
    return not text or SPLITS.search(text) is not None or "IFS" in shell.variables


def joined(shell: "Evaluation", token: Token) -> Word:
    """The word without splitting, as in an assignment or a here-document."""
    text = token.text
    if text is not None:
        known = True
        if text[:1] == "~":
            text, known = _tilde(shell, text)
        return Word(text, known, "*" in text or "?" in text or "[" in text, token.span, token.inner)
    plain = _plain(shell, token, split=False)
    if plain is not None:
        return plain
    field = Field()
    for place, part in enumerate(token.parts):
        if isinstance(part, Text):
            text = part.text
            if place == 0 and not part.quoted and text[:1] == "~":
                text, field.known = _tilde(shell, text)
            field.add(text, part.quoted)
        else:
            pieces = pieces_of(shell, part)
            for number, piece in enumerate(pieces):
                if number:
                    field.add(" ", True)
                field.take(piece, True)
    return msgspec.structs.replace(field.word(), span=token.span, inner=token.inner)


def _split(shell: "Evaluation", parts: list[Part]) -> list[Word]:
    done: list[Word] = []
    field = Field()
    for place, part in enumerate(parts):
        if isinstance(part, Text):
            text = part.text
            if place == 0 and not part.quoted and text[:1] == "~":
                text, field.known = _tilde(shell, text)
            field.add(text, part.quoted)
            continue
        quoted = getattr(part, "quoted", False)
        for number, piece in enumerate(pieces_of(shell, part)):
            if number and field.started:
                done.append(field.word())
                field = Field()
            if quoted or not piece.known:
                field.take(piece, quoted)
            else:
                field = _scatter(shell, piece, field, done)
    if field.started or not field.known:
        done.append(field.word())
    return done


def _scatter(shell: "Evaluation", piece: Piece, field: Field, done: list[Word]) -> Field:
    """Word splitting of an unquoted expansion."""
    separators = shell.separators()
    chunks = re.split(f"[{re.escape(separators)}]+", piece.text) if separators else [piece.text]
    for number, chunk in enumerate(chunks):
        if number:
            if field.started:
                done.append(field.word())
            field = Field()
            shell.budget.step()
        if chunk:
            field.take(Piece(chunk, True, piece.outputs), False)
    return field


def _tilde(shell: "Evaluation", text: str) -> tuple[str, bool]:
    if text[:1] != "~":
        return text, True
    user, slash, rest = text[1:].partition("/")
    if user == "+":
        return (f"{shell.cwd}{slash}{rest}", True) if shell.cwd else (text, False)
    # The home of another user stays as it is written: no file is read here.
    if user:
        return text, True
    return (f"{shell.home}{slash}{rest}", True) if shell.home else (text, False)


def pieces_of(shell: "Evaluation", part: Part) -> list[Piece]:
    """What an expansion yields: one piece, or several for `"$@"` and arrays."""
    if isinstance(part, Parameter):
        pieces = _parameter(shell, part)
        shell.budget.text(sum(len(piece.text) for piece in pieces))
        return pieces
    if isinstance(part, Output):
        return [shell.substitute(part)]
    if isinstance(part, Arithmetic):
        # The number stays unknown, but what is substituted inside runs: `$(( $(rm x) ))`.
        joined(shell, part.operand)
        return [Piece(part.source, known=False)]
    if isinstance(part, Elements):
        for token in part.tokens:
            fields(shell, token)
        return [Piece(part.source, known=False)]
    return [Piece(part.text)]


def _parameter(shell: "Evaluation", part: Parameter) -> list[Piece]:
    if part.operator == "text" and part.operand:
        word = joined(shell, part.operand)
        return [Piece(word.text, word.known, word.outputs)]
    if part.operator[:1] == "!" and not part.index:
        return _indirect(shell, part)
    several = part.name in ("@", "*") or part.index in ("@", "*")
    if several and part.operator[:1] != "#":
        return _several(shell, part)
    return [_one(shell, part, shell.lookup(part.name, part.index))]


def _indirect(shell: "Evaluation", part: Parameter) -> list[Piece]:
    pointer = shell.lookup(part.name, "")
    target = shell.lookup(pointer.text, "") if pointer and pointer.known else None
    return [Piece(target.text, target.known, target.outputs) if target else Piece(part.source, known=False)]


def _several(shell: "Evaluation", part: Parameter) -> list[Piece]:
    items = shell.items(part.name)
    if items is None:
        return [Piece(part.source, known=False)]
    if part.name == "*" and part.quoted:
        return [Piece(" ".join(piece.text for piece in items), all(piece.known for piece in items))]
    return items or []


def _one(shell: "Evaluation", part: Parameter, held: values.Value | None) -> Piece:
    operator = part.operator
    if not operator:
        return Piece(held.text, held.known, held.outputs) if held else Piece(part.source, known=False)
    operand = joined(shell, part.operand) if part.operand else Word("")
    plain = operator.lstrip(":")
    if plain in ("-", "=", "+", "?") and operator != ":":
        return _default(shell, part, held, operand)
    if held is None or not held.known or not operand.known:
        return Piece(part.source, known=False)
    text = _changed(held.text, operator, operand.text)
    return Piece(part.source, known=False) if text is None else Piece(text[:MAX_LITERAL], True, held.outputs)


def _changed(text: str, operator: str, operand: str) -> str | None:
    if operator == "#" and not operand:
        return str(len(text))
    if operator[0] in "#%":
        return values.trimmed(text, operator, operand)
    if operator[0] == "/":
        return values.exchanged(text, operator, operand)
    if operator[0] in "^,":
        return values.cased(text, operator)
    return values.cut(text, operand) if operator == ":" else text


def _default(shell: "Evaluation", part: Parameter, held: values.Value | None, operand: Word) -> Piece:
    plain = part.operator[-1]
    empty = held is not None and held.known and not held.text and part.operator[0] == ":"
    if plain == "+":
        if held is None or not held.known:
            return Piece(operand.text, known=False)
        return Piece("") if empty else Piece(operand.text, operand.known, operand.outputs)
    if held is not None and not empty:
        return Piece(held.text, held.known, held.outputs)
    if plain == "?":
        return Piece(part.source, known=False)
    # The default is certain only for a variable that is known to be empty; an unset one may come from the
    # environment.
    known = operand.known and empty
    if plain == "=":
        shell.variables[part.name] = values.Value(operand.text, operand.known, operand.outputs)
    return Piece(operand.text, known, operand.outputs)
