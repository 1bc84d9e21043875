"""Shell text that only talks to the engine: what it writes down there is no command, whatever it looks like."""

import shlex
from functools import lru_cache

from synaptic.shell.read.once import read_once
from synaptic.shell.read.script import Command, Script

ENGINE = "synaptic"
HINT = f"{ENGINE} effort"
BESIDE = frozenset({"cat", "cd", "echo", "printf", "true"})
NOWHERE = frozenset({"/dev/null", "/dev/stdout", "/dev/stderr"})


@lru_cache(maxsize=64)
def bare(text: str) -> str:
    """The commands of such a text without what they are fed; any other text as it is.

    A log or a hand-over tells of commands: a reader that takes a here-document for more of them would judge a story.
    """
    if HINT not in text:
        return text
    script = read_once(text)
    return "\n".join(map(_plain, script.commands)) if _only_engine(script) else text


def _only_engine(script: Script) -> bool:
    if script.unresolved or script.truncated or any(one.target.text not in NOWHERE for one in script.writes):
        return False
    names = {command.name for command in script.commands}
    return ENGINE in names and names <= BESIDE | {ENGINE} and not any(command.via for command in script.commands)


def _plain(command: Command) -> str:
    """With the files that it reads: only text that stands in the command itself is left out."""
    read = ((one.operator, one.target.text) for one in command.redirects if not one.operator.startswith("<<"))
    return " ".join(
        (shlex.join(word.text for word in command.argv), *(f"{how} {shlex.quote(what)}" for how, what in read))
    )
