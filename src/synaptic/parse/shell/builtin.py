"""What the shell does itself: folders, variables, aliases, traps."""

import re

from synaptic.parse.shell.evaluate import Evaluation, Handler
from synaptic.parse.shell.limits import MAX_ROUNDS
from synaptic.parse.shell.options import operands, rest
from synaptic.parse.shell.script import Word
from synaptic.parse.shell.state import Call
from synaptic.parse.shell.value import Value, merged

DECLARED = re.compile(r"(\w+)(\+?)=(.*)", re.DOTALL)


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
    """`read` and `mapfile`: the lines when they are known, else an unknown value."""
    names = [word.text for word in rest(call.words, ("-d", "-i", "-n", "-N", "-p", "-t", "-u", "-a"))] or ["REPLY"]
    lines = (call.stdin or "").splitlines()
    for place, name in enumerate(names):
        found = [Value(_column(line, place, len(names))) for line in lines[:MAX_ROUNDS]]
        if len(lines) > MAX_ROUNDS or not found:
            found.append(Value(f"${name}", known=False))
        shell.variables[name] = merged(found, MAX_ROUNDS + 1)
        shell.branched = shell.branched or len(found) > 1
    return ""


def _column(line: str, place: int, count: int) -> str:
    columns = line.split(None, count - 1)
    return columns[place].strip() if place < len(columns) else ""


def alias(shell: Evaluation, call: Call) -> str | None:
    for text in call.texts():
        name, equals, value = text.partition("=")
        if equals:
            shell.aliases[name] = value
    return ""


def trap(shell: Evaluation, call: Call) -> str | None:
    words = rest(call.words, ())
    if len(words) < 2 or words[0].text in ("", "-"):
        return ""
    shell.code(words[0].text, "trap", shell.place(words[0]))
    return ""


def evaluate(shell: Evaluation, call: Call) -> str | None:
    words = call.words[operands(call.words, frozenset()) :]
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
    **dict.fromkeys(("read", "mapfile", "readarray"), reading),
    "alias": alias,
    "trap": trap,
    "eval": evaluate,
    "set": settings,
    "shift": shift,
    **dict.fromkeys((":", "true", "false", "shopt", "wait", "sleep", "unalias"), quiet),
}
