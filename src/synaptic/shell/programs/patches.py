"""Programs that apply a diff: which files its text names, where the text is known."""

import re
from collections.abc import Iterable, Iterator

import msgspec

from synaptic.shell.paths import MAX_PATH
from synaptic.shell.programs.elsewhere import find_text
from synaptic.shell.programs.git_line import GitCall
from synaptic.shell.programs.starters import read_call
from synaptic.shell.read.evaluate import Evaluation
from synaptic.shell.read.script import Word
from synaptic.shell.read.state import CommandCall

DIFF_HEADER = re.compile(
    r"^(?:---|\+\+\+|\*\*\*|Index:|rename to|copy to|diff --git \S+) +\"?([^\s\"][^\t\r\n\"]*)", re.MULTILINE
)
"""A line of a unified or context diff, or of git's, that names a file."""
PATCH_VERBS = frozenset({"apply", "am"})
GIT_STRIP = "1"
MAX_DIFF = 200_000
"""Characters of one diff that are looked at."""
MAX_NAMES = 500


def note_diff(shell: Evaluation, call: CommandCall) -> str | None:
    """`patch`: the files that its diff names, as far as that is known."""
    given = read_call(call)
    if given.has_role("dry"):
        return None
    files = [*given.get_values("input"), *given.operands[1:2], Word("-")]
    folder = next(iter(given.get_values("directory")), None)
    strip = next((one.text for one in given.get_values("strip")), "")
    _note(shell, call, _iter_names(_iter_texts(shell, call, files), strip), folder.text if folder else "")
    return None


def note_git_diff(shell: Evaluation, call: CommandCall, line: GitCall) -> None:
    """`git apply` and `git am`: the same."""
    given = line.given
    folder = next((one.text for one in line.args if one.text.startswith("--directory=")), "").partition("=")[2]
    strip = next((one.text[2:] for one in line.args if re.fullmatch(r"-p\d+", one.text)), GIT_STRIP)
    files = [*(given.operands or line.args), Word("-")]
    below = "/".join(filter(None, (line.cwd if line.cwd != shell.cwd else "", folder)))
    _note(shell, call, _iter_names(_iter_texts(shell, call, files), strip), below)


def _iter_texts(shell: Evaluation, call: CommandCall, files: Iterable[Word]) -> Iterator[str]:
    yield from filter(None, (find_text(shell, call, word) for word in files))


def iter_diff_names(text: str) -> Iterator[str]:
    """Every file that a diff names, as it is written there."""
    for found in DIFF_HEADER.findall(text[:MAX_DIFF])[:MAX_NAMES]:
        name = found.rstrip()
        if name != "/dev/null" and len(name) <= MAX_PATH:
            yield name


def _iter_names(texts: Iterable[str], strip: str) -> Iterator[str]:
    """The names of a diff without as many folders as are taken off; unsaid, `patch` tries the name and its end."""
    for name in (name for text in texts for name in iter_diff_names(text)):
        parts = name.split("/")
        if strip.isdigit():
            yield "/".join(parts[int(strip) :])
        else:
            yield from (name, parts[-1])


def _note(shell: Evaluation, call: CommandCall, names: Iterator[str], folder: str) -> None:
    paths = tuple(dict.fromkeys(f"{folder}/{name}" if folder else name for name in names if name))
    if paths:
        held = shell.commands[call.index]
        shell.commands[call.index] = msgspec.structs.replace(held, paths=(*held.paths, *paths))
