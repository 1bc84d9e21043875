"""What the shell does itself: folders, variables, aliases, traps."""

import re

from synaptic.shell.programs.starters import read_call
from synaptic.shell.read.evaluate import Evaluation, ProgramHandler
from synaptic.shell.read.limits import MAX_ROUNDS
from synaptic.shell.read.script import Word
from synaptic.shell.read.state import CommandCall
from synaptic.shell.read.value import VariableValue, merge_values

DECLARED_VALUE = re.compile(r"(\w+)(\+?)=(.*)", re.DOTALL)
MAX_ELEMENTS = 200
"""Elements of an array that is read; a longer one is not known."""


def run_cd(shell: Evaluation, call: CommandCall) -> str | None:
    words = [word for word in call.words[1:] if not re.fullmatch(r"-[LPe@]+|--", word.text)]
    before = shell.cwd
    if not words:
        shell.cwd = shell.home
    elif words[0].text == "-":
        held = shell.variables.get("OLDPWD")
        shell.cwd = held.text if held else ""
    else:
        shell.cwd = _resolve_folder(shell, _find_in_search_path(shell, call, words[0]))
    shell.variables["OLDPWD"] = VariableValue(before, bool(before))
    return ""


def _find_in_search_path(shell: Evaluation, call: CommandCall, word: Word) -> Word:
    """A folder below the first one of `CDPATH`, where that is set: no one knows which of them has it."""
    held = dict(call.assignments).get("CDPATH") or shell.variables.get("CDPATH")
    first = held.text.partition(":")[0] if held is not None else ""
    if not first or held is None or word.text.startswith(("/", ".", "~")):
        return word
    return Word(f"{first}/{word.text}", held.known and word.known, word.glob)


def _resolve_folder(shell: Evaluation, word: Word) -> str:
    known = word.known and not word.glob
    return shell.make_file_key(word.text) if known and (shell.cwd or word.text[:1] == "/") else ""


def run_pushd(shell: Evaluation, call: CommandCall) -> str | None:
    if len(call.words) > 2 and call.words[1].text == "-n":
        folder = _resolve_folder(shell, call.words[2])
        shell.variables["OLDPWD"] = VariableValue(folder, bool(folder))
        return None
    return run_cd(shell, call) if len(call.words) > 1 else run_popd(shell, call)


def run_popd(shell: Evaluation, call: CommandCall) -> str | None:
    held = shell.variables.get("OLDPWD")
    shell.cwd = held.text if held else ""
    return None


def run_declare(shell: Evaluation, call: CommandCall) -> str | None:
    for word in call.words[1:]:
        found = DECLARED_VALUE.fullmatch(word.text)
        if not found:
            continue
        name, _, text = found.groups()
        # An array: the shell reader expands its elements when it gets the assignment as code.
        if text[:1] == "(" and not word.known:
            shell.run_code(f"{name}={text}", call.name)
        else:
            shell.variables[name] = VariableValue(text, word.known, word.outputs)
    return ""


def run_unset(shell: Evaluation, call: CommandCall) -> str | None:
    for text in call.list_texts():
        if "-f" in call.list_texts():
            shell.bodies.pop(text, None)
        else:
            shell.variables.pop(text, None)
    return ""


def run_read(shell: Evaluation, call: CommandCall) -> str | None:
    """`read`: the variable holds any of the known lines, else an unknown value."""
    given = read_call(call)
    array = next(iter(given.get_values("a")), None)
    if array is not None:
        shell.variables[array.text] = _make_array(
            array.text, _split_columns(shell, call, (call.stdin or "").split("\n", 1)[0], 0)
        )
        return ""
    names = [word.text for word in given.operands] or ["REPLY"]
    lines = (call.stdin or "").splitlines()
    # All lines at once: the variable gets every value that a loop around `read` would see.
    rows = [_split_columns(shell, call, line, len(names)) for line in lines[:MAX_ROUNDS]]
    for at, name in enumerate(names):
        found = [VariableValue(row[at].strip() if at < len(row) else "") for row in rows]
        if len(lines) > MAX_ROUNDS or not found:
            found.append(VariableValue(f"${name}", known=False))
        shell.variables[name] = merge_values(found, MAX_ROUNDS + 1)
        shell.branched = shell.branched or len(found) > 1
    return ""


def _split_columns(shell: Evaluation, call: CommandCall, line: str, most: int) -> list[str]:
    """A line taken apart at the separators that hold for this command; at most so many parts, 0 for all."""
    given = dict(call.assignments).get("IFS")
    marks = given.text if given is not None else shell.get_separators()
    if not marks or most == 1:
        return [line]
    if marks.isspace():
        return line.split(None, most - 1)
    return re.split(f"[{re.escape(marks)}]", line, maxsplit=max(most - 1, 0))


def run_mapfile(shell: Evaluation, call: CommandCall) -> str | None:
    """`mapfile` and `readarray`: every line is an element."""
    names = [word.text for word in read_call(call).operands] or ["MAPFILE"]
    shell.variables[names[0]] = _make_array(names[0], (call.stdin or "").splitlines())
    return ""


def _make_array(name: str, items: list[str]) -> VariableValue:
    if not items or len(items) > MAX_ELEMENTS:
        return VariableValue(f"${name}", known=False)
    return VariableValue(items[0], items=tuple(items))


def run_alias(shell: Evaluation, call: CommandCall) -> str | None:
    for text in call.list_texts():
        name, equals, value = text.partition("=")
        if equals:
            shell.aliases[name] = value
    return ""


def run_trap(shell: Evaluation, call: CommandCall) -> str | None:
    words = read_call(call).operands
    if len(words) < 2 or words[0].text in ("", "-"):
        return ""
    # A trap may run at any time, so it is read as if it ran now.
    shell.run_code(words[0].text, "trap", shell.locate_code(words[0]))
    return ""


def run_eval(shell: Evaluation, call: CommandCall) -> str | None:
    words = read_call(call).operands
    if not words:
        return ""
    if any(not word.known and _is_dynamic(word.text) for word in words):
        shell.add_gap("code", "eval " + " ".join(word.text for word in words))
    if len(words) == 1:
        return shell.run_code(words[0].text, "eval", shell.locate_code(words[0]))
    return shell.run_code(" ".join(word.text for word in words), "eval")


def _is_dynamic(text: str) -> bool:
    return text[:1] in "$`"


def run_set(shell: Evaluation, call: CommandCall) -> str | None:
    """`set -- a b`: the positional parameters."""
    texts = call.list_texts()
    if "--" in texts:
        shell.arguments = call.words[texts.index("--") + 2 :]
    elif texts and texts[0][:1] not in "-+":
        shell.arguments = call.words[1:]
    return ""


def run_shift(shell: Evaluation, call: CommandCall) -> str | None:
    count = int(call.list_texts()[0]) if call.list_texts() and call.list_texts()[0].isdigit() else 1
    if shell.arguments is not None:
        shell.arguments = shell.arguments[count:]
    return ""


def print_nothing(_: Evaluation, __: CommandCall) -> str | None:
    return ""


BUILTINS: dict[str, ProgramHandler] = {
    "cd": run_cd,
    "chdir": run_cd,
    "pushd": run_pushd,
    "popd": run_popd,
    **dict.fromkeys(("export", "declare", "typeset", "local", "readonly"), run_declare),
    "unset": run_unset,
    "read": run_read,
    **dict.fromkeys(("mapfile", "readarray"), run_mapfile),
    "alias": run_alias,
    "trap": run_trap,
    "eval": run_eval,
    "set": run_set,
    "shift": run_shift,
    **dict.fromkeys((":", "true", "false", "shopt", "wait", "sleep", "unalias"), print_nothing),
}
