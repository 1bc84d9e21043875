"""What a piece of foreign code does, in terms of shell commands."""

import msgspec

from synaptic.parse.shell.script import Word


class Act(msgspec.Struct, frozen=True):
    """`shell`: text given to a shell; `argv`: a program with arguments; `write`: a file written; `unknown`: neither."""

    kind: str
    words: list[Word]


def deletion(paths: list[Word], tree: bool) -> Act:
    """Files removed, as the command that removes them."""
    return Act("argv", [Word("rm"), Word("-rf" if tree else "-f"), *paths])
