"""What the shell does itself: folders, variables, aliases, traps."""

import re

from synaptic.shell.programs.starters import read_call
from synaptic.shell.read.evaluate import Evaluation, Handler
from synaptic.shell.read.limits import MAX_ROUNDS
from synaptic.shell.read.script import Word
from synaptic.shell.read.state import Call
from synaptic.shell.read.value import Value, merged

DECLARED = re.compile(r"(\w+)(\+?)=(.*)", re.DOTALL)
MAX_ELEMENTS = 200
"""Elements of an array that is read; a longer one is not known."""


def cd(shell: Evaluation, call: Call) -> str | None:
    words = [word for word in call.words[1:] if not re.fullmatch(r"-[LPe@]+|--", word.text)]
    before = shell.cwd
    if not words:
        shell.cwd = shell.home
    elif words[0].text == "-":
        held = shell.variables.get("OLDPWD")
        shell.cwd = held.text if held else ""
    else:
        shell.cwd = _into(shell, words[0])
    shell.variables["OLDPWD"] = Value(before, bool(before))
    return ""


def _into(shell: Evaluation, word: Word) -> str:
    known = word.known and not word.glob
    return shell.path(word.text) if known and (shell.cwd or word.text[:1] == "/") else ""


def pushd(shell: Evaluation, call: Call) -> str | None:
    return cd(shell, call) if len(call.words) > 1 else popd(shell, call)


def popd(shell: Evaluation, call: Call) -> str | None:
    held = shell.variables.get("OLDPWD")
    shell.cwd = held.text if held else ""
    return None


def declare(shell: Evaluation, call: Call) -> str | None:
    for word in call.words[1:]:
        found = DECLARED.fullmatch(word.text)
        if not found:
            continue
        name, _, text = found.groups()
        # An array: the shell reader expands its elements when it gets the assignment as code.
        if text[:1] == "(" and not word.known:
            shell.code(f"{name}={text}", call.name)
        else:
            shell.variables[name] = Value(text, word.known, word.outputs)
    return ""


def unset(shell: Evaluation, call: Call) -> str | None:
    for text in call.texts():
        if "-f" in call.texts():
            shell.bodies.pop(text, None)
        else:
            shell.variables.pop(text, None)
    return ""


def reading(shell: Evaluation, call: Call) -> str | None:
    """`read`: the variable holds any of the known lines, else an unknown value."""
    given = read_call(call)
    array = next(iter(given.values("a")), None)
    if array is not None:
        shell.variables[array.text] = _array(array.text, _columns(shell, call, (call.stdin or "").split("\n", 1)[0], 0))
        return ""
    names = [word.text for word in given.operands] or ["REPLY"]
    lines = (call.stdin or "").splitlines()
    # All lines at once: the variable gets every value that a loop around `read` would see.
    rows = [_columns(shell, call, line, len(names)) for line in lines[:MAX_ROUNDS]]
    for at, name in enumerate(names):
        found = [Value(row[at].strip() if at < len(row) else "") for row in rows]
        if len(lines) > MAX_ROUNDS or not found:
            found.append(Value(f"${name}", known=False))
        shell.variables[name] = merged(found, MAX_ROUNDS + 1)
        shell.branched = shell.branched or len(found) > 1
    return ""


def _columns(shell: Evaluation, call: Call, line: str, most: int) -> list[str]:
    """A line taken apart at the separators that hold for this command; at most so many parts, 0 for all."""
    given = dict(call.assignments).get("IFS")
    marks = given.text if given is not None else shell.separators()
    if not marks or most == 1:
        return [line]
    if marks.isspace():
        return line.split(None, most - 1)
    return re.split(f"[{re.escape(marks)}]", line, maxsplit=max(most - 1, 0))


def mapfile(shell: Evaluation, call: Call) -> str | None:
    """`mapfile` and `readarray`: every line is an element."""
    names = [word.text for word in read_call(call).operands] or ["MAPFILE"]
    shell.variables[names[0]] = _array(names[0], (call.stdin or "").splitlines())
    return ""


def _array(name: str, items: list[str]) -> Value:
    if not items or len(items) > MAX_ELEMENTS:
        return Value(f"${name}", known=False)
    return Value(items[0], items=tuple(items))


def alias(shell: Evaluation, call: Call) -> str | None:
    for text in call.texts():
        name, equals, value = text.partition("=")
        if equals:
            shell.aliases[name] = value
    return ""


def trap(shell: Evaluation, call: Call) -> str | None:
    words = read_call(call).operands
    if len(words) < 2 or words[0].text in ("", "-"):
        return ""
    # A trap may run at any time, so it is read as if it ran now.
    shell.code(words[0].text, "trap", shell.place(words[0]))
    return ""


def evaluate(shell: Evaluation, call: Call) -> str | None:
    words = read_call(call).operands
    if not words:
        return ""
    if any(not word.known and _dynamic(word.text) for word in words):
        shell.gap("code", "eval " + " ".join(word.text for word in words))
    if len(words) == 1:
        return shell.code(words[0].text, "eval", shell.place(words[0]))
    return shell.code(" ".join(word.text for word in words), "eval")


def _dynamic(text: str) -> bool:
    return text[:1] in "$`"


def settings(shell: Evaluation, call: Call) -> str | None:
    """`set -- a b`: the positional parameters."""
    texts = call.texts()
    if "--" in texts:
        shell.arguments = call.words[texts.index("--") + 2 :]
    elif texts and texts[0][:1] not in "-+":
        shell.arguments = call.words[1:]
    return ""


def shift(shell: Evaluation, call: Call) -> str | None:
    count = int(call.texts()[0]) if call.texts() and call.texts()[0].isdigit() else 1
    if shell.arguments is not None:
        shell.arguments = shell.arguments[count:]
    return ""


def quiet(_: Evaluation, __: Call) -> str | None:
    return ""


BUILTINS: dict[str, Handler] = {
    "cd": cd,
    "chdir": cd,
    "pushd": pushd,
    "popd": popd,
    **dict.fromkeys(("export", "declare", "typeset", "local", "readonly"), declare),
    "unset": unset,
    "read": reading,
    **dict.fromkeys(("mapfile", "readarray"), mapfile),
    "alias": alias,
    "trap": trap,
    "eval": evaluate,
    "set": settings,
    "shift": shift,
    **dict.fromkeys((":", "true", "false", "shopt", "wait", "sleep", "unalias"), quiet),
}
