"""Programs that delete as `rm -rf` does, and have a name of their own."""

import msgspec

from synaptic.shell.globs import SIGN
from synaptic.shell.read.evaluate import Evaluation, Handler
from synaptic.shell.read.script import Word
from synaptic.shell.read.state import Call

OF_NODE = ("npx", "bunx", "pnpx", "npm", "pnpm", "yarn")
OPTION_OR_KEPT = ("-", "!")
"""What a word begins with that is an option, or names what is left alone."""


def deleter(shell: Evaluation, call: Call) -> str | None:
    """`rimraf`, `del-cli`: patterns in their words are theirs, quoted or not."""
    words = [_path(word) for word in call.words[1:] if word.text[:1] not in OPTION_OR_KEPT]
    return shell.wrapped(call, [Word("rm"), Word("-rf"), *words], call.name) if words else None


def _path(word: Word) -> Word:
    return msgspec.structs.replace(word, glob=True) if SIGN.search(word.text) else word


def windows_or_node(shell: Evaluation, call: Call) -> str | None:
    """`del` is a command of Windows, unless a package brings it."""
    started = shell.via[-1].partition(" ")[0] if shell.via else ""
    return deleter(shell, call) if started in OF_NODE else None


def shx(shell: Evaluation, call: Call) -> str | None:
    return shell.wrapped(call, call.words[1:], "shx")


DELETERS: dict[str, Handler] = {"rimraf": deleter, "del-cli": deleter, "del": windows_or_node, "shx": shx}
