"""The commands that say what a tool call does: each is text for a shell, whatever the call itself holds."""

import base64
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from shlex import quote

from synaptic.model.tool_keys import (
    ANY_LANGUAGE,
    COPYING_WORDS,
    DEFAULT_SQL_PROGRAM,
    DELETING_WORDS,
    ENDING_PATH_KEYS,
    GIT_MODES,
    LANGUAGE_KEYS,
    LANGUAGE_PROGRAMS,
    MOVING_WORDS,
    NAMED_PROGRAMS,
    SQL_PROGRAMS,
)

Arguments = Mapping[str, object]

NO_KEY_LETTER = re.compile(r"[^a-z0-9]+")
NAME_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
CELL_LINE = re.compile(r"^[ \t]*(?:!|%(?:sx|system)\b)(.*)$", re.MULTILINE)
SHELL_CELL = re.compile(r"\s*%%(?:bash|sh|script|system|!)[^\n]*\n")
SQL_VERBS = r"(?:drop|truncate|alter|delete|update|with|begin|start|use|set|create|insert)\b"
SQL_START = re.compile(rf"(?:\s|--[^\n]*+\n|/\*(?:[^*]|\*(?!/))*+\*/|\()*+{SQL_VERBS}", re.IGNORECASE)
NEXT_STATEMENT = re.compile(rf";\s*+(?:--[^\n]{{0,200}}\n\s*+)?{SQL_VERBS}", re.IGNORECASE)


@lru_cache(maxsize=1024)
def split_name(name: str) -> frozenset[str]:
    """The words of a tool's name, in lower case: `mcp__fs__moveFile` is about `fs`, `move` and `file`."""
    return frozenset(part.lower() for part in NAME_PART.findall(name)) - {"mcp"}


@lru_cache(maxsize=4096)
def simplify_key(key: str) -> str:
    return NO_KEY_LETTER.sub("", key.lower())


def decode_command(text: str, beside: Arguments) -> list[str]:
    """A command in base64, where an argument beside it says so."""
    if "base64" not in beside.values():
        return []
    try:
        return [base64.b64decode(text, validate=True).decode()]
    except ValueError:
        return []


def add_named_programs(text: str, words: frozenset[str]) -> list[str]:
    """A command, and the same as arguments of the program that the tool's name stands for."""
    first = text.split(maxsplit=1)[0] if text.strip() else ""
    named = (program for word, program in NAMED_PROGRAMS.items() if word in words and first != program)
    return [text, *(f"{program} {text}" for program in named)]


def make_code_lines(key: str, value: object, beside: Arguments, words: frozenset[str]) -> list[str]:
    """Code as it is given to its interpreter; shell lines of a notebook's cell as they are."""
    lines: list[str] = []
    programs = _find_languages(key, beside, words)
    for text in list_texts(value):
        shell = [] if programs == ("bash -c",) else CELL_LINE.findall(text)
        if cell := SHELL_CELL.match(text):
            shell.append(text[cell.end() :])
            text = text[cell.end() :]
        elif shell:
            text = CELL_LINE.sub("pass", text)
        lines += shell
        lines += (f"{program} {quote(text)}" for program in programs)
    return lines


def _find_languages(key: str, beside: Arguments, words: frozenset[str]) -> tuple[str, ...]:
    """How code is run: as its key, the argument beside it or the tool's name says; else in every likely way."""
    said = [value for name, value in beside.items() if simplify_key(str(name)) in LANGUAGE_KEYS]
    named = [word for one in said if isinstance(one, str) for word in (one.lower(), *split_name(one))]
    for candidates in ((key,), named, sorted(words)):
        if known := tuple(dict.fromkeys(LANGUAGE_PROGRAMS[word] for word in candidates if word in LANGUAGE_PROGRAMS)):
            return known
    return ANY_LANGUAGE


def make_sql_lines(value: object, words: frozenset[str]) -> list[str]:
    """Statements as the client of a database gets them. What is searched for begins like none."""
    program = next((SQL_PROGRAMS[word] for word in sorted(words) if word in SQL_PROGRAMS), DEFAULT_SQL_PROGRAM)
    texts = list_texts(value)
    if program != DEFAULT_SQL_PROGRAM:
        return [f"{program} {text if program == 'redis-cli' else quote(text)}" for text in texts]
    return [f"{program} {quote(text)}" for text in texts if SQL_START.match(text) or NEXT_STATEMENT.search(text)]


def list_texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    return [str(one) for one in value if isinstance(one, str | int | float)] if isinstance(value, Sequence) else []


def join_words(words: Sequence[str]) -> str:
    return " ".join(map(quote_path, words))


def quote_path(path: str) -> str:
    """A path as a word; the home folder is what a tool takes `~` and `$HOME` for."""
    plain = path.removeprefix("file://")
    for sign in ("~", "$HOME", "${HOME}"):
        if plain == sign or plain.startswith(f"{sign}/"):
            return f"~{quote(plain[len(sign) :]) if plain != sign else ''}"
    return quote(plain)


def describe_acts(words: frozenset[str], paths: list[tuple[str, str]], writes: bool) -> list[str]:
    """What happens to the files, as commands."""
    if not paths:
        return []
    ordered = sorted(paths, key=lambda one: one[0] in ENDING_PATH_KEYS)
    named = " ".join(quote_path(path) for path in dict.fromkeys(path for _, path in ordered))
    if not words.isdisjoint(DELETING_WORDS):
        return [f"rm -rf -- {named}"]
    if not words.isdisjoint(MOVING_WORDS) and len(paths) > 1:
        return [f"mv -- {named}"]
    if not words.isdisjoint(COPYING_WORDS) and len(paths) > 1:
        return [f"cp -r -- {named}"]
    if writes:
        return [f": > {quote_path(path)}" for path in dict.fromkeys(path for _, path in paths)]
    return []


def describe_git(name: str, given: Arguments) -> list[str]:
    """A tool that is named after a verb of git, as that call: `git_reset` with `mode = "hard"`."""
    parts = [part.lower() for part in NAME_PART.findall(name)]
    verb = "-".join(parts[len(parts) - parts[::-1].index("git") :]) if "git" in parts else ""
    if not verb:
        return []
    words = [verb.replace("-delete", " -D") if verb.startswith("branch") else verb]
    for key, value in given.items():
        if value is True:
            words.append(f"--{str(key).replace('_', '-')}" if len(str(key)) > 1 else f"-{key}")
        elif isinstance(value, str) and value.lower() in GIT_MODES:
            words.append(f"--{value.lower()}")
        elif isinstance(value, str) and simplify_key(str(key)) in ("remote", "branch", "branchname", "ref", "refspec"):
            words.append(quote(value))
    return [f"git {' '.join(words)}"]
