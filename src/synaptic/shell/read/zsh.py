"""Expansions that only zsh has: `${(flags)x}`, `${=x}`, `${${x}#y}`, `$x[1]`, `$x:t`."""

import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from synaptic.shell.names import split_names
from synaptic.shell.read import syntax
from synaptic.shell.read.operators import modify_path
from synaptic.shell.read.quoting import decode_escapes
from synaptic.shell.read.script import Redirect, Word
from synaptic.shell.read.state import CommandCall
from synaptic.shell.read.value import ExpansionPiece
from synaptic.shell.read.writing import quote_word

if TYPE_CHECKING:
    from synaptic.shell.read.evaluate import Evaluation

FLAG = re.compile(r"([sjlrgIZ])(?:[({\[<]([^)}\]>]*)[)}\]>]|([^\w({\[<])(.*?)\3)|(.)", re.DOTALL)
"""A letter with what it is given between two marks, or a letter alone."""
QUOTED_OR_PLAIN = re.compile(r"(?:'[^']*'|\"[^\"]*\"|\\.|[^\s'\"\\])+", re.DOTALL)
QUOTES = re.compile(r"['\"\\]")
RANGE = re.compile(r"(-?\d+)(?:,(-?\d+))?")
TRAILING = re.compile(r"\[([^\]\s]{1,40})\]|((?::(?:[htrelu]|g?s(.)[^/]*?\3[^/]*?\3?))++)(?=$|/)")
"""What may stand directly behind `$x`: a subscript, or letters that change a path."""
FILE_TABLE = "mapfile"
MAPPED_FILE = re.compile(r"\$\{?(?:\([^)]*\))?mapfile\[([^\]\n]{1,4000})\]")
CODE_READERS = split_names("sh bash zsh dash ksh trap emulate")
"""Programs for which it matters that zsh keeps a variable one word."""
WORD_SUBSCRIPT = re.compile(r"\(w\)(-?\d+)")


TEXT_FLAGS: dict[str, Callable[[str], str]] = {
    "L": str.lower,
    "U": str.upper,
    "C": str.title,
    "Q": lambda text: QUOTES.sub("", text),
    "q": quote_word,
    "g": decode_escapes,
    "#": lambda text: chr(int(text)) if text.isdigit() and len(text) < 6 else text,
}
"""Flags that change every piece by itself."""


def note_mapped_file(shell: "Evaluation", operator: str, path: str, text: str = "") -> None:
    """`mapfile[path]` of zsh is what that file holds: reading it reads the file, and setting it writes the file."""
    redirect = Redirect(operator, Word(path), cwd=shell.cwd, via=shell.via)
    shell.redirects.append(redirect)
    call = CommandCall([Word(":")], ":", redirects=(redirect,))
    if not text:
        shell.emit(call)
        return
    with shell.nest_under(FILE_TABLE):
        shell.emit(call)


def note_mapped_reads(shell: "Evaluation", words: Iterable[Word]) -> None:
    """Files that a command is given by `$mapfile[path]`, without braces."""
    for word in words:
        for path in () if word.known else MAPPED_FILE.findall(word.text):
            note_mapped_file(shell, "<", path)


def read_flags(flags: str) -> list[tuple[str, str]]:
    """The letters of `(...)` with what they are given."""
    return [(letter or plain, bracketed or given) for letter, bracketed, _, given, plain in FLAG.findall(flags)]


def apply_flags(shell: "Evaluation", pieces: list[ExpansionPiece], flags: str) -> list[ExpansionPiece]:
    """The pieces as the flags change them."""
    given = read_flags(flags)
    escaped = any(letter == "p" for letter, _ in given)
    for letter, text in sorted(given, key=lambda flag: "PkvLUCQqeg%#joOausfzw=".find(flag[0])):
        argument = decode_escapes(text) if escaped else text
        pieces = _apply_flag(shell, pieces, letter, argument)
    if any(letter == "O" for letter, _ in given):
        pieces = pieces[::-1]
    return pieces


def _apply_flag(shell: "Evaluation", pieces: list[ExpansionPiece], letter: str, argument: str) -> list[ExpansionPiece]:
    if letter == "P":
        return [found for piece in pieces for found in _follow_name(shell, piece)]
    if letter == "j":
        return [_join(pieces, argument)]
    if letter in "sfzw=":
        return [part for piece in pieces for part in _split(piece, letter, argument)]
    if letter in "e%":
        return [_expand_again(shell, piece) for piece in pieces]
    change = TEXT_FLAGS.get(letter)
    if change is None:
        return pieces
    return [ExpansionPiece(change(piece.text), piece.known, piece.outputs) for piece in pieces]


def _follow_name(shell: "Evaluation", piece: ExpansionPiece) -> list[ExpansionPiece]:
    if not piece.known:
        return [piece]
    items = shell.list_items(piece.text)
    if items is not None:
        return items
    held = shell.lookup_reference(piece.text)
    return [ExpansionPiece(held.text, held.known, held.outputs) if held else ExpansionPiece(f"${piece.text}", False)]


def _join(pieces: list[ExpansionPiece], mark: str) -> ExpansionPiece:
    outputs = tuple(place for piece in pieces for place in piece.outputs)
    return ExpansionPiece(mark.join(piece.text for piece in pieces), all(piece.known for piece in pieces), outputs)


def _split(piece: ExpansionPiece, letter: str, mark: str) -> list[ExpansionPiece]:
    if not piece.known:
        return [piece]
    if letter == "s":
        texts = piece.text.split(mark) if mark else list(piece.text[:2_000])
    elif letter == "f":
        texts = piece.text.split("\n")
    elif letter == "z":
        texts = QUOTED_OR_PLAIN.findall(piece.text.replace("\n", " ;\n"))
    else:
        texts = piece.text.split()
    return [ExpansionPiece(text, True, piece.outputs) for text in texts if text]


def _expand_again(shell: "Evaluation", piece: ExpansionPiece) -> ExpansionPiece:
    word = shell.expand_text(piece.text, "expansion")
    return ExpansionPiece(word.text, word.known and piece.known, piece.outputs + word.outputs)


def pick_items(pieces: list[ExpansionPiece], index: str, array: bool) -> list[ExpansionPiece]:
    """What a subscript leaves: elements of an array, characters of a text, words of it with `(w)`."""
    if not index or index in "@*":
        return pieces
    if found := WORD_SUBSCRIPT.fullmatch(index):
        pieces, index, array = [part for piece in pieces for part in _split(piece, "w", "")], found[1], True
    found = RANGE.fullmatch(index)
    if found is None:
        # A pattern such as `(r)*`: any of them may be meant.
        return pieces
    start, end = int(found[1]), int(found[2] or found[1])
    if array:
        return pieces[_slice_from_one(start, end, len(pieces))]
    return [
        ExpansionPiece(one.text[_slice_from_one(start, end, len(one.text))], one.known, one.outputs) for one in pieces
    ]


def _slice_from_one(start: int, end: int, size: int) -> slice:
    first = start - 1 if start > 0 else max(size + start, 0)
    return slice(first, end if end >= 0 else size + end + 1)


def reads_otherwise(shell: "Evaluation", node: syntax.SimpleCommand) -> bool:
    """Whether zsh makes other words of a command than bash: arrays count from one there, and `$x[1]` is an element."""
    first = node.words[0].text
    given_code = " " if first in CODE_READERS else "\n" if first == "eval" else ""
    return any(
        type(token) is syntax.WordToken and _has_zsh_reading(shell, token.parts, given_code) for token in node.words
    )


def _has_zsh_reading(shell: "Evaluation", parts: list[syntax.Part], given_code: str) -> bool:
    for place, part in enumerate(parts):
        if type(part) is not syntax.Parameter or part.operator[:1] == "!":
            continue
        held = shell.variables.get(part.name)
        if held is not None and held.items is not None and part.index not in ("@", "*", "0"):
            return True
        if held is not None and (find_trailing(parts, place) is not None or (given_code and given_code in held.text)):
            return True
        if part.name == "commands" or (part.name == "PWD" and find_trailing(parts, place) is not None):
            return True
    return False


def find_trailing(parts: list[syntax.Part], place: int) -> re.Match[str] | None:
    """The subscript or the letters behind a variable without braces."""
    part = parts[place]
    following = parts[place + 1] if place + 1 < len(parts) else None
    if type(part) is not syntax.Parameter or part.source[1:2] == "{" or type(following) is not syntax.LiteralText:
        return None
    return TRAILING.match(following.text) if following.text[:1] in "[:" and not following.quoted else None


def take_trailing(parts: list[syntax.Part]) -> list[syntax.Part]:
    """The same parts, with what stands behind a variable made part of it."""
    changed = list(parts)
    for place in range(len(parts)):
        found = find_trailing(parts, place)
        part, following = parts[place], parts[place + 1] if place + 1 < len(parts) else None
        if found is None or type(part) is not syntax.Parameter or type(following) is not syntax.LiteralText:
            continue
        operand = syntax.WordToken(None, [syntax.LiteralText(found[2][1:])]) if found[2] else None
        changed[place] = syntax.FlaggedParameter(
            part.name, part.source + found[0], part.quoted, "", None, found[1] or "", ":" if found[2] else "", operand
        )
        changed[place + 1] = syntax.LiteralText(following.text[found.end() :])
    return changed


def modify(pieces: list[ExpansionPiece], letters: str) -> list[ExpansionPiece] | None:
    """`${x:t}` on each piece; None when the letters are no such thing."""
    changed = [(modify_path(piece.text, letters), piece) for piece in pieces]
    if any(text is None for text, _ in changed):
        return None
    return [ExpansionPiece(text or "", piece.known, piece.outputs) for text, piece in changed]
