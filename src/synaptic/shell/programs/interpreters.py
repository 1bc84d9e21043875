"""Interpreters of other languages that are given code: with an option, on their input, or in a file written before."""

import re
from collections.abc import Callable

import msgspec

from synaptic.shell.languages.acts import ITEM, Deeds
from synaptic.shell.languages.dialects import DIALECTS
from synaptic.shell.languages.foreign import foreign_deeds, foreign_value
from synaptic.shell.languages.lisp import lisp_acts
from synaptic.shell.languages.perform import perform
from synaptic.shell.languages.python import python_deeds, searched
from synaptic.shell.programs.options import operands, value_of
from synaptic.shell.read.evaluate import Evaluation, Handler
from synaptic.shell.read.script import Word
from synaptic.shell.read.state import Call

SHELL_LIKE = re.compile(r"\s*(?:sudo\s+)?(?:rm|dd|shred|mkfs\S*)\s+-?\w")
"""Shell text handed to an interpreter of another language by mistake."""
EACH_LINE = re.compile(r"-\w*[np]\w*")
"""Options with which Perl and Ruby run the code for each line of their input, which is `$_`."""
THE_LINE = re.compile(r"\$_(?!\w)|\$F\[\d\]")


class Language(msgspec.Struct, frozen=True):
    """How an interpreter is given code: options with code, options with another value, and the reader of the code."""

    name: str
    code: frozenset[str]
    valued: frozenset[str] = frozenset()
    dialect: str = ""
    prints: frozenset[str] = frozenset()
    """Options with which the value of the code is printed."""
    names: frozenset[str] = frozenset()
    """Options that name the file to run: then the input is data."""


def _language(name: str, code: str, valued: str = "", dialect: str = "", **more: str) -> Language:
    given = {key: frozenset(value.split()) for key, value in more.items()}
    return Language(name, frozenset(code.split()), frozenset(valued.split()), dialect, **given)


PYTHON = _language("python", "-c", "-W -X -m --check-hash-based-pycs")
MODULE = re.compile(r"-[bBdEiIOPqsSuvx]*m(.*)", re.DOTALL)
FED = frozenset({"code", "asyncio", "IPython", "ptpython", "bpython", "konch"})
"""Modules that take their input for code; for others it is data."""
RUN = frozenset(
    {"pdb", "ipdb", "pudb", "trace", "cProfile", "profile", "coverage", "viztracer", "debugpy", "scalene",
     "pyinstrument", "memory_profiler", "pytest", "unittest"}
)  # fmt: skip
"""Modules that run a file that they are given."""
NODE = _language(
    "node", "-e -p --eval --print -pe", "-r --require --import --loader", "javascript", prints="-p --print -pe"
)
TYPESCRIPT = _language(
    "node",
    "-e -p --eval --print -pe",
    "-r --require --import --loader -P --project --tsconfig -O --compilerOptions --compiler-options -C --compiler",
    "javascript",
    prints="-p --print -pe",
)
GO = _language("go", "", "-C -exec -tags -ldflags -gcflags -mod -modfile -o -p", "go")
EMACS = _language("emacs", "--eval -eval --execute -execute -e", "-l -L --load -f --directory")
KNOWN: dict[str, Language] = {
    **dict.fromkeys(("python", "python2", "python3", "pypy", "pypy3", "ipython"), PYTHON),
    **dict.fromkeys(("node", "nodejs", "bun", "deno"), NODE),
    **dict.fromkeys(("tsx", "ts-node", "ts-node-esm", "ts-node-script", "babel-node", "esno", "jiti"), TYPESCRIPT),
    "perl": _language("perl", "-e -E", "-I -M -m", "perl"),
    "ruby": _language("ruby", "-e", "-I -r -C", "ruby"),
    "php": _language("php", "-r --run", "-d -c -f", "php", names="-f --file"),
    **dict.fromkeys(("lua", "luajit"), _language("lua", "-e", "-l", "lua")),
    **dict.fromkeys(("Rscript", "R"), _language("r", "-e", "-f --file -g", "r", names="-f --file")),
    "julia": _language("julia", "-e -E --eval --print", "-L -p -t -C --project -J", "julia", prints="-E --print"),
    **dict.fromkeys(("elixir", "iex"), _language("elixir", "-e --eval", "-r -S", "elixir", names="-S")),
    **dict.fromkeys(("emacs", "emacsclient"), EMACS),
}
VERSIONED = re.compile(r"(python|pypy|perl|ruby|php|lua)[\d.]+(?:-\w+)?")


def interpreter(shell: Evaluation, call: Call) -> str | None:
    """Python, Node, Perl, Ruby, PHP, Lua, R, Julia, Elixir, Emacs."""
    language = KNOWN.get(call.name) or KNOWN[VERSIONED.sub(r"\1", call.name)]
    given = _given(call.words, language)
    if given is not None:
        outputs = [run(shell, call, language, code) for code in given]
        return "".join(filter(None, outputs)) if all(text is not None for text in outputs) else None
    if language is PYTHON and (module := _module(call.words)) is not None and module not in FED:
        return _of_module(shell, call, module)
    place = operands(call.words, language.valued)
    if language.names and (file := value_of(call.words[1:place], language.names)) is not None:
        return _named(shell, call, language, file)
    return _script(shell, call, language, place)


def _module(words: list[Word]) -> str | None:
    """What `-m`, which may stand behind other letters, names; it ends the options."""
    place = 1
    while place < len(words) and words[place].text[:1] == "-" and words[place].text not in ("-", "--"):
        text = words[place].text
        found = MODULE.fullmatch(text)
        if found is not None:
            return found[1] or (words[place + 1].text if place + 1 < len(words) else "")
        place += 2 if text in PYTHON.valued else 1
    return None


def _of_module(shell: Evaluation, call: Call, module: str) -> str | None:
    """A module that the same text has written, or one that runs a file."""
    path = module.replace(".", "/")
    named = [Word(f"{path}.py"), Word(f"{path}/__main__.py"), *(call.words[2:] if module in RUN else ())]
    file = next((word for word in named if shell.path(word.text) in shell.files), None) if shell.files else None
    return _named(shell, call, PYTHON, file) if file is not None else None


def verbs(shell: Evaluation, call: Call) -> str | None:
    """`deno eval CODE`, `deno run -`, `bun run -`: the same behind a verb."""
    verb = call.words[1].text if len(call.words) > 1 else ""
    if verb not in ("eval", "run"):
        return interpreter(shell, call)
    place = operands(call.words, NODE.valued, 2)
    if verb == "run":
        return _script(shell, call, NODE, place)
    return run(shell, call, NODE, call.words[place]) if place < len(call.words) else None


def _script(shell: Evaluation, call: Call, language: Language, place: int) -> str | None:
    """Code in a file that was written before, or on the input."""
    script = call.words[place] if place < len(call.words) else None
    if script is not None and script.text not in ("-", "/dev/stdin"):
        return _named(shell, call, language, script)
    if call.stdin is not None:
        return run(shell, call, language, Word(call.stdin))
    if shell.stages and shell.stages[-1][1] > 0:
        shell.gap("code", f"{call.name} reads code that is not known")
    return None


def _named(shell: Evaluation, call: Call, language: Language, file: Word) -> str | None:
    """Code in a file, when the same text has written it."""
    text = shell.files.get(shell.path(file.text))
    return run(shell, call, language, Word(text)) if text is not None else None


def _given(words: list[Word], language: Language) -> list[Word] | None:
    """The code in the options: `-e code`, `-ecode`, `-we code`, `--eval=code`."""
    found: list[Word] = []
    place = 1
    while place < len(words):
        text = words[place].text
        name, equals, value = text.partition("=")
        if text[:1] != "-" or text in ("-", "--"):
            break
        if equals and name[:2] == "--" and name in language.code:
            found.append(Word(value, words[place].known))
        elif language is PYTHON and MODULE.fullmatch(text):
            break
        elif text in language.valued:
            place += 1
        elif text in language.code or _ends_in_code(text, language):
            place += 1
            if place < len(words):
                found.append(words[place])
        elif text[:2] in language.code:
            found.append(Word(text[2:], words[place].known))
        place += 1
    return found or None


def _ends_in_code(text: str, language: Language) -> bool:
    return bool(re.fullmatch(r"-[A-Za-z0-9]+", text)) and f"-{text[-1]}" in language.code


def run(shell: Evaluation, call: Call, language: Language, code: Word) -> str | None:
    """Note what the code does; what it prints, when that is known."""
    label = f"{language.name} -c" if language.name == "python" else f"{language.name} -e"
    if not code.known and code.text[:1] in "$`":
        shell.gap("code", f"{label} {code.text}")
        return None
    if SHELL_LIKE.match(code.text):
        shell.code(code.text, label)
        return None
    deeds = _within_limits(shell, code.text, lambda text: _deeds(call, language, text))
    perform(shell, call, label, deeds.acts)
    return deeds.output if code.known else None


def _within_limits(shell: Evaluation, code: str, read: Callable[[str], Deeds]) -> Deeds:
    return read(code) if shell.budget.code(len(code)) else Deeds(searched(code))


def _deeds(call: Call, language: Language, code: str) -> Deeds:
    if language is PYTHON:
        return python_deeds(code, _behind(call.words))
    if language is EMACS:
        return Deeds(lisp_acts(code))
    dialect = DIALECTS[language.dialect]
    if language.name in ("perl", "ruby") and any(EACH_LINE.fullmatch(text) for text in call.texts()):
        return foreign_deeds(THE_LINE.sub(f"${ITEM}", code), dialect)
    deeds = foreign_deeds(code, dialect)
    if not language.prints.isdisjoint(call.texts()):
        return Deeds(deeds.acts, foreign_value(code, dialect))
    return deeds


def _behind(words: list[Word]) -> tuple[Word, ...]:
    """The arguments that Python code is given: what stands behind `-c CODE`, `-` or a file."""
    place = operands(words, PYTHON.valued | PYTHON.code)
    held = any(word.text[:1] == "-" and word.text[-1:] == "c" for word in words[1:place])
    return tuple(words[place if held else place + 1 :])


def awk(shell: Evaluation, call: Call) -> str | None:
    valued = frozenset({"-F", "-v", "-f", "--field-separator", "--assign", "--file", "-i", "-l"})
    place = operands(call.words, valued)
    if place >= len(call.words) or "-f" in call.texts():
        return None
    code = call.words[place]
    deeds = _within_limits(shell, code.text, lambda text: foreign_deeds(text, DIALECTS["awk"]))
    perform(shell, call, "awk", deeds.acts)
    return deeds.output if code.known else None


def go(shell: Evaluation, call: Call) -> str | None:
    """`go run main.go`, `go run .`: files that the same text has written."""
    if not shell.files or len(call.words) < 3 or call.words[1].text != "run":
        return None
    place = operands(call.words, GO.valued, 2)
    for word in call.words[place : place + 1]:
        path = shell.path(word.text)
        held = [path] if path.endswith(".go") else [name for name in shell.files if _is_in(name, path)]
        for name in held:
            if (text := shell.files.get(name)) is not None:
                run(shell, call, GO, Word(text.replace(":=", "=")))
    return None


def _is_in(name: str, folder: str) -> bool:
    return name.endswith(".go") and name.rpartition("/")[0] == folder.rstrip("/")


def osascript(shell: Evaluation, call: Call) -> str | None:
    for text in call.texts():
        for found in re.finditer(r'do shell script\s+"((?:[^"\\]|\\.)*)"', text):
            shell.code(re.sub(r"\\(.)", r"\1", found[1]), "osascript")
    return None


_VERSIONS = {f"python3.{minor}": interpreter for minor in range(6, 20)} | dict.fromkeys(
    ("python2.7", "perl5", "lua5.1", "lua5.3", "lua5.4", "php8", "php7"), interpreter
)
LANGUAGES: dict[str, Handler] = {
    **dict.fromkeys(KNOWN, interpreter),
    **dict.fromkeys(("deno", "bun"), verbs),
    **_VERSIONS,
    **dict.fromkeys(("awk", "gawk", "mawk", "nawk"), awk),
    "go": go,
    "osascript": osascript,
}
