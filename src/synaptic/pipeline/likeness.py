"""Patterns of exceptions: which commands and files one covers, decided so that no text can smuggle more past it."""

import os
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
SHELL_WORDS = frozenset(
    {"case", "coproc", "do", "done", "elif", "else", "end", "esac", "fi", "for", "foreach", "function", "if", "in"}
    | {"nocorrect", "noglob", "repeat", "select", "then", "time", "until", "while"}
)
"""They stand where a program would, and change what the words behind them are."""
KNOWN_KEYS = frozenset({"command", "description", "timeout", "run_in_background"})
"""What a shell tool may be given in a call that a pattern covers."""
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
        if not _is_program(words[0]):
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
    if len(said) != len(wanted) or "" in said or not _is_program(wanted[0]):
        return False
    return all(map(_covers_word, wanted, said))


def is_only_command(event: ToolEvent) -> bool:
    """Whether a shell tool is given nothing beside the command that could change what it does, or where."""
    return all(key in KNOWN_KEYS or _is_folder(value, event.cwd) for key, value in event.tool_input.items())


def covers_paths(pattern: str, paths: Sequence[str]) -> bool:
    """Whether all files are the pattern's. They are real paths below the project's root: nothing leads out of it."""
    return bool(paths) and all(_match_parts(pattern.split("/"), path.split("/")) for path in paths)


def _name_subject(tool: Tool) -> str:
    return EDIT_SUBJECT if tool.may_write else READ_SUBJECT


def _is_wild(word: str) -> bool:
    return "*" in word or "?" in word


def _is_program(word: str) -> bool:
    """Whether a first word is a program's name, written out: no assignment, and no word of the shell's own language."""
    return not _is_wild(word) and "=" not in word and word not in SHELL_WORDS and not word.startswith(("-", "^", "%"))


def _is_folder(value: object, cwd: str) -> bool:
    """Whether a value only names the folder that the call is judged in: some agents say it in the tool's input."""
    if not isinstance(value, str) or not value:
        return value in (None, "")
    folder = os.path.normpath(value)
    return folder in (".", cwd) or (not value.startswith("/") and ".." not in folder and cwd.endswith(f"/{folder}"))


def _covers_word(pattern: str, word: str) -> bool:
    if not _is_wild(pattern):
        return word == pattern
    # A star is never an option and never a way up: `push * main` is not `push --force main`.
    if word.startswith("-") and not pattern.startswith("-"):
        return False
    # Nor does it hold what joins two words: `feature/*` is not `feature/a:main`, and `*` is not `v1..v9`.
    if ".." in word or SIGNS.findall(word) != SIGNS.findall(pattern):
        return False
    return _match_parts(pattern.split("/"), word.split("/"))


def _match_parts(pattern: Sequence[str], parts: Sequence[str]) -> bool:
    """Parts of a path: `*` is in one of them, `**` is any number of them. A hidden one is never a star's."""
    reached = _pass_stars(pattern, {0})
    for part in parts:
        after = {place + 1 for place in reached if place < len(pattern) and _match_name(pattern[place], part)}
        if _is_plain_name(part):
            after |= {place for place in reached if pattern[place : place + 1] == ["**"]}
        reached = _pass_stars(pattern, after)
    return len(pattern) in reached


def _pass_stars(pattern: Sequence[str], reached: set[int]) -> set[int]:
    """The places with those behind each `**`, which may hold nothing."""
    found = set(reached)
    for place in sorted(reached):
        while pattern[place : place + 1] == ["**"]:
            place += 1
            found.add(place)
    return found


def _match_name(pattern: str, name: str) -> bool:
    """`*` and `?` in one name; a hidden one only where the pattern says the dot, and one that leads up never."""
    if not _is_wild(pattern):
        return name == pattern
    if pattern == "**" or name in ("", ".", "..") or (name.startswith(".") and not pattern.startswith(".")):
        return False
    return matches_glob(name, pattern)


def _is_plain_name(part: str) -> bool:
    return bool(part) and not part.startswith(".")
