"""npm and its kin: scripts of a `package.json` that the same text has written, and programs that packages bring."""

import re
from collections.abc import Sequence

import msgspec

from synaptic.shell.book.arguments import Arguments, read_arguments
from synaptic.shell.book.entries import find_program
from synaptic.shell.names import names
from synaptic.shell.programs.starters import read_call, run_line
from synaptic.shell.read.evaluate import Evaluation, Handler
from synaptic.shell.read.script import Word
from synaptic.shell.read.state import Call
from synaptic.shell.read.writing import as_word

FOLDER = ("prefix", "cwd", "dir", "C")
RUNS = frozenset({"run", "run-script", "rum", "urn"})
SHORT = {"t": "test", "tst": "test", "test": "test", "start": "start", "stop": "stop", "restart": "restart"}
VERSION = re.compile(r"(?<=.)@[\w.^~-]+$")
SET = re.compile(r"scripts(?:\.([^=]+)|\[['\"]?([^=\]'\"]+)['\"]?\])=(.*)", re.DOTALL)
INSTALLS = frozenset({"install", "i", "ci"})
LIFECYCLE = ("preinstall", "install", "postinstall", "prepare")
# A NUL cannot be in a path, so no file that the text writes can collide with this key.
ADDED = "\0scripts"
"""Behind the path of a manifest: the scripts that were put into it, whatever else it holds."""
BINARIES = names(
    "rimraf del del-cli shx cross-env cross-env-shell env-cmd dotenv concurrently nodemon chokidar onchange"
)
"""Programs that yarn and pnpm start by their bare name, as those of other packages."""


class Manifest(msgspec.Struct):
    """The part of a `package.json` that runs."""

    scripts: dict[str, str] = {}


def node_packages(shell: Evaluation, call: Call) -> str | None:
    """`npm exec`, `pnpm dlx`, `npm run clean`, `yarn clean`, `yarn rimraf dist`."""
    program = find_program(call.name)
    words = program.read(call.words[1:]).operands
    verb = words[0].text if words else ""
    if starter := program.find_verb(verb):
        return _start_package(shell, call, starter.read(words[1:]), f"{call.name} {verb}")
    if verb in ("pkg", "set-script"):
        return _set(shell, words)
    behind = program.read(words[1:]).operands
    if verb in INSTALLS and shell.files and not behind:
        for name in LIFECYCLE:
            _scripts(shell, call, name, ())
        return None
    if verb in RUNS:
        words = behind
    elif call.name == "npm" and verb not in SHORT:
        return None
    if not words:
        return None
    name = SHORT.get(words[0].text, words[0].text)
    if call.name != "npm" and name in BINARIES:
        return shell.wrapped(call, list(words), call.name)
    return _scripts(shell, call, name, words[1:]) if shell.files else None


def npx(shell: Evaluation, call: Call) -> str | None:
    return _start_package(shell, call, read_call(call), call.name)


def _start_package(shell: Evaluation, call: Call, given: Arguments, label: str) -> str | None:
    """A line for a shell, or a program that a package brings."""
    if lines := given.of_role("run"):
        return run_line(shell, lines[0], label)
    return brought(shell, call, list(given.operands), label)


def brought(shell: Evaluation, call: Call, words: list[Word], label: str) -> str | None:
    """Start a program that a package brings; `rimraf@5` is `rimraf`."""
    if words and "@" in words[0].text:
        words = [msgspec.structs.replace(words[0], text=VERSION.sub("", words[0].text)), *words[1:]]
    return shell.wrapped(call, words, label)


def _set(shell: Evaluation, words: Sequence[Word]) -> str | None:
    """`npm pkg set scripts.x='...'`, `npm set-script x '...'`."""
    texts = [word.text for word in words]
    found = {}
    if texts[0] == "set-script" and len(texts) == 3:
        found[texts[1]] = texts[2]
    elif texts[:2] == ["pkg", "set"]:
        found = {one[1] or one[2]: one[3] for text in texts[2:] if (one := SET.fullmatch(text))}
    if found:
        path = shell.path("package.json") + ADDED
        held = msgspec.json.decode(shell.files.get(path, "{}"), type=dict[str, str])
        shell.files[path] = msgspec.json.encode(held | found).decode()
    return None


def _scripts(shell: Evaluation, call: Call, name: str, arguments: Sequence[Word]) -> str | None:
    grammar = msgspec.structs.replace(find_program(call.name).grammar, stops=False)
    folder = next(iter(read_arguments(call.words[1:], grammar).values(*FOLDER)), None)
    scripts = _known(shell, shell.path(f"{folder.text}/package.json" if folder else "package.json"))
    words = [as_word(word.text) for word in arguments if word.text != "--"]
    # npm and yarn 1 run `preX` and `postX` by themselves.
    for key, behind in ((f"pre{name}", []), (name, words), (f"post{name}", [])):
        if key in scripts:
            with shell.within(f"{key}: {scripts[key]}") as first, shell.apart():
                shell.cwd = shell.path(folder.text) if folder else shell.cwd
                if first:
                    shell.code(" ".join([scripts[key], *behind]), f"{call.name} run")
    return None


def _known(shell: Evaluation, path: str) -> dict[str, str]:
    text, added = shell.files.get(path, "{}"), shell.files.get(path + ADDED, "{}")
    shell.budget.text(len(text) + len(added))
    try:
        scripts = msgspec.json.decode(text, type=Manifest).scripts
    except msgspec.DecodeError:
        scripts = {}
    return scripts | msgspec.json.decode(added, type=dict[str, str])


MANIFESTS: dict[str, Handler] = {"npm": node_packages, "pnpm": node_packages, "npx": npx}
