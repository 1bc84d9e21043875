"""Interpreters of other languages that are given code: with an option, on their input, or in a file written before."""

import re
from collections.abc import Callable

from synaptic.shell.book.arguments import Arguments
from synaptic.shell.book.entries import find_program, programs
from synaptic.shell.languages.acts import ITEM, Deeds
from synaptic.shell.languages.dialects import DIALECTS
from synaptic.shell.languages.foreign import foreign_deeds, foreign_value
from synaptic.shell.languages.lisp import lisp_acts
from synaptic.shell.languages.perform import perform
from synaptic.shell.languages.python import python_deeds, searched
from synaptic.shell.read.evaluate import Evaluation, Handler
from synaptic.shell.read.script import Word
from synaptic.shell.read.state import Call

SHELL_LIKE = re.compile(r"\s*(?:sudo\s+)?(?:rm|dd|shred|mkfs\S*)\s+-?\w")
"""Shell text handed to an interpreter of another language by mistake."""
LABELS = {"javascript": "node", "lisp": "emacs"}
"""Languages that have another name than the program that runs them."""
THE_LINE = re.compile(r"\$_(?!\w)|\$F\[\d\]")
"""What stands, in Perl and Ruby that run the code for each line of their input, for that line."""


FED = frozenset({"code", "asyncio", "IPython", "ptpython", "bpython", "konch"})
"""Modules that take their input for code; for others it is data."""
RUN = frozenset(
    {"pdb", "ipdb", "pudb", "trace", "cProfile", "profile", "coverage", "viztracer", "debugpy", "scalene",
     "pyinstrument", "memory_profiler", "pytest", "unittest"}
)  # fmt: skip
"""Modules that run a file that they are given."""


def interpreter(shell: Evaluation, call: Call) -> str | None:
    """Python, Node, Perl, Ruby, PHP, Lua, R, Julia, Elixir, Emacs: code in options, in a file, or on the input."""
    program = find_program(call.name)
    given = program.read(call.words[1:])
    if codes := given.of_role("code", "print"):
        outputs = [run(shell, call, program.language, code) for code in codes]
        return "".join(filter(None, outputs)) if all(text is not None for text in outputs) else None
    if (module := given.of_role("module")) and module[-1].text not in FED:
        return _of_module(shell, call, module[-1].text, given)
    if scripts := given.of_role("script"):
        return _named(shell, call, program.language, scripts[0])
    return _script(shell, call, program.language, given)


def _of_module(shell: Evaluation, call: Call, module: str, given: Arguments) -> str | None:
    """A module that the same text has written, or one that runs a file."""
    path = module.replace(".", "/")
    named = [Word(f"{path}.py"), Word(f"{path}/__main__.py"), *(given.operands if module in RUN else ())]
    file = next((word for word in named if shell.path(word.text) in shell.files), None) if shell.files else None
    return _named(shell, call, "python", file) if file is not None else None


def verbs(shell: Evaluation, call: Call) -> str | None:
    """`deno eval CODE`, `deno run -`, `bun run -`: the same behind a verb."""
    program = find_program(call.name)
    verb = program.find_verb(call.words[1].text) if len(call.words) > 1 else None
    if verb is None:
        return interpreter(shell, call)
    given = verb.read(call.words[2:])
    if verb.roles.first == ("script",):
        return _script(shell, call, program.language, given)
    return run(shell, call, program.language, given.operands[0]) if given.operands else None


def _script(shell: Evaluation, call: Call, language: str, given: Arguments) -> str | None:
    """Code in a file that was written before, or on the input."""
    script = given.operands[0] if given.operands else None
    if script is not None and script.text not in ("-", "/dev/stdin"):
        return _named(shell, call, language, script)
    if call.stdin is not None:
        return run(shell, call, language, Word(call.stdin))
    # Only behind a pipe: an interpreter alone waits for a person, and runs nothing by itself.
    if shell.stages and shell.stages[-1][1] > 0:
        shell.gap("code", f"{call.name} reads code that is not known")
    return None


def _named(shell: Evaluation, call: Call, language: str, file: Word) -> str | None:
    """Code in a file, when the same text has written it."""
    text = shell.files.get(shell.path(file.text))
    return run(shell, call, language, Word(text)) if text is not None else None


def run(shell: Evaluation, call: Call, language: str, code: Word) -> str | None:
    """Note what the code does; what it prints, when that is known."""
    label = f"{LABELS.get(language, language)} {'-c' if language == 'python' else '-e'}"
    if not code.known and code.text[:1] in "$`":
        shell.gap("code", f"{label} {code.text}")
        return None
    # `python -c "rm -rf /"` fails, but the next try will be a shell, so the intention is judged.
    if SHELL_LIKE.match(code.text):
        shell.code(code.text, label)
        return None
    deeds = _within_limits(shell, code.text, lambda text: _deeds(call, language, text))
    perform(shell, call, label, deeds.acts)
    return deeds.output if code.known else None


def _within_limits(shell: Evaluation, code: str, read: Callable[[str], Deeds]) -> Deeds:
    return read(code) if shell.budget.code(len(code)) else Deeds(searched(code))


def _deeds(call: Call, language: str, code: str) -> Deeds:
    if language == "python":
        return python_deeds(code, _behind(call.words))
    if language == "lisp":
        return Deeds(lisp_acts(code))
    dialect = DIALECTS[language]
    given = find_program(call.name).read(call.words[1:])
    if given.has_role("each"):
        return foreign_deeds(THE_LINE.sub(f"${ITEM}", code), dialect)
    deeds = foreign_deeds(code, dialect)
    if given.has_role("print"):
        return Deeds(deeds.acts, foreign_value(code, dialect))
    return deeds


def _behind(words: list[Word]) -> tuple[Word, ...]:
    """The arguments that Python code is given: what stands behind `-c CODE`, `-` or a file."""
    given = find_program("python").read(words[1:])
    return given.operands if given.of_role("code") else given.operands[1:]


def awk(shell: Evaluation, call: Call) -> str | None:
    given = find_program("awk").read(call.words[1:])
    if given.of_role("pattern-file"):
        return None
    code = next(iter((*given.of_role("pattern"), *given.operands)), None)
    if code is None:
        return None
    deeds = _within_limits(shell, code.text, lambda text: foreign_deeds(text, DIALECTS["awk"]))
    perform(shell, call, "awk", deeds.acts)
    return deeds.output if code.known else None


def go(shell: Evaluation, call: Call) -> str | None:
    """`go run main.go`, `go run .`: files that the same text has written."""
    verb = find_program("go").find_verb(call.words[1].text) if shell.files and len(call.words) > 2 else None
    for word in verb.read(call.words[2:]).operands[:1] if verb else ():
        path = shell.path(word.text)
        held = [path] if path.endswith(".go") else [name for name in shell.files if _is_in(name, path)]
        for name in held:
            if (text := shell.files.get(name)) is not None:
                run(shell, call, "go", Word(text.replace(":=", "=")))
    return None


def _is_in(name: str, folder: str) -> bool:
    return name.endswith(".go") and name.rpartition("/")[0] == folder.rstrip("/")


def osascript(shell: Evaluation, call: Call) -> str | None:
    for text in call.texts():
        for found in re.finditer(r'do shell script\s+"((?:[^"\\]|\\.)*)"', text):
            shell.code(re.sub(r"\\(.)", r"\1", found[1]), "osascript")
    return None


LANGUAGES: dict[str, Handler] = {
    **dict.fromkeys((one.name for one in programs() if one.language in (*DIALECTS, "python", "lisp")), interpreter),
    "iex": interpreter,
    "deno": verbs,
    "awk": awk,
    "go": go,
    "osascript": osascript,
}
