"""What the shell does itself: folders, variables, aliases, traps."""

import re
from itertools import pairwise

import msgspec

from synaptic.shell.book.arguments import Arguments
from synaptic.shell.programs.derived import run_unknown_program
from synaptic.shell.programs.starters import read_call
from synaptic.shell.read.arithmetic import compute_number, follow_formula, follow_subscripts
from synaptic.shell.read.assigning import define_entry, note_variable
from synaptic.shell.read.evaluate import Evaluation, ProgramHandler
from synaptic.shell.read.limits import MAX_ROUNDS
from synaptic.shell.read.script import Word
from synaptic.shell.read.state import CommandCall
from synaptic.shell.read.value import VariableValue, merge_values
from synaptic.shell.read.variables import change_letters, make_array
from synaptic.shell.read.writing import quote_word

DECLARED_VALUE = re.compile(r"(\w+)(?:\[([^\]]*)\])?(\+?)=(.*)", re.DOTALL)
MAX_PIPED = 20
"""Commands among which those are looked for that feed a `read`."""
MAX_ELEMENTS = 200
"""Elements of an array that is read; a longer one is not known."""
MAPPED_ENTRY = "mapfile["
"""How a file is named among the variables of zsh; unsetting it deletes the file."""
FOLDER_OPTION = re.compile(r"-[LPe@qs]+|--")
"""An option of `cd` and `pushd`, in bash or zsh."""


def run_cd(shell: Evaluation, call: CommandCall) -> str | None:
    words = [word for word in call.words[1:] if not FOLDER_OPTION.fullmatch(word.text)]
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
    """`declare`, `export` and their kin: variables, arrays, references, and how values are stored."""
    letters = "".join([word.text[1:] for word in call.words[1:] if word.text[:1] == "-"])
    traits = _read_traits(shell, call, letters) if letters or call.name == "integer" else ""
    valued = False
    for word in call.words[1:]:
        if "[" in word.text:
            follow_subscripts(shell, [word.text])
        found = DECLARED_VALUE.fullmatch(word.text)
        if found:
            valued = True
            _declare_value(shell, call, word, found, letters, traits)
        elif traits and word.text.isidentifier():
            held = shell.variables.get(word.text) or VariableValue("")
            items = () if "A" in traits and held.items is None else held.items
            shell.variables[word.text] = msgspec.structs.replace(held, traits=traits, items=items)
    # Without a value it prints what is declared.
    return "" if valued and "p" not in letters else None


def _read_traits(shell: Evaluation, call: CommandCall, letters: str) -> str:
    """The letters that change what is stored; those of `export` do not."""
    if call.name in ("export", "readonly"):
        return ""
    traits = "".join(letter for letter in "Ailu" if letter in letters or (letter == "i" and call.name == "integer"))
    shell.has_traits = shell.has_traits or bool(traits)
    return traits


def _declare_value(
    shell: Evaluation, call: CommandCall, word: Word, found: re.Match[str], letters: str, traits: str
) -> None:
    name, index, plus, text = found.groups()
    if "n" in letters and call.name not in ("export", "readonly"):
        shell.variables[name] = VariableValue("", items=(), refers=text)
        follow_subscripts(shell, [text])
    # An array: the shell reader expands its elements when it gets the assignment as code.
    elif text[:1] == "(" and not word.known:
        if traits:
            shell.variables[name] = VariableValue("", items=(), traits=traits)
        shell.run_code(f"{name}{plus}={text}", call.name)
    elif index:
        shell.run_code(f"{name}[{quote_word(index)}]{plus}={quote_word(text)}", call.name)
    else:
        held = shell.variables.get(name)
        text = held.text + text if plus and held is not None else text
        shell.variables[name] = VariableValue(change_letters(text, traits), word.known, word.outputs, traits=traits)
        note_variable(shell, name, text)
        if "i" in traits:
            follow_formula(shell, text)


def run_unset(shell: Evaluation, call: CommandCall) -> str | None:
    follow_subscripts(shell, call.list_texts())
    for text in call.list_texts():
        if text.startswith(MAPPED_ENTRY):
            shell.run_wrapped(call, [Word("rm"), Word("-f"), Word(text.removeprefix(MAPPED_ENTRY)[:-1])], "unset")
        if "-f" in call.list_texts():
            shell.bodies.pop(text, None)
        else:
            shell.variables.pop(text, None)
    return ""


def run_read(shell: Evaluation, call: CommandCall) -> str | None:
    """`read`: the variable holds any of the known lines, else an unknown value."""
    follow_subscripts(shell, call.list_texts())
    given = read_call(call)
    stdin = _find_input(shell, call, given)
    array = next(iter(given.get_values("a", "A")), None)
    if array is not None:
        shell.has_arrays = True
        shell.variables[array.text] = _make_array(
            array.text, _split_columns(shell, call, (stdin or "").split("\n", 1)[0], 0)
        )
        return ""
    names = [word.text for word in given.operands] or ["REPLY"]
    lines = (stdin or "").splitlines()
    # All lines at once: the variable gets every value that a loop around `read` would see.
    rows = [_split_columns(shell, call, line, len(names)) for line in lines[:MAX_ROUNDS]]
    fed = find_piped_before(shell)
    for at, name in enumerate(names):
        shell.fed_by[name] = fed
        found = [VariableValue(row[at].strip() if at < len(row) else "") for row in rows]
        if len(lines) > MAX_ROUNDS or not found:
            found.append(VariableValue(f"${name}", known=False))
        shell.variables[name] = merge_values(found, MAX_ROUNDS + 1)
        shell.branched = shell.branched or len(found) > 1
    return ""


def find_piped_before(shell: Evaluation) -> tuple[int, ...]:
    """The places of the commands whose output comes through the pipe; few, as most pipes are short."""
    if not shell.stages:
        return ()
    number, place = shell.stages[-1]
    before = (one for one in shell.commands[-MAX_PIPED:] if dict(one.stages).get(number, place) < place)
    return tuple(one.index for one in before)


def _split_columns(shell: Evaluation, call: CommandCall, line: str, most: int) -> list[str]:
    """A line taken apart at the separators that hold for this command; at most so many parts, 0 for all."""
    given = dict(call.assignments).get("IFS")
    marks = given.text if given is not None else shell.get_separators()
    if not marks or most == 1:
        return [line]
    if marks.isspace():
        return line.split(None, most - 1)
    return re.split(f"[{re.escape(marks)}]", line, maxsplit=max(most - 1, 0))


def _find_input(shell: Evaluation, call: CommandCall, given: Arguments) -> str | None:
    """The input, or what another descriptor gives (`-u 3`, and `-p` of zsh for a coprocess)."""
    named = given.get_value("u") or ("p" if given.has("p") and "/dev/fd/p" in shell.files else "")
    return shell.files.get(f"/dev/fd/{named}") if named else call.stdin


def run_mapfile(shell: Evaluation, call: CommandCall) -> str | None:
    """`mapfile` and `readarray`: every line is an element; `-C` runs a command for some of them."""
    given = read_call(call)
    names = [word.text for word in given.operands] or ["MAPFILE"]
    mark = (given.get_value("d") or "\0") if given.has("d") else "\n"
    lines = re.split(f"[{re.escape(mark)}]", _find_input(shell, call, given) or "")
    items = lines[:-1] if lines and not lines[-1] else lines
    shell.has_arrays = True
    shell.variables[names[0]] = _make_array(names[0], [item for item in items if item] if given.has("d") else items)
    follow_subscripts(shell, [*names, given.get_value("O") or ""])
    for word in given.get_values("C"):
        # The number and the text of the line stand behind it.
        shell.run_code(f"{word.text} 0 {items[0] if items else ''}", f"{call.name} -C")
    return ""


def _make_array(name: str, items: list[str]) -> VariableValue:
    if not items or len(items) > MAX_ELEMENTS:
        return VariableValue(f"${name}", known=False)
    return VariableValue(items[0], items=tuple(items))


def run_alias(shell: Evaluation, call: CommandCall) -> str | None:
    options = "".join(text[1:] for text in call.list_texts() if text[:1] == "-")
    for text in call.list_texts():
        name, equals, value = text.partition("=")
        if equals and name:
            # A shell that does not know the option takes it for an ordinary alias.
            define_entry(shell, "aliases", name, value)
            if "g" in options or "s" in options:
                define_entry(shell, "galiases" if "g" in options else "saliases", name, value)
    return "" if any("=" in text for text in call.list_texts()) else None


def run_trap(shell: Evaluation, call: CommandCall) -> str | None:
    # The code may begin with a dash, which zsh takes for one of its own.
    words = call.words[2:] if call.words[1:] and call.words[1].text == "--" else call.words[1:]
    if len(words) < 2 or words[0].text in ("", "-", "-p", "-l"):
        return "" if len(words) > 1 else None
    # A trap may run at any time, so it is read as if it ran now, and where it names what comes later at the end, too.
    if "$" in words[0].text or (" " not in words[0].text and words[0].text not in shell.bodies):
        shell.later.append(words[0].text)
    shell.run_code(words[0].text, "trap", shell.locate_code(words[0]))
    return ""


def run_set(shell: Evaluation, call: CommandCall) -> str | None:
    """`set -- a b`: the positional parameters."""
    texts = call.list_texts()
    if not texts:
        return None
    if "--" in texts:
        shell.arguments = call.words[texts.index("--") + 2 :]
    elif texts and texts[0][:1] not in "-+":
        shell.arguments = call.words[1:]
    return ""


def run_shift(shell: Evaluation, call: CommandCall) -> str | None:
    held = shell.variables.get(call.list_texts()[0]) if call.list_texts() else None
    if held is not None and held.items is not None:
        shell.variables[call.list_texts()[0]] = make_array(
            [(str(at), item) for at, item in enumerate(held.items[1:])], held.known
        )
        return ""
    count = int(call.list_texts()[0]) if call.list_texts() and call.list_texts()[0].isdigit() else 1
    if shell.arguments is not None:
        shell.arguments = shell.arguments[count:]
    return ""


def run_hash(shell: Evaluation, call: CommandCall) -> str | None:
    """`hash -p /usr/bin/git g` of bash, `hash g=/usr/bin/git` and `hash -d x=~` of zsh: another name."""
    texts = call.list_texts()
    if texts[:1] == ["-p"] and len(texts) > 2:
        shell.aliases.update(dict.fromkeys(texts[2:], texts[1]))
    for text in texts:
        name, equals, value = text.partition("=")
        if equals and name.isidentifier():
            define_entry(shell, "nameddirs" if "-d" in texts else "commands", name, value)
    return ""


def run_getopts(shell: Evaluation, call: CommandCall) -> str | None:
    """The option's value is one of the arguments."""
    words = call.words[3:] or shell.arguments or []
    values = [VariableValue(word.text, word.known, word.outputs) for word in words if word.text[:1] != "-"]
    values += [VariableValue(word.text[2:]) for word in words if word.text[:1] == "-" and len(word.text) > 2]
    if values:
        shell.variables["OPTARG"] = merge_values(values, MAX_ROUNDS)
        shell.branched = shell.branched or len(values) > 1
    return ""


def run_let(shell: Evaluation, call: CommandCall) -> str | None:
    for text in call.list_texts():
        follow_formula(shell, text)
        compute_number(shell, text)
    return ""


def run_test(shell: Evaluation, call: CommandCall) -> str | None:
    """`[ -v name ]` looks a name up, subscript included."""
    for place, word in enumerate(call.words):
        if word.text == "-v":
            follow_subscripts(shell, [one.text for one in call.words[place:]])
    return ""


def run_repeated(shell: Evaluation, call: CommandCall) -> str | None:
    """`repeat 3 cmd` of zsh."""
    words = call.words[2:]
    while words and words[0].text in ("{", "do"):
        words = words[1:]
    if words and words[-1].text == "}":
        words = words[:-1]
    return shell.run_wrapped(call, words, call.name)


def run_dash(shell: Evaluation, call: CommandCall) -> str | None:
    """`- cmd` of zsh."""
    return shell.run_wrapped(call, call.words[1:], "-")


def run_emulate(shell: Evaluation, call: CommandCall) -> str | None:
    """`emulate sh -c code`."""
    texts = call.list_texts()
    place = texts.index("-c") + 2 if "-c" in texts else len(call.words)
    return shell.run_code(call.words[place].text, "emulate -c") if place < len(call.words) else ""


def run_hooked(shell: Evaluation, call: CommandCall) -> str | None:
    """`add-zsh-hook chpwd f`, `sched +1 cmd`, `zpty name cmd`, `zle -N w f`: what zsh runs later, or beside."""
    words = call.words[1:]
    while words and words[0].text[:1] == "-":
        words = words[1:]
    words = words[1:]
    if len(words) == 1:
        return shell.run_code(words[0].text, call.name)
    return shell.run_wrapped(call, words, call.name) if words else ""


def run_functions(shell: Evaluation, call: CommandCall) -> str | None:
    """`functions -c f g` copies a function."""
    texts = call.list_texts()
    if texts[:1] == ["-c"] and len(texts) == 3 and texts[1] in shell.bodies:
        shell.define_function(msgspec.structs.replace(shell.bodies[texts[1]], name=texts[2]))
    return None


def run_mkfifo(shell: Evaluation, call: CommandCall) -> str | None:
    """What is written to a named pipe may be read by a shell that started before."""
    for word in read_call(call).operands:
        shell.pipes.add(shell.make_file_key(word.text))
    return ""


def run_compgen(shell: Evaluation, call: CommandCall) -> str | None:
    """`-F function` and `-C command` run."""
    texts = call.list_texts()
    for option, text in pairwise(texts):
        if option in ("-F", "-C"):
            shell.run_code(text, f"compgen {option}")
    return None


def run_history(shell: Evaluation, call: CommandCall) -> str | None:
    """`history -s cmd`, `print -s cmd`: what `fc` runs again."""
    texts = call.list_texts()
    if "-s" in texts and call.name != "fc":
        shell.variables["HISTCMD"] = VariableValue(" ".join(texts[texts.index("-s") + 1 :]))
    elif call.name == "fc" and (held := shell.variables.get("HISTCMD")) is not None:
        shell.run_code(held.text, "fc")
    return ""


def print_nothing(_: Evaluation, __: CommandCall) -> str | None:
    return ""


BUILTINS: dict[str, ProgramHandler] = {
    "": run_unknown_program,
    "cd": run_cd,
    "chdir": run_cd,
    "pushd": run_pushd,
    "popd": run_popd,
    **dict.fromkeys(("export", "declare", "typeset", "local", "readonly", "integer", "float"), run_declare),
    "unset": run_unset,
    "read": run_read,
    **dict.fromkeys(("mapfile", "readarray"), run_mapfile),
    "alias": run_alias,
    "trap": run_trap,
    "set": run_set,
    "shift": run_shift,
    "hash": run_hash,
    "getopts": run_getopts,
    "let": run_let,
    **dict.fromkeys(("[", "test"), run_test),
    "repeat": run_repeated,
    "emulate": run_emulate,
    "-": run_dash,
    **dict.fromkeys(("add-zsh-hook", "sched", "zpty", "zle"), run_hooked),
    "functions": run_functions,
    **dict.fromkeys(("history", "fc"), run_history),
    "mkfifo": run_mkfifo,
    "compgen": run_compgen,
    **dict.fromkeys((":", "true", "false", "shopt", "wait", "sleep", "unalias"), print_nothing),
}
