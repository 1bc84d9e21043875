"""Interpreters of other languages that are given code: with an option, on their input, or in a file written before."""

import re
from collections.abc import Callable
from typing import NamedTuple

from synaptic.shell.book.arguments import Arguments
from synaptic.shell.book.entries import find_program, iter_programs
from synaptic.shell.destroying import may_destroy
from synaptic.shell.languages.acts import ITEM_VARIABLE, CodeAct, CodeEffects
from synaptic.shell.languages.dialects import DIALECTS
from synaptic.shell.languages.foreign import read_foreign_code, read_printed_value
from synaptic.shell.languages.lisp import read_lisp
from synaptic.shell.languages.perform import perform_acts
from synaptic.shell.languages.python import find_literal_calls, read_python
from synaptic.shell.languages.startable import EMPTYING_CODE, CodeSurroundings, find_removable, find_startable
from synaptic.shell.read.evaluate import Evaluation, ProgramHandler
from synaptic.shell.read.script import Command, Word
from synaptic.shell.read.state import CommandCall

SHELL_LIKE = re.compile(r"\s*(?:sudo\s+)?(?:rm|dd|shred|mkfs\S*)\s+-?\w")
"""Shell text handed to an interpreter of another language by mistake."""
LANGUAGE_LABELS = {"javascript": "node", "lisp": "emacs"}
"""Languages that have another name than the program that runs them."""
INPUT_LINE = re.compile(r"\$_(?!\w)|\$F\[\d\]")
"""What stands, in Perl and Ruby that run the code for each line of their input, for that line."""


NAME_IN_CODE = re.compile(r"\w+")
SOURCE_LANGUAGES = {
    "py": "python", "pl": "perl", "pm": "perl", "rb": "ruby", "js": "javascript", "cjs": "javascript",
    "mjs": "javascript", "ts": "javascript", "lua": "lua", "php": "php", "jl": "julia", "R": "r", "exs": "elixir",
}  # fmt: skip
"""Languages by how a file's name ends."""
INPUT_FILES = frozenset({"-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"})
"""Names of the input."""
CODE_VARIABLES = ("PERL5DB", "PERL5OPT", "RUBYOPT", "NODE_OPTIONS", "PYTHONSTARTUP", "AWKPATH")
"""Variables that bring code to an interpreter."""
STARTUP_FILES = {"python": "PYTHONSTARTUP"}
"""Variables that name a file which an interpreter runs when it starts."""
STARTUP_MODULES = frozenset({"sitecustomize", "usercustomize", "__main__", "__init__"})
"""Files that Python runs without being told to."""
LOADING_MODULES = frozenset({"runpy", "timeit"})
"""Modules of Python that load other modules by their names."""
STATEMENT_MODULES = frozenset({"timeit", "pdb", "cProfile", "profile", "trace", "doctest", "code"})
"""Modules that take statements as arguments."""
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
    if shell.files and LOADING_MODULES.issuperset(word.text for word in given.get_by_role("module")):
        _run_written_modules(shell, call, program.language, given)
    held = shell.variables.get(STARTUP_FILES.get(program.language, ""))
    if held is not None and (text := shell.files.get(shell.make_file_key(held.text))) is not None:
        run_foreign_code(shell, call, program.language, Word(text))
    for bundle in given.get_by_role("preload"):
        run_foreign_code(shell, call, program.language, bundle)
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
    if module in STATEMENT_MODULES:
        for word in given.operands:
            if "(" in word.text:
                run_foreign_code(shell, call, "python", word)
    path = module.replace(".", "/")
    named = [
        Word(f"{path}.py"),
        Word(f"{path}/__main__.py"),
        Word(f"{path}/__init__.py"),
        *(given.operands if module in FILE_RUNNING_MODULES else ()),
    ]
    file = (
        next((word for word in named if shell.make_file_key(word.text) in shell.files), None) if shell.files else None
    )
    return _run_written_file(shell, call, "python", file) if file is not None else None


def _run_written_modules(shell: Evaluation, call: CommandCall, language: str, given: Arguments) -> None:
    """Files of the language that the same text has written and that the call loads by their names."""
    codes = given.get_by_role("code", "print", "preload")
    script = shell.make_file_key(given.operands[0].text) if given.operands and not codes else ""
    loaded = given.operands if given.get_by_role("module") else ()
    texts = [word.text for word in (*codes, *loaded, *(word for _, word in call.assignments))]
    said = " ".join((*texts, call.stdin or "", shell.files.get(script, ""), script))
    for path, text in list(shell.files.items()):
        if path == script:
            continue
        folder, _, name = path.rpartition("/")
        stem, dot, kind = name.partition(".")
        if not dot or SOURCE_LANGUAGES.get(kind) != language:
            continue
        named = {stem, folder.rpartition("/")[2]} if stem in STARTUP_MODULES else {stem}
        if stem.endswith("customize") or not named.isdisjoint(NAME_IN_CODE.findall(said)) or f"-M{stem}" in said:
            with shell.guard_recursion(f"{language} {path}") as first:
                if first:
                    run_foreign_code(shell, call, language, Word(text))


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
    if script is not None and script.text not in INPUT_FILES:
        return _run_written_file(shell, call, language, script)
    if call.stdin is not None:
        return run_foreign_code(shell, call, language, Word(call.stdin))
    # Only behind a pipe: an interpreter alone waits for a person, and runs nothing by itself.
    if shell.stages and shell.stages[-1][1] > 0:
        shell.add_gap("code", f"{call.name} reads code that is not known")
    return None


def find_written_text(shell: Evaluation, call: CommandCall, file: Word) -> str | None:
    """What a file holds, when the same text has written it or feeds it."""
    return call.stdin if file.text in INPUT_FILES else shell.files.get(shell.make_file_key(file.text))


def _run_written_file(shell: Evaluation, call: CommandCall, language: str, file: Word) -> str | None:
    """Code in a file, when the same text has written it."""
    text = find_written_text(shell, call, file)
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
    with shell.isolate():
        perform_acts(shell, call, label, deeds.acts)
    if deeds.opaque:
        start_nearby(shell, call, CodeSurroundings(code.text, language), deeds.acts)
    return deeds.output if code.known else None


LEAST_CODE = 16
"""Characters that every piece of code counts as: thousands of short ones cost as much as a long one."""


class CodeOptions(NamedTuple):
    """How a call runs its pieces of code."""

    each: bool
    """For each line of the input."""
    prints: bool
    """And prints the value."""
    words: tuple[str, ...]
    """What the code is given."""


def sort_words(call: CommandCall) -> CodeOptions:
    """The words of a call, sorted once: `perl -e a -e b` has as many pieces of code as somebody cares to write."""
    if call.sorted_words is None or call.sorted_words[0] is not call.words:
        given = find_program(call.name).read(call.words[1:])
        words = tuple(word.text for word in (*given.operands, *given.get_by_role("variable")))
        call.sorted_words = (call.words, CodeOptions(given.has_role("each"), given.has_role("print"), words))
    found: CodeOptions = call.sorted_words[1]
    return found


def start_nearby(shell: Evaluation, call: CommandCall, at: CodeSurroundings, acts: list[CodeAct]) -> None:
    """Run what the code may start although nobody can follow how: texts that destroy, folders that it may remove."""
    words = sort_words(call).words
    held = {name: value.text for name, value in shell.variables.items() if value.known and value.items is None}
    held.update((name, word.text) for name, word in call.assignments)
    more = "\n".join(held[name] for name in CODE_VARIABLES if name in held)
    followed = frozenset(word.text for act in acts for word in act.words)
    code = f"{at.code}\n{more}" if more else at.code
    at = CodeSurroundings(code, at.language, words, call.stdin, held, followed)
    label = f"{call.name} code"
    done = shell.commands[call.index :]
    with shell.isolate():
        for text in find_startable(at):
            if not any(_is_followed(text, command) for command in done):
                shell.run_code(text, label)
        removed = [one.argv[-1] for one in shell.commands[call.index :] if one.name == "rm"]
        if any(word.known or "/" in word.text for word in removed) and not EMPTYING_CODE.search(code):
            return  # what it removes was followed
        for path in find_removable(at):
            shell.run_code(f"rm -rf {path}", label)


def _is_followed(text: str, command: Command) -> bool:
    """Whether a text is a command that was read already, perhaps with something unknown behind its beginning."""
    words = [word.text for word in command.argv]
    if all(word.known for word in command.argv):
        return text.split() == " ".join(words).split()
    return text.split()[:2] == words[:2]


def _read_within_limits(shell: Evaluation, code: str, read: Callable[[str], CodeEffects]) -> CodeEffects:
    if shell.budget.count_foreign_code(max(len(code), LEAST_CODE)):
        return read(code)
    return CodeEffects(find_literal_calls(code), opaque=may_destroy(code))


def _read_code(call: CommandCall, language: str, code: str) -> CodeEffects:
    if language == "python":
        return read_python(code, _find_code_arguments(call.words))
    if language == "lisp":
        return CodeEffects(read_lisp(code))
    dialect = DIALECTS[language]
    given = sort_words(call)
    if given.each:
        return read_foreign_code(INPUT_LINE.sub(f"${ITEM_VARIABLE}", code), dialect)
    deeds = read_foreign_code(code, dialect)
    if given.prints:
        return CodeEffects(deeds.acts, read_printed_value(code, dialect))
    return deeds


def _find_code_arguments(words: list[Word]) -> tuple[Word, ...]:
    """The arguments that Python code is given: what stands behind `-c CODE`, `-` or a file."""
    given = find_program("python").read(words[1:])
    return given.operands if given.get_by_role("code") else given.operands[1:]


def run_awk(shell: Evaluation, call: CommandCall) -> str | None:
    given = find_program("awk").read(call.words[1:])
    files = given.get_by_role("pattern-file")
    held = [find_written_text(shell, call, word) for word in files]
    codes = (
        (Word(text) for text in held if text is not None) if files else (*given.get_by_role("pattern"), *given.operands)
    )
    code = next(iter(codes), None)
    if code is None:
        return None
    deeds = _read_within_limits(shell, code.text, lambda text: read_foreign_code(text, DIALECTS["awk"]))
    perform_acts(shell, call, "awk", deeds.acts)
    start_nearby(shell, call, CodeSurroundings(code.text, "awk"), deeds.acts)
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
