"""What a piece of foreign code does, in terms of shell commands."""

import msgspec

from synaptic.shell.read.script import Word

ITEM_VARIABLE = "_item"
"""The variable that stands, in shell text made for each line of a list, for what the list holds."""
MAX_ACTS = 400
"""Acts of one piece of code; what it does beyond is not looked at."""
EVERYTHING_PATTERNS = ("/**", "/**/*")
Feed = tuple[Word, ...]
"""A command that prints what code reads: `cat FILE`, or `env`."""


class CodeAct(msgspec.Struct, frozen=True):
    """One thing that code does.

    `shell`: text given to a shell; `argv`: a program with arguments; `write`: a file, and what is written when that is
    known; `read`: a file; `send`: to an address, what `feeds` print; `unknown`: runs what cannot be known.
    """

    kind: str
    words: list[Word]
    feeds: tuple[Feed, ...] = ()
    origin: str = ""
    """Where unknown code comes from: `fetched`, `decoded`, or empty."""
    stdin: str | None = None


class CodeEffects(msgspec.Struct, frozen=True):
    """What code does, in the order it is written, and what it prints when that is known."""

    acts: list[CodeAct]
    output: str | None = None
    opaque: bool = True
    """Whether it may start programs in ways that were not followed."""


def make_deletion(paths: list[Word], tree: bool) -> CodeAct:
    """The `rm` command that removes these files; a pattern for every file in every folder counts as recursive."""
    tree = tree or any(path.glob and path.text.endswith(EVERYTHING_PATTERNS) for path in paths)
    return CodeAct("argv", [Word("rm"), Word("-rf" if tree else "-f"), *paths])


def join_paths(words: list[Word], anew: bool = True) -> Word:
    """Parts of a path put together; in some languages one that starts at the root begins it anew."""
    parts: list[str] = []
    for word in words:
        if anew and word.text[:1] == "/":
            parts = []
        parts.append(word.text.rstrip("/") or ("/" if word.text else ""))
    text = "/".join(parts).replace("//", "/")
    return Word(text, all(word.known for word in words), any(word.glob for word in words))


def concat_words(words: list[Word], middle: str = "") -> Word:
    """Join texts to one word, which is known if all of them are."""
    text = middle.join(word.text for word in words)
    return Word(text, all(word.known for word in words), any(word.glob for word in words))
