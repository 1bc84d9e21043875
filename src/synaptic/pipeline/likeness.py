"""Patterns of exceptions: which commands and files one covers, decided so that no text can smuggle more past it."""

import re
from collections.abc import Sequence

import msgspec

from synaptic.model.call import Call
from synaptic.model.event import ToolEvent
from synaptic.model.tool import SHELL, Tool
from synaptic.shell.globs import matches_glob

PLAIN_COMMAND = re.compile(r"[A-Za-z0-9_@%+=:,./^ -]+")
"""A text that every shell reads as one command with these very words: no quotes, no expansion, nothing beside it."""
PLAIN_PATTERN = re.compile(r"[A-Za-z0-9_@%+=:,./^*? -]+")
SIGNS = re.compile(r"[^A-Za-z0-9_./*?-]")
"""What gives a word parts of its own: a refspec, an assignment, a revision."""
EDIT_SUBJECT, READ_SUBJECT = "edit", "read"
MOST_CHARS = 500


class LikePattern(msgspec.Struct, frozen=True):
    """A pattern as a person has typed it, read."""

    text: str
    subject: str
    """The program of its commands; `edit` or `read` for one of paths."""


def read_like(text: str, call: Call) -> LikePattern:
    """Read a pattern for calls like this one. Raises ValueError with what is wrong with it."""
    text = text.strip()
    tool = call.event.tool if isinstance(call.event, ToolEvent) else None
    if tool is None or not text or len(text) > MOST_CHARS:
        raise ValueError("a pattern is a command or a path with `*`, of at most 500 characters")
    if tool.command:
        words = text.split(" ")
        if not PLAIN_PATTERN.fullmatch(text) or "" in words:
            raise ValueError(
                "a pattern of commands is plain words with `*` and `?` in them: no quotes, nothing behind it"
            )
        if _is_wild(words[0]) or "=" in words[0]:
            raise ValueError("its first word is the program, and is written out")
        return LikePattern(text, words[0])
    if not tool.paths:
        raise ValueError(f"calls of {tool.name} have no pattern: allow them one by one")
    if text.startswith(("/", "~")) or ".." in text.split("/"):
        raise ValueError("a pattern of paths starts in the project, and does not leave it")
    return LikePattern(text, _name_subject(tool))


def find_subject(call: Call) -> str:
    """The subject of patterns that may cover a call; empty where none can."""
    tool = call.event.tool if isinstance(call.event, ToolEvent) else None
    if tool is None:
        return ""
    if tool.command:
        # Only what a shell tool itself is given: what another tool carries may run elsewhere, or with more around it.
        return tool.command.partition(" ")[0] if tool.name in SHELL and PLAIN_COMMAND.fullmatch(tool.command) else ""
    return _name_subject(tool) if tool.paths else ""


def covers_command(pattern: str, command: str) -> bool:
    """Whether a command is one of the pattern's: as many words, and each as its own word of the pattern says."""
    if not PLAIN_COMMAND.fullmatch(command):
        return False
    said, wanted = command.split(" "), pattern.split(" ")
    return len(said) == len(wanted) and "" not in said and all(map(_covers_word, wanted, said))


def covers_paths(pattern: str, paths: Sequence[str]) -> bool:
    """Whether all files are the pattern's. They are real paths below the project's root: nothing leads out of it."""
    return bool(paths) and all(_match_parts(pattern.split("/"), path.split("/")) for path in paths)


def _name_subject(tool: Tool) -> str:
    return EDIT_SUBJECT if tool.may_write else READ_SUBJECT


def _is_wild(word: str) -> bool:
    return "*" in word or "?" in word


def _covers_word(pattern: str, word: str) -> bool:
    if not _is_wild(pattern):
        return word == pattern
    # A star is never an option and never a way up: `push * main` is not `push --force main`.
    if word.startswith("-") and not pattern.startswith("-"):
        return False
    # Nor does it hold what joins two words: `feature/*` is not `feature/a:main`.
    if ".." in word.split("/") or SIGNS.findall(word) != SIGNS.findall(pattern):
        return False
    return _match_parts(pattern.split("/"), word.split("/"))


def _match_parts(pattern: Sequence[str], parts: Sequence[str]) -> bool:
    """Parts of a path: `*` is in one of them, `**` is any number of them. Only the last `**` is ever tried again."""
    at = place = 0
    star, mark = -1, 0
    while at < len(parts):
        if place < len(pattern) and pattern[place] == "**":
            star, mark, place = place, at, place + 1
        elif place < len(pattern) and _match_name(pattern[place], parts[at]):
            at, place = at + 1, place + 1
        elif star < 0:
            return False
        else:
            mark += 1
            at, place = mark, star + 1
    return all(part == "**" for part in pattern[place:])


def _match_name(pattern: str, name: str) -> bool:
    """`*` and `?` in one name; a hidden one only where the pattern says the dot."""
    if name.startswith(".") and not pattern.startswith("."):
        return False
    return bool(name) and matches_glob(name, pattern)
