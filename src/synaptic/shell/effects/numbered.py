"""Names that hold the number of the shell: `$$` is one number as long as the line runs, and nobody knows which."""

import re

import msgspec

from synaptic.shell.read.script import Word

SHELL_NUMBER = re.compile(r"\$(?:\$(?![\w{(])|\{\$\})")
"""`$$` and `${$}`. With a letter behind it, it may be a dollar sign in front of a variable."""
NUMBER_TEXT = "$$"
UNKNOWN_SIGN = re.compile(r"[$`{}(]")


def settle_number(word: Word) -> Word:
    """A word of which nothing is unknown but the shell's number, as a name that is the same wherever it stands."""
    # In `sh -c` it is another number. That file is not there either, so it makes no difference to what is lost.
    if word.known or NUMBER_TEXT[0] not in word.text or word.outputs:
        return word
    rest, times = SHELL_NUMBER.subn("", word.text)
    if not times or UNKNOWN_SIGN.search(rest):
        return word
    return msgspec.structs.replace(word, text=SHELL_NUMBER.sub(lambda _: NUMBER_TEXT, word.text), known=True)


def is_numbered(path: str) -> bool:
    """Whether a path is one that no other process uses: its last part holds the number of this shell."""
    return NUMBER_TEXT in path.rpartition("/")[2]
