"""Interpreters of other languages that are given code: with an option, on their input, or in a file written before."""

import re
from collections.abc import Callable

from synaptic.shell.book.arguments import Arguments
from synaptic.shell.book.entries import find_program, iter_programs
from synaptic.shell.languages.acts import ITEM_VARIABLE, CodeEffects
from synaptic.shell.languages.dialects import DIALECTS
from synaptic.shell.languages.foreign import read_foreign_code, read_printed_value
from synaptic.shell.languages.lisp import read_lisp
from synaptic.shell.languages.perform import perform_acts
from synaptic.shell.languages.python import find_literal_calls, read_python
from synaptic.shell.read.evaluate import Evaluation, ProgramHandler
from synaptic.shell.read.script import Word
from synaptic.shell.read.state import CommandCall

SHELL_LIKE = re.compile(r"\s*(?:sudo\s+)?(?:rm|dd|shred|mkfs\S*)\s+-?\w")
"""Shell text handed to an interpreter of another language by mistake."""
LANGUAGE_LABELS = {"javascript": "node", "lisp": "emacs"}
"""Languages that have another name than the program that runs them."""
INPUT_LINE = re.compile(r"\$_(?!\w)|\$F\[\d\]")
"""What stands, in Perl and Ruby that run the code for each line of their input, for that line."""


INPUT_CODE_MODULES = frozenset({"code", "asyncio", "IPython", "ptpython", "bpython", "konch"})
"""Modules that take their input for code; for others it is data."""
FILE_RUNNING_MODULES = frozenset(
    {"pdb", "ipdb", "pudb", "trace", "cProfile", "profile", "coverage", "viztracer", "debugpy", "scalene",
     "pyinstrument", "memory_profiler", "pytest", "unittest"}
)  # fmt: skip
"""Modules that run a file that they are given."""


def run_interpreter(shell: Evaluation, call: CommandCall) -> str | None:
    """Python, Node, Perl, Ruby, PHP, Lua, R, Julia, Elixir, Emacs: code in options, in a file, or on the input."""
    program = find_program(call.name)
    given = program.read(call.words[1:])
    if codes := given.get_by_role("code", "print"):
        outputs = [run_foreign_code(shell, call, program.language, code) for code in codes]
        return "".join(filter(None, outputs)) if all(text is not None for text in outputs) else None
    if (module := given.get_by_role("module")) and module[-1].text not in INPUT_CODE_MODULES:
        return _run_module(shell, call, module[-1].text, given)
    if scripts := given.get_by_role("script"):
        return _run_written_file(shell, call, program.language, scripts[0])
    return _run_script(shell, call, program.language, given)


def _run_module(shell: Evaluation, call: CommandCall, module: str, given: Arguments) -> str | None:
    """A module that the same text has written, or one that runs a file."""
    path = module.replace(".", "/")
    named = [
        Word(f"{path}.py"),
        Word(f"{path}/__main__.py"),
        *(given.operands if module in FILE_RUNNING_MODULES else ()),
    ]
    file = (
        next((word for word in named if shell.make_file_key(word.text) in shell.files), None) if shell.files else None
    )
    return _run_written_file(shell, call, "python", file) if file is not None else None


def run_by_verb(shell: Evaluation, call: CommandCall) -> str | None:
    """`deno eval CODE`, `deno run -`, `bun run -`: the same behind a verb."""
    program = find_program(call.name)
    verb = program.find_verb(call.words[1].text) if len(call.words) > 1 else None
    if verb is None:
        return run_interpreter(shell, call)
    given = verb.read(call.words[2:])
    if verb.roles.first == ("script",):
        return _run_script(shell, call, program.language, given)
    return run_foreign_code(shell, call, program.language, given.operands[0]) if given.operands else None


def _run_script(shell: Evaluation, call: CommandCall, language: str, given: Arguments) -> str | None:
    """Code in a file that was written before, or on the input."""
    script = given.operands[0] if given.operands else None
    if script is not None and script.text not in ("-", "/dev/stdin"):
        return _run_written_file(shell, call, language, script)
    if call.stdin is not None:
        return run_foreign_code(shell, call, language, Word(call.stdin))
    # Only behind a pipe: an interpreter alone waits for a person, and runs nothing by itself.
    if shell.stages and shell.stages[-1][1] > 0:
        shell.add_gap("code", f"{call.name} reads code that is not known")
    return None


def _run_written_file(shell: Evaluation, call: CommandCall, language: str, file: Word) -> str | None:
    """Code in a file, when the same text has written it."""
    text = shell.files.get(shell.make_file_key(file.text))
    return run_foreign_code(shell, call, language, Word(text)) if text is not None else None


def run_foreign_code(shell: Evaluation, call: CommandCall, language: str, code: Word) -> str | None:
    """Note what the code does; what it prints, when that is known."""
    label = f"{LANGUAGE_LABELS.get(language, language)} {'-c' if language == 'python' else '-e'}"
    if not code.known and code.text[:1] in "$`":
        shell.add_gap("code", f"{label} {code.text}")
        return None
    # `python -c "rm -rf /"` fails, but the next try will be a shell, so the intention is judged.
    if SHELL_LIKE.match(code.text):
        shell.run_code(code.text, label)
        return None
    deeds = _read_within_limits(shell, code.text, lambda text: _read_code(call, language, text))
    perform_acts(shell, call, label, deeds.acts)
    return deeds.output if code.known else None


def _read_within_limits(shell: Evaluation, code: str, read: Callable[[str], CodeEffects]) -> CodeEffects:
    return read(code) if shell.budget.count_foreign_code(len(code)) else CodeEffects(find_literal_calls(code))


def _read_code(call: CommandCall, language: str, code: str) -> CodeEffects:
    if language == "python":
        return read_python(code, _find_code_arguments(call.words))
    if language == "lisp":
        return CodeEffects(read_lisp(code))
    dialect = DIALECTS[language]
    given = find_program(call.name).read(call.words[1:])
    if given.has_role("each"):
        return read_foreign_code(INPUT_LINE.sub(f"${ITEM_VARIABLE}", code), dialect)
    deeds = read_foreign_code(code, dialect)
    if given.has_role("print"):
        return CodeEffects(deeds.acts, read_printed_value(code, dialect))
    return deeds


def _find_code_arguments(words: list[Word]) -> tuple[Word, ...]:
    """The arguments that Python code is given: what stands behind `-c CODE`, `-` or a file."""
    given = find_program("python").read(words[1:])
    return given.operands if given.get_by_role("code") else given.operands[1:]


def run_awk(shell: Evaluation, call: CommandCall) -> str | None:
    given = find_program("awk").read(call.words[1:])
    if given.get_by_role("pattern-file"):
        return None
    code = next(iter((*given.get_by_role("pattern"), *given.operands)), None)
    if code is None:
        return None
    deeds = _read_within_limits(shell, code.text, lambda text: read_foreign_code(text, DIALECTS["awk"]))
    perform_acts(shell, call, "awk", deeds.acts)
    return deeds.output if code.known else None


def run_go(shell: Evaluation, call: CommandCall) -> str | None:
    """`go run main.go`, `go run .`: files that the same text has written."""
    verb = find_program("go").find_verb(call.words[1].text) if shell.files and len(call.words) > 2 else None
    for word in verb.read(call.words[2:]).operands[:1] if verb else ():
        path = shell.make_file_key(word.text)
        held = [path] if path.endswith(".go") else [name for name in shell.files if _is_go_file_in(name, path)]
        for name in held:
            if (text := shell.files.get(name)) is not None:
                run_foreign_code(shell, call, "go", Word(text.replace(":=", "=")))
    return None


def _is_go_file_in(name: str, folder: str) -> bool:
    return name.endswith(".go") and name.rpartition("/")[0] == folder.rstrip("/")


def run_osascript(shell: Evaluation, call: CommandCall) -> str | None:
    for text in call.list_texts():
        for found in re.finditer(r'do shell script\s+"((?:[^"\\]|\\.)*)"', text):
            shell.run_code(re.sub(r"\\(.)", r"\1", found[1]), "osascript")
    return None


LANGUAGES: dict[str, ProgramHandler] = {
    **dict.fromkeys(
        (one.name for one in iter_programs() if one.language in (*DIALECTS, "python", "lisp")), run_interpreter
    ),
    "iex": run_interpreter,
    "deno": run_by_verb,
    "awk": run_awk,
    "go": run_go,
    "osascript": run_osascript,
}
