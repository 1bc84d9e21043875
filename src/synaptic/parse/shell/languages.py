"""Interpreters of other languages that are given code: with an option, on their input, or in a file written before."""

import re
from collections.abc import Callable

import msgspec

from synaptic.parse.shell.acts import Act
from synaptic.parse.shell.evaluate import Evaluation, Handler
from synaptic.parse.shell.foreign import DIALECTS, foreign_acts
from synaptic.parse.shell.options import operands
from synaptic.parse.shell.python import python_acts
from synaptic.parse.shell.script import Redirect, Word
from synaptic.parse.shell.state import Call

SHELL_LIKE = re.compile(r"\s*(?:sudo\s+)?(?:rm|dd|shred|mkfs\S*)\s+-?\w")
"""Shell text handed to an interpreter of another language by mistake."""


class Language(msgspec.Struct, frozen=True):
    """How an interpreter is given code: options with code, options with another value, and the reader of the code."""

    name: str
    code: frozenset[str]
    valued: frozenset[str] = frozenset()
    dialect: str = ""


def _language(name: str, code: str, valued: str = "", dialect: str = "") -> Language:
    return Language(name, frozenset(code.split()), frozenset(valued.split()), dialect)


PYTHON = _language("python", "-c", "-W -X -m --check-hash-based-pycs")
NODE = _language("node", "-e -p --eval --print -pe", "-r --require --import --loader", "javascript")
KNOWN: dict[str, Language] = {
    **dict.fromkeys(("python", "python2", "python3", "pypy", "pypy3", "ipython"), PYTHON),
    **dict.fromkeys(("node", "nodejs", "bun", "deno"), NODE),
    "perl": _language("perl", "-e -E", "-I -M -m", "perl"),
    "ruby": _language("ruby", "-e", "-I -r -C", "ruby"),
    "php": _language("php", "-r --run", "-d -c -f", "php"),
    **dict.fromkeys(("lua", "luajit"), _language("lua", "-e", "-l", "lua")),
}
VERSIONED = re.compile(r"(python|pypy|perl|ruby|php|lua)[\d.]+(?:-\w+)?")


def interpreter(shell: Evaluation, call: Call) -> str | None:
    """Python, Node, Perl, Ruby, PHP, Lua."""
    language = KNOWN.get(call.name) or KNOWN[VERSIONED.sub(r"\1", call.name)]
    given = _given(call.words, language)
    if given is not None:
        for code in given:
            run(shell, call, language, code)
        return None
    place = operands(call.words, language.valued)
    script = call.words[place] if place < len(call.words) else None
    if script is not None and script.text not in ("-", "/dev/stdin"):
        text = shell.files.get(shell.path(script.text))
        if text is not None:
            run(shell, call, language, Word(text))
        return None
    if call.stdin is not None:
        run(shell, call, language, Word(call.stdin))
    elif shell.stages and shell.stages[-1][1] > 0 and "-m" not in call.texts():
        shell.gap("code", f"{call.name} reads code that is not known")
    return None


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
        elif text in language.valued:
            if text == "-m":
                break
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


def run(shell: Evaluation, call: Call, language: Language, code: Word) -> None:
    """Note what the code runs, deletes or writes."""
    label = f"{language.name} -c" if language.name == "python" else f"{language.name} -e"
    if not code.known and code.text[:1] in "$`":
        shell.gap("code", f"{label} {code.text}")
        return
    if SHELL_LIKE.match(code.text):
        shell.code(code.text, label)
        return
    reader: Callable[[str], list[Act]] = python_acts
    if language.dialect:
        dialect = DIALECTS[language.dialect]
        reader = lambda text: foreign_acts(text, dialect)  # noqa: E731
    perform(shell, call, label, reader(code.text))


def perform(shell: Evaluation, call: Call, label: str, acts: list[Act]) -> None:
    """Turn what code does into commands that do the same."""
    for act in acts:
        if act.kind == "unknown":
            shell.gap("code", f"{label}: {act.words[0].text}")
        elif act.kind == "shell":
            shell.code(act.words[0].text, label)
        elif act.kind == "write":
            redirect = Redirect(">", act.words[0], cwd=shell.cwd)
            shell.redirects.append(redirect)
            with shell.through(label):
                shell.emit(Call([Word(":")], ":", redirects=(redirect,), span=None))
        elif act.words:
            shell.wrapped(Call([], stdin=None, cwd=call.cwd), act.words, label)


def awk(shell: Evaluation, call: Call) -> str | None:
    valued = frozenset({"-F", "-v", "-f", "--field-separator", "--assign", "--file", "-i", "-l"})
    place = operands(call.words, valued)
    if place < len(call.words) and "-f" not in call.texts():
        perform(shell, call, "awk", foreign_acts(call.words[place].text, DIALECTS["awk"]))
    return None


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
    **_VERSIONS,
    **dict.fromkeys(("awk", "gawk", "mawk", "nawk"), awk),
    "osascript": osascript,
}
