"""What a variable holds, as far as it is known."""

import re
from functools import lru_cache

import msgspec

from synaptic.shell.read.limits import MAX_PATTERN


class VariableValue(msgspec.Struct, frozen=True, gc=False):
    """The value of a variable; `others` are the values it has when another branch ran."""

    text: str
    known: bool = True
    outputs: tuple[int, ...] = ()
    items: tuple[str, ...] | None = None
    others: tuple["VariableValue", ...] = ()
    keys: tuple[str, ...] | None = None
    """The keys of an array's elements, where they are not 0, 1, 2 and so on."""
    refers: str = ""
    """The variable that it stands for (`declare -n`)."""
    traits: str = ""
    """Letters of `declare` that change what is stored: `A`, `i`, `l`, `u`."""
    glob: bool = False
    """It stands for each file that a pattern matches: the text is the pattern, whatever is quoted later."""


class ExpansionPiece(msgspec.Struct):
    """What one expansion yields."""

    text: str
    known: bool = True
    outputs: tuple[int, ...] = ()
    glob: bool = False


def merge_values(values: list[VariableValue], most: int) -> VariableValue:
    """One value for several branches."""
    if len(values[0].others) == most - 1:
        return values[0]  # it holds as many as one may: the others would not be taken in
    plain: dict[tuple[str, bool], VariableValue] = {}
    for value in values:
        if len(plain) >= most:
            break
        for one in (value, *value.others):
            plain.setdefault((one.text, one.known), one)
    first, *rest = list(plain.values())[:most]
    return msgspec.structs.replace(
        first, others=tuple(msgspec.structs.replace(one, others=()) if one.others else one for one in rest)
    )


def glob_to_regex(glob: str, greedy: bool) -> str:
    """A shell pattern as a regular expression."""
    out = []
    for piece in re.findall(r"\\.|\[[^\]]+\]|.", glob, re.DOTALL):
        if piece == "*":
            out.append(".*" if greedy else ".*?")
        elif piece == "?":
            out.append(".")
        elif piece.startswith("[") and len(piece) > 2:
            inner = piece[1:-1].replace("\\", "\\\\").replace("[", "\\[")
            out.append(f"[{'^' + inner[1:] if inner[0] in '!^' else inner}]")
        else:
            out.append(re.escape(piece[1:] if piece.startswith("\\") else piece))
    return "".join(out)


def _is_costly(text: str, glob: str) -> bool:
    return len(text) > MAX_PATTERN or len(glob) > MAX_PATTERN or glob.count("*") > 3


@lru_cache(maxsize=256)
def _compile_glob(glob: str, greedy: bool) -> re.Pattern[str]:
    return re.compile(glob_to_regex(glob, greedy), re.DOTALL)


def trim_value(text: str, operator: str, glob: str) -> str | None:
    """`${x#glob}`, `##`, `%`, `%%`; None when trying it may take long."""
    # A pattern with several stars is tried at every place of the value: short to write, slow to match.
    if _is_costly(text, glob):
        return None
    form = _compile_glob(glob, len(operator) == 2)
    if operator[0] == "#":
        found = form.match(text)
        return text[found.end() :] if found else text
    places = range(len(text), -1, -1) if len(operator) == 1 else range(len(text) + 1)
    for place in places:
        if form.fullmatch(text, place):
            return text[:place]
    return text


def replace_in_value(text: str, operator: str, operand: str) -> str | None:
    """`${x/from/to}` and `//`, at the start with `/#` and at the end with `/%`; None when trying it may take long."""
    old, _, new = operand.partition("/")
    anchor = old[:1] if operator == "/" and old[:1] in ("#", "%") else ""
    old = old[len(anchor) :]
    if _is_costly(text, old):
        return None
    if not old:
        return new + text if anchor == "#" else text + new if anchor == "%" else text
    form = glob_to_regex(old, greedy=True)
    form = rf"\A(?:{form})" if anchor == "#" else rf"(?:{form})\Z" if anchor == "%" else form
    # A function, because a backslash in the replacement is plain text in bash and not in `re.sub`.
    return re.sub(form, lambda _: new, text, count=0 if operator == "//" else 1)


def change_case(text: str, operator: str) -> str:
    """`${x^}`, `^^`, `,`, `,,`, `~`, `~~`."""
    change = {"^": str.upper, ",": str.lower, "~": str.swapcase}[operator[0]]
    return change(text) if len(operator) == 2 else change(text[:1]) + text[1:]
