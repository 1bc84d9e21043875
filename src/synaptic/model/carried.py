"""What a tool call carries, whatever the tool is called: the commands and code that it runs, the files that it names.

A tool that no table describes is judged by its arguments. Everything that may run is written as one shell text, code of
another language as an argument of its interpreter, so that there is one reader for all of it. Text that is no command
does no harm there: it is judged by what it would do.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from shlex import quote

import msgspec

from synaptic.model.carried_lines import (
    Arguments,
    add_named_programs,
    decode_command,
    describe_acts,
    describe_git,
    join_words,
    list_texts,
    make_code_lines,
    make_sql_lines,
    quote_path,
    simplify_key,
    split_name,
)
from synaptic.model.tool_keys import (
    ARGUMENT_KEYS,
    CODE_KEYS,
    COMMAND_ENDINGS,
    COMMAND_KEYS,
    CONTENT_KEYS,
    COPYING_WORDS,
    DELETING_WORDS,
    FILE_WORDS,
    FIRST_WORD_KEYS,
    FOLDER_KEYS,
    LANGUAGE_KEYS,
    LANGUAGE_PROGRAMS,
    MOVING_WORDS,
    NESTED_TEXT_KEYS,
    PATCH_KEYS,
    PATH_ENDINGS,
    PATH_KEYS,
    READING_WORDS,
    RUNNING_WORDS,
    SAID_KEYS,
    SQL_KEYS,
    TYPED_KEYS,
    VAGUE_PATH_KEYS,
    WEAK_FIRST_WORD_KEYS,
    WRITING_WORDS,
)

Place = tuple[str | int, ...]
"""The keys and indices that lead to a value."""

ADDRESS = re.compile(r"(?!file:)[a-z][a-z0-9+.-]{1,20}://", re.IGNORECASE)
PATCHED_FILE = re.compile(
    r"^(?:[ \t]*\*\*\* (?:Add|Update|Delete) File:|\*\*\* Move to:|\+\+\+ (?:b/)?|--- (?:a/)?)[ \t]*+(\S[^\t\r\n]*)",
    re.MULTILINE,
)
CHANGING_WORDS = DELETING_WORDS | MOVING_WORDS | COPYING_WORDS | WRITING_WORDS
ACTING_WORDS = CHANGING_WORDS | READING_WORDS | FILE_WORDS
KEYS_OF_COMMANDS = FIRST_WORD_KEYS | ARGUMENT_KEYS | CODE_KEYS | TYPED_KEYS | FOLDER_KEYS | LANGUAGE_KEYS | COMMAND_KEYS
"""Arguments that say what they are inside an object of commands."""
MAX_TYPED_TEXT = 20_000
"""Characters of text that is typed somewhere, by a tool whose name says nothing of running: longer is a document."""
MAX_JSON_TEXT = 1_000_000
"""Characters of JSON text inside an argument that are read as arguments."""


class Carried(msgspec.Struct, frozen=True):
    """What a call would run, and the files that it names."""

    command: str = ""
    """Shell text that does what the call does."""
    place: Place | None = None
    """Where in the input the command stands, when it stands there as it is: only such a one can be rewritten."""
    prefix: str = ""
    """What the command here has in front of the one at its place: the folder it runs in."""
    paths: tuple[str, ...] = ()
    may_write: bool = False
    """Whether the files may be changed: by what the tool's name says, or because it says nothing."""


NOTHING_CARRIED = Carried()


class _Found(msgspec.Struct):
    """What was found in an input so far."""

    commands: list[tuple[Place, str]] = []
    """Texts for a shell."""
    lines: list[str] = []
    """Commands that say the same as something that is no shell text."""
    paths: list[tuple[str, str]] = []
    """Keys and paths."""
    folder: str = ""
    has_content: bool = False


def read_carried(name: str, given: Arguments) -> Carried:
    """What a call of this tool carries."""
    words = _add_verb(split_name(name), given)
    found = _Found()
    for at, key, value, beside in _iter_values(given):
        _read_value((at, key, value), beside, words, found)
    paths = tuple(dict.fromkeys(path for _, path in found.paths))
    acts = [*describe_acts(words, found.paths, _writes(words, found)), *describe_git(name, given)]
    command, place, prefix = _join_commands(found, acts)
    return Carried(command, place, prefix, paths, bool(paths) and _may_write(words, found))


def _add_verb(words: frozenset[str], given: Arguments) -> frozenset[str]:
    """A tool for many things says which one in an argument: `command = "view"` of an edit tool only reads."""
    for key, value in given.items():
        if isinstance(value, str) and simplify_key(str(key)) in FIRST_WORD_KEYS:
            if value.lower() in READING_WORDS:
                return words - CHANGING_WORDS | {value.lower()}
            if value.lower() in CHANGING_WORDS:
                return words | {value.lower()}
    return words


def replace_at(given: Arguments, place: Place, new: object) -> dict[str, object]:
    """The input with another value at a place; everything else stays as it is."""
    changed = _replace_inside(given, place, new)
    return changed if isinstance(changed, dict) else dict(given)


def _replace_inside(value: object, place: Place, new: object) -> object:
    if not place:
        return new
    first, rest = place[0], place[1:]
    if isinstance(value, Mapping):
        return {key: _replace_inside(one, rest, new) if key == first else one for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_replace_inside(one, rest, new) if at == first else one for at, one in enumerate(value)]
    return value


def _iter_values(given: Arguments) -> Iterator[tuple[Place, str, object, Arguments]]:
    """Every value of an input that is not an object: where it is, its key, and the object it stands in."""
    waiting: list[tuple[Place, Arguments]] = [((), given)]
    while waiting:
        at, table = waiting.pop()
        above = _find_key_above(at)
        for own, value in table.items():
            key = _inherit_key(simplify_key(str(own)), above)
            if above in PATH_KEYS and "/" in str(own):
                yield at, "path", str(own), table  # files by their names
            inner = _decode_text(key, value)
            place: Place = (*at, str(own))
            if isinstance(inner, Mapping):
                waiting.append((place, inner))
                continue
            tables, rest = _part_list(inner)
            waiting += (((*place, index), one) for index, one in tables)
            if rest is not None:
                yield place, key, rest, table


def _find_key_above(at: Place) -> str:
    return next((simplify_key(part) for part in reversed(at) if isinstance(part, str)), "")


def _inherit_key(key: str, above: str) -> str:
    """In an object of commands, whatever they are called, each is one."""
    is_own = (
        key in FIRST_WORD_KEYS or key in ARGUMENT_KEYS or key in CODE_KEYS or key in TYPED_KEYS or key in FOLDER_KEYS
    )
    if is_own or not (above in COMMAND_KEYS or above.endswith(COMMAND_ENDINGS)):
        return key
    return key if key in LANGUAGE_KEYS or key in COMMAND_KEYS or key.endswith(COMMAND_ENDINGS) else "command"


def _part_list(value: object) -> tuple[list[tuple[int, Arguments]], object]:
    """The objects in a list, and the rest of it; any other value is the rest."""
    if not isinstance(value, list | tuple):
        return [], value
    tables = [(place, one) for place, one in enumerate(value) if isinstance(one, Mapping)]
    lists = [one for one in value if isinstance(one, list | tuple)]
    for one in lists:
        tables += _part_list(one)[0]
    if not tables and not lists:
        return [], value
    texts = [one for one in value if isinstance(one, str)]
    texts += (join_words(one) for one in lists if all(isinstance(word, str) for word in one))
    return tables, texts or None


def _decode_text(key: str, value: object) -> object:
    """Arguments that come as JSON text are read as what they are."""
    if key not in NESTED_TEXT_KEYS or not isinstance(value, str) or value.lstrip()[:1] not in ("{", "["):
        return value
    try:
        return msgspec.json.decode(value) if len(value) <= MAX_JSON_TEXT else value
    except (ValueError, RecursionError):
        return value


def _read_value(one: tuple[Place, str, object], beside: Arguments, words: frozenset[str], found: _Found) -> None:
    _, key, value = one
    if not isinstance(value, str | list | tuple) or not value:
        return
    if key in PATCH_KEYS and isinstance(value, str) and (patched := PATCHED_FILE.findall(value)):
        found.has_content = True
        found.paths += ((key, path.strip()) for path in patched if path.strip() != "/dev/null")
    if key in FOLDER_KEYS:
        found.folder = found.folder or (value if isinstance(value, str) else "")
    elif key in ARGUMENT_KEYS and _has_first_word(beside):
        return  # the words of the command beside them, read with it
    elif key in FIRST_WORD_KEYS and isinstance(value, str) and (arguments := _join_arguments(beside)):
        found.lines += add_named_programs(f"{value} {arguments}", words)
    elif key in ARGUMENT_KEYS and isinstance(value, list | tuple) and (first := _find_weak_first_word(beside)):
        found.lines += add_named_programs(f"{first} {join_words(list_texts(value))}", words)
    elif _holds_command(key, value, words):
        _add_commands(one, beside, words, found)
    elif _holds_code(key, beside, words):
        found.lines += make_code_lines(key, value, beside, words)
    elif key in SQL_KEYS:
        found.lines += make_sql_lines(value, words)
    elif _holds_paths(key, words):
        found.paths += ((key, text) for text in list_texts(value) if not ADDRESS.match(text))
    elif key in CONTENT_KEYS:
        found.has_content = True


def _holds_paths(key: str, words: frozenset[str]) -> bool:
    if key in VAGUE_PATH_KEYS:
        return not words.isdisjoint(ACTING_WORDS)
    return _names_files(key)


def _names_files(key: str) -> bool:
    return key in PATH_KEYS or key.endswith(PATH_ENDINGS)


def _holds_command(key: str, value: str | Sequence[object], words: frozenset[str]) -> bool:
    if key == "shell":  # mostly the name of the shell to use
        return not isinstance(value, str) or " " in value.strip()
    if key in COMMAND_KEYS or key.endswith(COMMAND_ENDINGS):
        return True
    runs = not words.isdisjoint(RUNNING_WORDS)
    return key.endswith("args") or (key in TYPED_KEYS and (runs or len(value) <= MAX_TYPED_TEXT))


def _holds_code(key: str, beside: Arguments, words: frozenset[str]) -> bool:
    if key in SAID_KEYS:
        if any(_names_files(simplify_key(str(other))) for other in beside):
            return False  # the text of a file
        return not words.isdisjoint(RUNNING_WORDS | LANGUAGE_PROGRAMS.keys())
    named = key.startswith("script") or (key.endswith("script") and not key.endswith("transcript"))
    return named or key in CODE_KEYS


def _find_weak_first_word(beside: Arguments) -> str:
    for key, value in beside.items():
        if isinstance(value, str) and " " not in value and simplify_key(str(key)) in WEAK_FIRST_WORD_KEYS:
            return value
    return ""


def _has_first_word(beside: Arguments) -> bool:
    return any(
        isinstance(value, str) and value and simplify_key(str(key)) in FIRST_WORD_KEYS for key, value in beside.items()
    )


def _join_arguments(beside: Arguments) -> str:
    """The words that stand beside their command, as shell text."""
    for key, value in beside.items():
        if simplify_key(str(key)) in ARGUMENT_KEYS and isinstance(value, list | tuple | str) and value:
            return value if isinstance(value, str) else join_words(list_texts(value))
    return ""


def _add_commands(one: tuple[Place, str, object], beside: Arguments, words: frozenset[str], found: _Found) -> None:
    at, key, value = one
    if isinstance(value, str):
        found.commands.append((at, value))
        found.lines += decode_command(value, beside)
        found.lines += add_named_programs(value, words)[1:]
        return
    texts = list_texts(value)
    if key not in ("command", "cmd", "argv", "args", "arguments"):  # text by text; or word by word after all
        found.lines += (line for text in texts for line in add_named_programs(text, words))
        if any(" " in text for text in texts[:1]):
            return
    texts = [join_words(texts)]
    found.lines += (line for text in texts for line in add_named_programs(text, words))


def _writes(words: frozenset[str], found: _Found) -> bool:
    return not words.isdisjoint(WRITING_WORDS | MOVING_WORDS) or (found.has_content and words.isdisjoint(READING_WORDS))


def _may_write(words: frozenset[str], found: _Found) -> bool:
    """Whether files may be changed: a name that says nothing is taken for one that does."""
    return not words.isdisjoint(CHANGING_WORDS) or words.isdisjoint(READING_WORDS) or found.has_content


def _join_commands(found: _Found, acts: list[str]) -> tuple[str, Place | None, str]:
    """All of it as one text. Each of several has a shell of its own: a `cd` in one moves no other."""
    prefix = f"cd {quote_path(found.folder)}\n" if found.folder else ""
    texts = dict.fromkeys((*(text for _, text in found.commands), *found.lines, *acts))
    if len(texts) == 1 and len(found.commands) == 1:
        place, text = found.commands[0]
        return prefix + text, place, prefix
    if not texts:
        return "", None, ""
    joined = "\n".join(f"bash -c {quote(text)}" for text in texts) if len(texts) > 1 else next(iter(texts))
    return prefix + joined, None, ""
