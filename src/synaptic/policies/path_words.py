"""Which words of a command may name files."""

from synaptic.shell.book.entries import find_program
from synaptic.shell.read.script import Command

TEXTS = frozenset({"pattern", "code", "print"})
"""Roles of options whose value is no path."""
SAYERS = frozenset({"echo", "printf"})


def list_path_words(command: Command) -> list[str]:
    """The arguments without text that is no path: patterns, programs of a language, messages."""
    program = find_program(command.name)
    if program.name in SAYERS:
        return []
    given = program.read(command.argv[1:])
    spoken = [flag for flag in given.flags if flag.role in TEXTS]
    texts = [flag.word if flag.word.text[:2] == "--" and "=" in flag.word.text else flag.value for flag in spoken]
    if program.roles.first[:1] == ("pattern",) and not given.has_role("pattern", "pattern-file", "no-pattern"):
        texts += given.operands[:1]
    spared = {id(text) for text in texts}  # by identity: the same text may stand elsewhere as a path
    return [word.text for word in command.argv[1:] if id(word) not in spared]
