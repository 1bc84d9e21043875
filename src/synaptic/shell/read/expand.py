"""Words as a command receives them: quotes removed, expansions made where their values are known."""

import re
from typing import TYPE_CHECKING

import msgspec

from synaptic.shell.read import value as values
from synaptic.shell.read import zsh
from synaptic.shell.read.arithmetic import compute_number, follow_formula, has_substitution
from synaptic.shell.read.braces import expand_braces
from synaptic.shell.read.limits import MAX_BRACES, MAX_LITERAL
from synaptic.shell.read.operators import apply_operator, read_range, slice_items
from synaptic.shell.read.script import Word
from synaptic.shell.read.syntax import (
    Arithmetic,
    ArrayElements,
    CommandOutput,
    FlaggedParameter,
    LiteralText,
    Parameter,
    Part,
    WordToken,
)
from synaptic.shell.read.value import ExpansionPiece

if TYPE_CHECKING:
    from synaptic.shell.read.evaluate import Evaluation

SPLITTING_SIGN = re.compile(r"[*?\[ \t\n]")
GLOB_LETTER = re.compile(r"[*?\[]")
COMMAND_TABLE = "commands"
"""The table in which zsh keeps where programs are."""
GAP_IN_NAME = re.compile(r"[A-Za-z-]{1,12}")
"""Letters around a variable that nobody sets: `gi${x}t` is `git`."""


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
        self.glob = self.glob or piece.glob
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
    several = expand_braces(zsh.take_trailing(token.parts) if shell.counts_from_one else token.parts)
    if several is not None and len(several) > 1 and not shell.budget.count_words(min(len(several), MAX_BRACES)):
        several = None
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
    if shell.counts_from_one:
        return None
    texts: list[str] = []
    known, glob, volume, variables = True, False, 0, shell.variables
    outputs: tuple[int, ...] = ()
    for place, part in enumerate(token.parts):
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
            if _is_empty_gap(shell, token.parts, place):
                continue
            known, text = False, part.source
        else:
            known, text, outputs = known and held.known, held.text, outputs + held.outputs
            glob = glob or held.glob
            if split and held.known and not part.quoted and _may_split(shell, text):
                return None
        volume += len(text)
        texts.append(text)
    if not texts:
        return None
    if volume:
        shell.budget.count_text(volume)
    return Word("".join(texts), known, glob, token.span, token.inner if token.span or not split else False, outputs)


def _is_empty_gap(shell: "Evaluation", parts: list[Part], place: int) -> bool:
    """Whether a variable without a value stands inside a name that it is meant to break up: `g$9it`, `gi${x}t`."""
    part = parts[place]
    if type(part) is not Parameter or part.operator or part.index or len(parts) == 1:
        return False
    # A command line has no arguments of its own.
    if part.name in ("@", "*") or (part.name.isdigit() and part.name != "0"):
        return shell.arguments is None
    before, after = parts[place - 1] if place else None, parts[place + 1] if place + 1 < len(parts) else None
    return all(type(one) is LiteralText and GAP_IN_NAME.fullmatch(one.text) is not None for one in (before, after))


def _is_pure(part: Parameter) -> bool:
    """Whether an expansion changes nothing and runs nothing, so that it may be made twice."""
    operand = part.operand.parts if part.operand else []
    if part.operator == "text" or part.operator[0] == "!" or part.operator[-1] == "=" or part.operator in ("@", ":"):
        return False
    return all(type(one) is LiteralText for one in operand)


def _has_special(text: str, first: bool) -> bool:
    return "*" in text or "?" in text or "[" in text or "{" in text or (first and text[:1] == "~")


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
        elif not _is_empty_gap(shell, token.parts, place) or _is_set(shell, part):
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
        if _is_empty_gap(shell, parts, place) and not _is_set(shell, part):
            continue
        # zsh does not split values.
        quoted = getattr(part, "quoted", False) or type(part) is FlaggedParameter
        pieces = expand_part(shell, part)
        # As in bash, `"$@"` without arguments is no word at all.
        if not pieces and quoted and not any(isinstance(one, LiteralText) and one.text for one in parts):
            field.started = False
        for number, piece in enumerate(pieces):
            if number and field.started:
                done.append(field.build())
                field = WordBuilder()
            if quoted or not piece.known or shell.counts_from_one:
                field.add_piece(piece, quoted)
            else:
                field = _split_fields(shell, piece, field, done)
    if field.started or not field.known:
        done.append(field.build())
    return done


def _is_set(shell: "Evaluation", part: Part) -> bool:
    return type(part) is Parameter and shell.lookup(part.name, "") is not None


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
    if isinstance(part, FlaggedParameter):
        pieces = _expand_flagged(shell, part)
        shell.budget.count_text(sum(len(piece.text) for piece in pieces))
        return pieces
    if isinstance(part, Arithmetic):
        return [_expand_arithmetic(shell, part)]
    if isinstance(part, ArrayElements):
        for token in part.tokens:
            expand_word(shell, token)
        return [ExpansionPiece(part.source, known=False)]
    return [ExpansionPiece(part.text)]


def _expand_arithmetic(shell: "Evaluation", part: Arithmetic) -> ExpansionPiece:
    """`$((...))`: its value when that is known; what is substituted inside runs, and so does what variables hold."""
    word = expand_unsplit(shell, part.operand)
    if word.known:
        follow_formula(shell, word.text)
    number = compute_number(shell, word.text) if word.known else None
    return ExpansionPiece(part.source, known=False) if number is None else ExpansionPiece(str(number))


def _expand_parameter(shell: "Evaluation", part: Parameter) -> list[ExpansionPiece]:
    if part.operator == "text" and part.operand:
        word = expand_unsplit(shell, part.operand)
        return [ExpansionPiece(word.text, word.known, word.outputs)]
    if part.name == COMMAND_TABLE and part.index.isalnum() and COMMAND_TABLE not in shell.variables:
        return [ExpansionPiece(part.index)]
    index = expand_index(shell, part.name, part.index) if part.index else ""
    if index and part.name == zsh.FILE_TABLE and not index.isdigit():
        zsh.note_mapped_file(shell, "<", index)
    several = part.name in ("@", "*") or index in ("@", "*")
    if part.operator[:1] == "!":
        return _list_keys(shell, part) if several else _expand_indirect(shell, part, index)
    if several:
        return _expand_array(shell, part)
    if "," in index and (items := shell.list_items(part.name)) and len(items) > 1:
        return zsh.pick_items(items, index, array=True)
    if shell.counts_from_one and not part.quoted and not index:
        held = shell.find_variable(part.name)
        if held is not None and held.items is not None:
            return _expand_array(shell, part)
    return [_expand_single(shell, part, shell.lookup(part.name, index))]


def expand_index(shell: "Evaluation", name: str, index: str) -> str:
    """The key that a subscript names; what it substitutes runs."""
    if index in ("@", "*") or index.isdigit():
        return index
    held = shell.find_variable(name)
    keyed = held is not None and "A" in held.traits
    if "$" in index or has_substitution(index):
        word = shell.expand_text(index, "subscript")
        if not word.known:
            return index
        index = word.text
    if keyed or (held is not None and held.keys is not None and index in held.keys):
        return index.strip("'\"")
    follow_formula(shell, index)
    number = compute_number(shell, index)
    return index.strip("'\"") if number is None else str(number)


def _expand_indirect(shell: "Evaluation", part: Parameter, index: str) -> list[ExpansionPiece]:
    """`${!x}`: the variable that x names; `${!x*}`: the names that begin so."""
    start = part.operand.parts[0] if part.operand and part.operand.parts else None
    if type(start) is LiteralText and start.text in ("*", "@"):
        return [
            ExpansionPiece(name) for name in sorted({*shell.variables, "HOME", "PWD"}) if name.startswith(part.name)
        ]
    pointer = shell.lookup("#" if part.name == "#" else part.name, index)
    if pointer is None or not pointer.known:
        return [ExpansionPiece(part.source, known=False)]
    name, _, key = pointer.text.partition("[")
    if has_substitution(key):
        shell.expand_text(key, "subscript")
    if key in ("@]", "*]"):
        return shell.list_items(name) or [ExpansionPiece(part.source, known=False)]
    target = shell.lookup_reference(pointer.text)
    return [
        ExpansionPiece(target.text, target.known, target.outputs)
        if target
        else ExpansionPiece(part.source, known=False)
    ]


def _list_keys(shell: "Evaluation", part: Parameter) -> list[ExpansionPiece]:
    held = shell.find_variable(part.name)
    if held is None or held.items is None:
        return [ExpansionPiece(part.source, known=False)]
    keys = held.keys if held.keys is not None else tuple(map(str, range(len(held.items))))
    return [ExpansionPiece(key, held.known) for key in keys]


def _expand_array(shell: "Evaluation", part: Parameter) -> list[ExpansionPiece]:
    items = shell.list_items(part.name)
    if items is None:
        return [ExpansionPiece(part.source, known=False)]
    if part.operator:
        if part.operator == "#" and not (part.operand and part.operand.parts):
            return [ExpansionPiece(str(len(items)))]
        items = _operate_on_items(shell, part, items)
    if "*" in (part.name, part.index) and part.quoted:
        mark = shell.get_separators()[:1]
        return [ExpansionPiece(mark.join(piece.text for piece in items), all(piece.known for piece in items))]
    return items or []


def _operate_on_items(shell: "Evaluation", part: Parameter, items: list[ExpansionPiece]) -> list[ExpansionPiece]:
    """An operator behind an array or `$@`: a slice of it, or the same change of every element."""
    operand = expand_unsplit(shell, part.operand) if part.operand else Word("")
    if part.operator == ":":
        wanted = read_range(shell, operand.text) if operand.known else None
        if wanted is None:
            return zsh.modify(items, operand.text) or items
        if part.name in ("@", "*"):
            held = shell.lookup("0", "")
            items = [ExpansionPiece(held.text if held else "bash"), *items]
        return slice_items(items, *wanted)
    if part.operator[-1] in "-=+?" and part.operator != "/":
        return [_apply_default(shell, part, None, operand)] if not items or part.operator[-1] == "+" else items
    return [_operate(shell, part, values.VariableValue(one.text, one.known, one.outputs), operand) for one in items]


def _expand_flagged(shell: "Evaluation", part: FlaggedParameter) -> list[ExpansionPiece]:
    """`${(flags)x}`: the value, what a subscript leaves of it, an operator, then the flags."""
    array = False
    if part.name == COMMAND_TABLE and part.index:
        return [ExpansionPiece(part.index)]
    if part.inner is not None:
        pieces = [piece for one in part.inner for piece in expand_part(shell, one)]
    elif part.name:
        held = shell.find_variable(part.name)
        array = part.name in ("@", "*") or (held is not None and held.items is not None)
        pieces = _read_flagged_value(shell, part, array)
    else:
        pieces = [ExpansionPiece("")]
    index = expand_index(shell, part.name, part.index) if part.index and not array else part.index
    if index and part.name == zsh.FILE_TABLE and not index.isdigit():
        zsh.note_mapped_file(shell, "<", index)
    pieces = zsh.pick_items(pieces, index, array or len(pieces) > 1)
    if part.operator and part.operand is not None:
        pieces = _operate_on_flagged(shell, part, pieces)
    return zsh.apply_flags(shell, pieces, part.flags) if part.flags else pieces


def _read_flagged_value(shell: "Evaluation", part: FlaggedParameter, array: bool) -> list[ExpansionPiece]:
    held = shell.find_variable(part.name)
    if array and held is not None and held.keys is not None:
        if part.index in held.keys:
            return [ExpansionPiece(held.items[held.keys.index(part.index)])] if held.items else []
        if "k" in part.flags:
            return [ExpansionPiece(key) for key in held.keys]
    if array:
        return shell.list_items(part.name) or []
    found = shell.lookup(part.name, "")
    return [ExpansionPiece(found.text, found.known, found.outputs) if found else ExpansionPiece(part.source, False)]


def _operate_on_flagged(
    shell: "Evaluation", part: FlaggedParameter, pieces: list[ExpansionPiece]
) -> list[ExpansionPiece]:
    plain = Parameter(part.name, part.source, part.quoted, part.operator, part.operand)
    operand = expand_unsplit(shell, part.operand) if part.operand else Word("")
    if part.operator == ":" and operand.text[:1] == "#":
        return [piece for piece in pieces if piece.text != operand.text[1:]]
    if part.operator[-1] in "-=" and part.operator not in ("/",):
        empty = all(not piece.text for piece in pieces) or not any(piece.known for piece in pieces)
        text, known = operand.text, operand.known
        if text[:1] == "~":
            text, known = _expand_tilde(shell, text)
        return [ExpansionPiece(text, known, operand.outputs)] if empty else pieces
    if len(pieces) > 1 and part.operator == ":":
        return _operate_on_items(shell, plain, pieces)
    return [_operate(shell, plain, values.VariableValue(one.text, one.known, one.outputs), operand) for one in pieces]


def _expand_single(shell: "Evaluation", part: Parameter, held: values.VariableValue | None) -> ExpansionPiece:
    operator = part.operator
    if not operator:
        if held is None:
            return ExpansionPiece(part.source, known=False)
        return ExpansionPiece(held.text, held.known, held.outputs, held.glob)
    operand = expand_unsplit(shell, part.operand) if part.operand else Word("")
    plain = operator.lstrip(":")
    if plain in ("-", "=", "+", "?") and operator != ":":
        return _apply_default(shell, part, held, operand)
    return _operate(shell, part, held, operand)


def _operate(shell: "Evaluation", part: Parameter, held: values.VariableValue | None, operand: Word) -> ExpansionPiece:
    if part.operator == ":" and (held is None or not held.known) and operand.known:
        read_range(shell, operand.text)  # its formulas are computed all the same
    if held is None or not held.known or not operand.known:
        return ExpansionPiece(part.source, known=False)
    text = apply_operator(shell, held.text, part.operator, operand.text)
    return (
        ExpansionPiece(part.source, known=False)
        if text is None
        else ExpansionPiece(text[:MAX_LITERAL], True, held.outputs)
    )


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
