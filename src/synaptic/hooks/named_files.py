"""The files that a hook's command names, through wrappers and nested shells: what it would run is among them."""

import glob
import os
from collections.abc import Iterator
from itertools import islice

from synaptic.model.hook import Command as CommandHandler
from synaptic.shell.book.entries import normalize_name
from synaptic.shell.effects.flow import classify_interpreter
from synaptic.shell.globs import GLOB_SIGN
from synaptic.shell.read.reader import read_safely
from synaptic.shell.read.script import Command, Script
from synaptic.shell.read.writing import quote_word

SOURCING_COMMANDS = frozenset({".", "source"})
MAX_MATCHES = 1000
"""Files that one pattern may stand for."""


def find_named_files(handler: CommandHandler, root: str) -> Iterator[str]:
    """Every file of the project that the command names, as an absolute path. One that is not there yet is one, too."""
    yield from (word for word in handler.argv[:1] if word.startswith("/"))
    cwd, script = _read_command_script(handler, root)
    words = _iter_words(script, cwd)
    # The first word of an argv is a program that was looked up already.
    for word, folder in words if handler.shell else islice(words, 1, None):
        path = os.path.normpath(f"{folder}/{word}") if not word.startswith("/") else word
        if "\0" not in path and path.startswith(f"{root.rstrip('/')}/"):
            yield path


def find_patterns(handler: CommandHandler, root: str) -> Iterator[str]:
    """Each `hooks/*.sh` of the project that stands where a program or a script to run is named."""
    cwd, script = _read_command_script(handler, root)
    for command in script.commands:
        for word in _iter_run_words(command):
            path = os.path.normpath(os.path.join(command.cwd or cwd, word))  # noqa: PTH118 - text, links stay as they are
            if GLOB_SIGN.search(word) and path.startswith(f"{root.rstrip('/')}/"):
                yield path


def find_matches(pattern: str) -> list[str]:
    """The files that a pattern stands for now."""
    return sorted(islice(glob.iglob(pattern), MAX_MATCHES))  # noqa: PTH207 - as a shell: hidden files match no star


def find_folders(pattern: str) -> Iterator[str]:
    """Every folder in which a new name may match."""
    folder = os.path.dirname(pattern)  # noqa: PTH120 - as above
    while GLOB_SIGN.search(folder):
        yield from islice(glob.iglob(folder), MAX_MATCHES)  # noqa: PTH207
        folder = os.path.dirname(folder)  # noqa: PTH120
    yield folder


def _read_command_script(handler: CommandHandler, root: str) -> tuple[str, Script]:
    cwd = handler.cwd or root
    return cwd, read_safely(handler.shell or " ".join(map(quote_word, handler.argv)), cwd)


def _iter_words(script: Script, cwd: str) -> Iterator[tuple[str, str]]:
    """Every word that may name a file, and the folder it is seen from."""
    for command in script.commands:
        folder = command.cwd or cwd
        texts = [word.text for word in (*command.argv, *(value for _, value in command.assignments))]
        values = [text.partition("=")[2] for text in texts if "=" in text]
        yield from ((text, folder) for text in (*texts, *filter(None, values), *_iter_module_files(command)))
    for redirect in script.redirects:
        if not redirect.operator.startswith("<<"):
            yield redirect.target.text, redirect.cwd or cwd


def _iter_module_files(command: Command) -> Iterator[str]:
    """The files that `python -m hooks.check` may run."""
    if "-m" in command.args[:-1] and normalize_name(command.name) in ("python", "pypy"):
        module = command.args[command.args.index("-m") + 1].replace(".", "/")
        yield from (f"{module}.py", f"{module}/__main__.py")


def _iter_run_words(command: Command) -> Iterator[str]:
    """The words that name what runs: the program, and the script that a shell or another interpreter is given."""
    yield command.argv[0].text
    if command.name in SOURCING_COMMANDS or classify_interpreter(command.name):
        yield from islice((text for text in command.args if not text.startswith("-")), 1)
