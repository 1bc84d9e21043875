"""npm and its kin: scripts of a `package.json` that the same text has written, and programs that packages bring."""

import re
from collections.abc import Sequence

import msgspec

from synaptic.shell.book.arguments import Arguments, read_arguments
from synaptic.shell.book.entries import find_program
from synaptic.shell.names import split_names
from synaptic.shell.programs.starters import read_call, run_line
from synaptic.shell.read.evaluate import Evaluation, ProgramHandler
from synaptic.shell.read.script import Word
from synaptic.shell.read.state import CommandCall
from synaptic.shell.read.writing import quote_word

FOLDER_OPTIONS = ("prefix", "cwd", "dir", "C")
RUN_VERBS = frozenset({"run", "run-script", "rum", "urn"})
SCRIPT_VERBS = {"t": "test", "tst": "test", "test": "test", "start": "start", "stop": "stop", "restart": "restart"}
PACKAGE_VERSION = re.compile(r"(?<=.)@[\w.^~-]+$")
SCRIPT_SETTING = re.compile(r"scripts(?:\.([^=]+)|\[['\"]?([^=\]'\"]+)['\"]?\])=(.*)", re.DOTALL)
INSTALL_VERBS = frozenset({"install", "i", "ci"})
INSTALL_SCRIPTS = ("preinstall", "install", "postinstall", "prepare")
# A NUL cannot be in a path, so no file that the text writes can collide with this key.
ADDED_SCRIPTS = "\0scripts"
"""Behind the path of a manifest: the scripts that were put into it, whatever else it holds."""
PACKAGE_PROGRAMS = split_names(
    "rimraf del del-cli shx cross-env cross-env-shell env-cmd dotenv concurrently nodemon chokidar onchange"
)
"""Programs that yarn and pnpm start by their bare name, as those of other packages."""


class PackageScripts(msgspec.Struct):
    """The part of a `package.json` that runs."""

    scripts: dict[str, str] = {}


def run_package_manager(shell: Evaluation, call: CommandCall) -> str | None:
    """`npm exec`, `pnpm dlx`, `npm run clean`, `yarn clean`, `yarn rimraf dist`."""
    program = find_program(call.name)
    words = program.read(call.words[1:]).operands
    verb = words[0].text if words else ""
    if starter := program.find_verb(verb):
        return _start_package(shell, call, starter.read(words[1:]), f"{call.name} {verb}")
    if verb in ("pkg", "set-script"):
        return _set_script(shell, words)
    if call.name == "npm" and not shell.files:
        return None  # without a manifest nobody knows what its scripts run
    behind = program.read(words[1:]).operands
    if verb in INSTALL_VERBS and shell.files and not behind:
        for name in INSTALL_SCRIPTS:
            _run_scripts(shell, call, name, ())
        return None
    if verb in RUN_VERBS:
        words = behind
    elif call.name == "npm" and verb not in SCRIPT_VERBS:
        return None
    if not words:
        return None
    name = SCRIPT_VERBS.get(words[0].text, words[0].text)
    if call.name != "npm" and name in PACKAGE_PROGRAMS:
        return shell.run_wrapped(call, list(words), call.name)
    return _run_scripts(shell, call, name, words[1:]) if shell.files else None


def run_npx(shell: Evaluation, call: CommandCall) -> str | None:
    return _start_package(shell, call, read_call(call), call.name)


def _start_package(shell: Evaluation, call: CommandCall, given: Arguments, label: str) -> str | None:
    """A line for a shell, or a program that a package brings."""
    if lines := given.get_by_role("run"):
        return run_line(shell, lines[0], label)
    return start_package_program(shell, call, list(given.operands), label)


def start_package_program(shell: Evaluation, call: CommandCall, words: list[Word], label: str) -> str | None:
    """Start a program that a package brings; `rimraf@5` is `rimraf`."""
    if words and "@" in words[0].text:
        words = [msgspec.structs.replace(words[0], text=PACKAGE_VERSION.sub("", words[0].text)), *words[1:]]
    return shell.run_wrapped(call, words, label)


def _set_script(shell: Evaluation, words: Sequence[Word]) -> str | None:
    """`npm pkg set scripts.x='...'`, `npm set-script x '...'`."""
    texts = [word.text for word in words]
    found = {}
    if texts[0] == "set-script" and len(texts) == 3:
        found[texts[1]] = texts[2]
    elif texts[:2] == ["pkg", "set"]:
        found = {one[1] or one[2]: one[3] for text in texts[2:] if (one := SCRIPT_SETTING.fullmatch(text))}
    if found:
        path = shell.make_file_key("package.json") + ADDED_SCRIPTS
        held = msgspec.json.decode(shell.files.get(path, "{}"), type=dict[str, str])
        shell.files[path] = msgspec.json.encode(held | found).decode()
    return None


def _run_scripts(shell: Evaluation, call: CommandCall, name: str, arguments: Sequence[Word]) -> str | None:
    grammar = msgspec.structs.replace(find_program(call.name).grammar, stops=False)
    folder = next(iter(read_arguments(call.words[1:], grammar).get_values(*FOLDER_OPTIONS)), None)
    scripts = _read_scripts(shell, shell.make_file_key(f"{folder.text}/package.json" if folder else "package.json"))
    words = [quote_word(word.text) for word in arguments if word.text != "--"]
    # npm and yarn 1 run `preX` and `postX` by themselves.
    for key, behind in ((f"pre{name}", []), (name, words), (f"post{name}", [])):
        if key in scripts:
            with shell.guard_recursion(f"{key}: {scripts[key]}") as first, shell.isolate():
                shell.cwd = shell.make_file_key(folder.text) if folder else shell.cwd
                if first:
                    shell.run_code(" ".join([scripts[key], *behind]), f"{call.name} run")
    return None


def _read_scripts(shell: Evaluation, path: str) -> dict[str, str]:
    text, added = shell.files.get(path, "{}"), shell.files.get(path + ADDED_SCRIPTS, "{}")
    shell.budget.count_text(len(text) + len(added))
    try:
        scripts = msgspec.json.decode(text, type=PackageScripts).scripts
    except msgspec.DecodeError:
        scripts = {}
    return scripts | msgspec.json.decode(added, type=dict[str, str])


MANIFESTS: dict[str, ProgramHandler] = {"npm": run_package_manager, "pnpm": run_package_manager, "npx": run_npx}
