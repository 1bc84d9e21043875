"""npm and its kin: scripts of a `package.json` that the same text has written, and programs that packages bring."""

import re

import msgspec

from synaptic.shell.names import names
from synaptic.shell.programs.options import operands, value_of
from synaptic.shell.read.evaluate import Evaluation, Handler
from synaptic.shell.read.script import Word
from synaptic.shell.read.state import Call
from synaptic.shell.read.writing import as_word

VALUED = names("-p -c -C -w -F --package --call --prefix --cwd --dir --filter --workspace --shell-mode --script-shell")
FOLDER = frozenset({"--prefix", "--cwd", "--dir", "-C"})
STARTS = {"npm": frozenset({"exec", "x"}), "pnpm": frozenset({"exec", "dlx"}), "yarn": frozenset({"exec", "dlx"})}
RUNS = frozenset({"run", "run-script", "rum", "urn"})
SHORT = {"t": "test", "tst": "test", "test": "test", "start": "start", "stop": "stop", "restart": "restart"}
VERSION = re.compile(r"(?<=.)@[\w.^~-]+$")
SET = re.compile(r"scripts(?:\.([^=]+)|\[['\"]?([^=\]'\"]+)['\"]?\])=(.*)", re.DOTALL)
INSTALLS = frozenset({"install", "i", "ci"})
LIFECYCLE = ("preinstall", "install", "postinstall", "prepare")
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
    words = call.words
    place = operands(words, VALUED)
    verb = words[place].text if place < len(words) else ""
    if verb in STARTS[call.name]:
        start = operands(words, VALUED, place + 1)
        line = value_of(words[place:start], frozenset({"-c", "--call"}))
        if line is not None:
            return shell.code(line.text, f"{call.name} {verb}", shell.place(line))
        return brought(shell, call, words[start:], f"{call.name} {verb}")
    if verb in ("pkg", "set-script"):
        return _set(shell, words[place:])
    if verb in INSTALLS and shell.files and operands(words, VALUED, place + 1) >= len(words):
        for name in LIFECYCLE:
            _scripts(shell, call, name, [])
        return None
    if verb in RUNS:
        place = operands(words, VALUED, place + 1)
    elif call.name == "npm" and verb not in SHORT:
        return None
    if place >= len(words):
        return None
    name = SHORT.get(words[place].text, words[place].text)
    if call.name != "npm" and name in BINARIES:
        return shell.wrapped(call, words[place:], call.name)
    return _scripts(shell, call, name, words[place + 1 :]) if shell.files else None


def brought(shell: Evaluation, call: Call, words: list[Word], label: str) -> str | None:
    """Start a program that a package brings; `rimraf@5` is `rimraf`."""
    if words and "@" in words[0].text:
        words = [msgspec.structs.replace(words[0], text=VERSION.sub("", words[0].text)), *words[1:]]
    return shell.wrapped(call, words, label)


def _set(shell: Evaluation, words: list[Word]) -> str | None:
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


def _scripts(shell: Evaluation, call: Call, name: str, arguments: list[Word]) -> str | None:
    folder = value_of(call.words[1:], FOLDER)
    scripts = _known(shell, shell.path(f"{folder.text}/package.json" if folder else "package.json"))
    words = [as_word(word.text) for word in arguments if word.text != "--"]
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


MANIFESTS: dict[str, Handler] = dict.fromkeys(STARTS, node_packages)
