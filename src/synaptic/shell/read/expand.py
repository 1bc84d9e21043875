"""Words as a command receives them: quotes removed, expansions made where their values are known."""

import re
from typing import TYPE_CHECKING

import msgspec

from synaptic.shell.read import value as values
from synaptic.shell.read.braces import expand_braces
from synaptic.shell.read.limits import MAX_BRACES, MAX_LITERAL
from synaptic.shell.read.script import Word
from synaptic.shell.read.syntax import Arithmetic, ArrayElements, CommandOutput, LiteralText, Parameter, Part, WordToken

if TYPE_CHECKING:
    from synaptic.shell.read.evaluate import Evaluation

SPLITTING_SIGN = re.compile(r"[*?\[ \t\n]")
GLOB_LETTER = re.compile(r"[*?\[]")
DEFAULT_VARIABLES = {"IFS": " \t\n", "SHELL": "/bin/bash", "BASH": "/bin/bash", "0": "bash", "PATH": "/usr/bin:/bin"}
"""Values that hold in every shell unless the script says otherwise."""


class ExpansionPiece(msgspec.Struct):
    """What one expansion yields."""

    text: str
    known: bool = True
    outputs: tuple[int, ...] = ()


class WordBuilder:
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
        if not quoted and GLOB_LETTER.search(text):
            self.glob = True

    def add_piece(self, piece: ExpansionPiece, quoted: bool) -> None:
        self.add(piece.text, quoted or not piece.known)
        self.known = self.known and piece.known
        if piece.outputs:
            self.outputs += piece.outputs

    def build(self) -> Word:
        return Word("".join(self.texts), self.known, self.glob, None, False, self.outputs)


def expand_word(shell: "Evaluation", token: WordToken) -> list[Word]:
    """The words that one written word becomes."""
    if token.text is not None:
        return [expand_unsplit(shell, token)]
    plain = _expand_plain(shell, token, split=True)
    if plain is not None:
        return [plain]
    found: list[Word] = []
    several = expand_braces(token.parts)
    # Too many words to list: an unknown word stands for the rest, so that no policy takes the list for complete.
    if several is None or len(several) > MAX_BRACES:
        word = expand_unsplit(shell, token)
        found.append(msgspec.structs.replace(word, known=False))
    for parts in (several or [])[:MAX_BRACES]:
        found.extend(_expand_split(shell, parts))
    if len(found) == 1 and token.span:
        return [msgspec.structs.replace(found[0], span=token.span, inner=token.inner)]
    return found


def _expand_plain(shell: "Evaluation", token: WordToken, split: bool) -> Word | None:
    """The one word that text and plain variables make, as most do; None when there is more to it."""
    texts: list[str] = []
    known, volume, variables = True, 0, shell.variables
    outputs: tuple[int, ...] = ()
    for part in token.parts:
        if type(part) is LiteralText:
            if not part.quoted and _has_special(part.text, not texts):
                return None
            texts.append(part.text)
            continue
        if type(part) is not Parameter or part.index or part.name in ("@", "*"):
            return None
        held: ExpansionPiece | values.VariableValue | None
        if part.operator:
            if not _is_pure(part):
                return None
            held = _expand_single(shell, part, shell.lookup(part.name, ""))
        else:
            held = variables.get(part.name)
            if held is None or held.items is not None or part.name.isdigit():
                held = shell.lookup(part.name, "")
        if held is None:
            known, text = False, part.source
        else:
            known, text, outputs = known and held.known, held.text, outputs + held.outputs
            if split and held.known and not part.quoted and _may_split(shell, text):
                return None
        volume += len(text)
        texts.append(text)
    if not texts:
        return None
    shell.budget.count_text(volume)
    return Word("".join(texts), known, False, token.span, token.inner if token.span or not split else False, outputs)


def _is_pure(part: Parameter) -> bool:
    """Whether an expansion changes nothing and runs nothing, so that it may be made twice."""
    operand = part.operand.parts if part.operand else []
    if part.operator == "text" or part.operator[0] == "!" or part.operator[-1] == "=":
        return False
    return all(type(one) is LiteralText for one in operand)


def _has_special(text: str, first: bool) -> bool:
    return GLOB_LETTER.search(text) is not None or "{" in text or (first and text[:1] == "~")


def _may_split(shell: "Evaluation", text: str) -> bool:
    """Whether an unquoted value may be more or less than one word, or a pattern."""
    return not text or SPLITTING_SIGN.search(text) is not None or "IFS" in shell.variables


def expand_unsplit(shell: "Evaluation", token: WordToken) -> Word:
    """The word without splitting, as in an assignment or a here-document."""
    text = token.text
    if text is not None:
        known = True
        if text[:1] == "~":
            text, known = _expand_tilde(shell, text)
        return Word(text, known, "*" in text or "?" in text or "[" in text, token.span, token.inner)
    plain = _expand_plain(shell, token, split=False)
    if plain is not None:
        return plain
    field = WordBuilder()
    for place, part in enumerate(token.parts):
        if isinstance(part, LiteralText):
            text = part.text
            if place == 0 and not part.quoted and text[:1] == "~":
                text, field.known = _expand_tilde(shell, text)
            field.add(text, part.quoted)
        else:
            pieces = expand_part(shell, part)
            for number, piece in enumerate(pieces):
                if number:
                    field.add(" ", True)
                field.add_piece(piece, True)
    return msgspec.structs.replace(field.build(), span=token.span, inner=token.inner)


def _expand_split(shell: "Evaluation", parts: list[Part]) -> list[Word]:
    done: list[Word] = []
    field = WordBuilder()
    for place, part in enumerate(parts):
        if isinstance(part, LiteralText):
            text = part.text
            if place == 0 and not part.quoted and text[:1] == "~":
                text, field.known = _expand_tilde(shell, text)
            field.add(text, part.quoted)
            continue
        quoted = getattr(part, "quoted", False)
        for number, piece in enumerate(expand_part(shell, part)):
            if number and field.started:
                done.append(field.build())
                field = WordBuilder()
            if quoted or not piece.known:
                field.add_piece(piece, quoted)
            else:
                field = _split_fields(shell, piece, field, done)
    if field.started or not field.known:
        done.append(field.build())
    return done


def _split_fields(shell: "Evaluation", piece: ExpansionPiece, field: WordBuilder, done: list[Word]) -> WordBuilder:
    """Word splitting of an unquoted expansion."""
    separators = shell.get_separators()
    chunks = re.split(f"[{re.escape(separators)}]+", piece.text) if separators else [piece.text]
    for number, chunk in enumerate(chunks):
        if number:
            if field.started:
                done.append(field.build())
            field = WordBuilder()
            shell.budget.count_step()
        if chunk:
            field.add_piece(ExpansionPiece(chunk, True, piece.outputs), False)
    return field


def _expand_tilde(shell: "Evaluation", text: str) -> tuple[str, bool]:
    if text[:1] != "~":
        return text, True
    user, slash, rest = text[1:].partition("/")
    if user == "+":
        return (f"{shell.cwd}{slash}{rest}", True) if shell.cwd else (text, False)
    # The home of another user stays as it is written: no file is read here.
    if user:
        return text, True
    return (f"{shell.home}{slash}{rest}", True) if shell.home else (text, False)


def expand_part(shell: "Evaluation", part: Part) -> list[ExpansionPiece]:
    """What an expansion yields: one piece, or several for `"$@"` and arrays."""
    if isinstance(part, Parameter):
        pieces = _expand_parameter(shell, part)
        shell.budget.count_text(sum(len(piece.text) for piece in pieces))
        return pieces
    if isinstance(part, CommandOutput):
        return [shell.substitute(part)]
    if isinstance(part, Arithmetic):
        # The number stays unknown, but what is substituted inside runs: `$(( $(rm x) ))`.
        expand_unsplit(shell, part.operand)
        return [ExpansionPiece(part.source, known=False)]
    if isinstance(part, ArrayElements):
        for token in part.tokens:
            expand_word(shell, token)
        return [ExpansionPiece(part.source, known=False)]
    return [ExpansionPiece(part.text)]


def _expand_parameter(shell: "Evaluation", part: Parameter) -> list[ExpansionPiece]:
    if part.operator == "text" and part.operand:
        word = expand_unsplit(shell, part.operand)
        return [ExpansionPiece(word.text, word.known, word.outputs)]
    if part.operator[:1] == "!" and not part.index:
        return _expand_indirect(shell, part)
    several = part.name in ("@", "*") or part.index in ("@", "*")
    if several and part.operator[:1] != "#":
        return _expand_array(shell, part)
    return [_expand_single(shell, part, shell.lookup(part.name, part.index))]


def _expand_indirect(shell: "Evaluation", part: Parameter) -> list[ExpansionPiece]:
    pointer = shell.lookup(part.name, "")
    target = shell.lookup(pointer.text, "") if pointer and pointer.known else None
    return [
        ExpansionPiece(target.text, target.known, target.outputs)
        if target
        else ExpansionPiece(part.source, known=False)
    ]


def _expand_array(shell: "Evaluation", part: Parameter) -> list[ExpansionPiece]:
    items = shell.list_items(part.name)
    if items is None:
        return [ExpansionPiece(part.source, known=False)]
    if part.name == "*" and part.quoted:
        return [ExpansionPiece(" ".join(piece.text for piece in items), all(piece.known for piece in items))]
    return items or []


def _expand_single(shell: "Evaluation", part: Parameter, held: values.VariableValue | None) -> ExpansionPiece:
    operator = part.operator
    if not operator:
        return ExpansionPiece(held.text, held.known, held.outputs) if held else ExpansionPiece(part.source, known=False)
    operand = expand_unsplit(shell, part.operand) if part.operand else Word("")
    plain = operator.lstrip(":")
    if plain in ("-", "=", "+", "?") and operator != ":":
        return _apply_default(shell, part, held, operand)
    if held is None or not held.known or not operand.known:
        return ExpansionPiece(part.source, known=False)
    text = _apply_operator(held.text, operator, operand.text)
    return (
        ExpansionPiece(part.source, known=False)
        if text is None
        else ExpansionPiece(text[:MAX_LITERAL], True, held.outputs)
    )


def _apply_operator(text: str, operator: str, operand: str) -> str | None:
    if operator == "#" and not operand:
        return str(len(text))
    if operator[0] in "#%":
        return values.trim_value(text, operator, operand)
    if operator[0] == "/":
        return values.replace_in_value(text, operator, operand)
    if operator[0] in "^,":
        return values.change_case(text, operator)
    return values.slice_value(text, operand) if operator == ":" else text


def _apply_default(
    shell: "Evaluation", part: Parameter, held: values.VariableValue | None, operand: Word
) -> ExpansionPiece:
    plain = part.operator[-1]
    empty = held is not None and held.known and not held.text and part.operator[0] == ":"
    if plain == "+":
        if held is None or not held.known:
            return ExpansionPiece(operand.text, known=False)
        return ExpansionPiece("") if empty else ExpansionPiece(operand.text, operand.known, operand.outputs)
    if held is not None and not empty:
        return ExpansionPiece(held.text, held.known, held.outputs)
    if plain == "?":
        return ExpansionPiece(part.source, known=False)
    # The default is certain only for a variable that is known to be empty; an unset one may come from the
    # environment.
    known = operand.known and empty
    if plain == "=":
        shell.variables[part.name] = values.VariableValue(operand.text, operand.known, operand.outputs)
    return ExpansionPiece(operand.text, known, operand.outputs)
