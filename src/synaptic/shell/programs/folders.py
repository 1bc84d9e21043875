"""Programs that print a path: where the shell is, or what others are made of."""

import posixpath
from collections.abc import Callable, Sequence

from synaptic.shell.programs.starters import read_call
from synaptic.shell.read.evaluate import Evaluation, ProgramHandler
from synaptic.shell.read.expand import GLOB_LETTER
from synaptic.shell.read.script import Word
from synaptic.shell.read.state import CommandCall
from synaptic.shell.read.variables import DEFAULT_VARIABLES


def run_pwd(shell: Evaluation, _: CommandCall) -> str | None:
    return f"{shell.cwd}\n" if shell.cwd else None


def run_printenv(shell: Evaluation, call: CommandCall) -> str | None:
    texts = call.list_texts()
    held = shell.lookup(texts[0], "") if len(texts) == 1 else None
    return f"{held.text}\n" if held and held.known else None


def run_dirname(_: Evaluation, call: CommandCall) -> str | None:
    return _print_paths(read_call(call).operands, lambda text: posixpath.dirname(text.rstrip("/") or "/") or ".")


def run_basename(_: Evaluation, call: CommandCall) -> str | None:
    words = read_call(call).operands
    if len(words) == 2:
        return _print_paths(words[:1], lambda text: _get_last_part(text).removesuffix(words[1].text))
    return _print_paths(words, _get_last_part) if len(call.words) == len(words) + 1 else None


def _get_last_part(text: str) -> str:
    return posixpath.basename(text.rstrip("/")) or "/"


def run_realpath(shell: Evaluation, call: CommandCall) -> str | None:
    """Links are not followed: the folder they lead to is not known."""
    given = read_call(call)
    words = given.operands
    if given.has("relative-to", "relative-base", "zero"):
        return None
    if call.name.endswith("readlink") and not given.has("canonicalize"):
        return None
    cwd = call.cwd or shell.cwd
    if not cwd and any(word.text[:1] != "/" for word in words):
        return None
    return _print_paths(words, lambda text: posixpath.normpath(posixpath.join(cwd, text)))


def _print_paths(words: Sequence[Word], change: Callable[[str], str]) -> str | None:
    """One line for each path, when all of them are known."""
    if not words or any(_has_no_folder(word) for word in words):
        return None
    return "".join(f"{change(word.text)}\n" for word in words)


def _has_no_folder(word: Word) -> bool:
    """Whether it does not say where it is: unknown, a pattern, or the bare name that stands for `$0` or a `which`."""
    if not word.known or GLOB_LETTER.search(word.text):
        return True
    # Both stand for a program whose real path is not known, and `dirname` of them would wrongly be the current folder.
    return "/" not in word.text and (word.text == DEFAULT_VARIABLES["0"] or bool(word.outputs))


FOLDER_PRINTERS: dict[str, ProgramHandler] = {
    "pwd": run_pwd,
    "printenv": run_printenv,
    "dirname": run_dirname,
    "basename": run_basename,
    "realpath": run_realpath,
    "readlink": run_realpath,
}
