"""Commands that a text or a pattern plainly names: a program, its leading words, one option. Nothing is guessed."""

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any

import msgspec

from synaptic.hooks.rules_import.draft import shorten_list
from synaptic.hooks.rules_import.pattern_parts import (
    BLANK,
    EDGE,
    END,
    GAP,
    MAYBE_BLANK,
    START,
    UNREAD,
    Parts,
    list_alternatives,
    show_parts,
)
from synaptic.shell.book.entries import BOOK

PROGRAM_NAME = re.compile(r"[A-Za-z0-9_][\w.+-]*")
PLAIN_WORD = re.compile(r"[\w@%+,./:~][\w@%+,./:~-]*")
OPTION = re.compile(r"--?[A-Za-z0-9][\w-]*")
ASSIGNED = re.compile(r"[A-Za-z][\w-]*=")
SEPARATORS = frozenset(";&|")
"""Signs after which a command begins."""
MAX_EXAMPLES = 4


class NamedCommand(msgspec.Struct, frozen=True, order=True):
    """What a command must be: program and leading words, an option, the pattern of an argument."""

    run: str
    option: str = ""
    argument: str = ""

    @property
    def example(self) -> str:
        return " ".join(filter(None, (self.run, self.option, self.argument.replace("*", "x"))))


class TextReading(msgspec.Struct, frozen=True):
    """The commands that a pattern names, and its alternatives that name none, each with the reason."""

    commands: tuple[NamedCommand, ...] = ()
    unread: tuple[tuple[str, str], ...] = ()


def read_pattern(pattern: str, programs: Collection[str] = ()) -> TextReading:
    """The commands that a regular expression over command lines names; `programs` are known to be some."""
    try:
        alternatives = list_alternatives(pattern)
    except ValueError as error:
        return TextReading(unread=((pattern, str(error)),))
    commands: dict[str, NamedCommand] = {}
    unread: dict[str, str] = {}
    for parts in alternatives:
        found = _read_parts(parts, programs)
        if isinstance(found, NamedCommand):
            commands[show_parts(parts)] = found
        else:
            unread.setdefault(show_parts(parts), found)
    left = tuple((text, why) for text, why in unread.items() if text not in commands)
    return TextReading(tuple(dict.fromkeys(commands.values())), left)


def read_options(pattern: str) -> tuple[str, ...]:
    """The options that a pattern names and nothing else; empty where it names more."""
    try:
        alternatives = list_alternatives(pattern)
    except ValueError:
        return ()
    words = [_strip_ends(parts)[0] for parts in alternatives]
    texts = ["".join(parts) if all(len(part) == 1 for part in parts) else "" for parts in words]
    return tuple(dict.fromkeys(texts)) if texts and all(map(OPTION.fullmatch, texts)) else ()


def read_words(words: list[str], *, is_begun: bool = False) -> NamedCommand | str:
    """The command that these words name; else why they name none. `is_begun`: the first one stands for a program."""
    return _read_words([(word, False) for word in words], is_begun=is_begun)


def group_commands(commands: Iterable[NamedCommand]) -> list[dict[str, Any]]:
    """The conditions of as few rules as say the same, each with its examples."""
    by_run: dict[tuple[str, str], list[str]] = {}
    for one in commands:
        by_run.setdefault((one.run, one.argument), []).append(one.option)
    groups: dict[tuple[tuple[str, ...], str], list[str]] = {}
    for (run, argument), options in by_run.items():
        # Without an option it is stopped with every option, too.
        groups.setdefault(((), argument) if "" in options else (tuple(options), argument), []).append(run)
    return [_make_conditions(runs, options, argument) for (options, argument), runs in groups.items()]


def make_examples(commands: Iterable[NamedCommand]) -> Mapping[str, list[str]]:
    """Commands that must be stopped, and near misses that follow plainly: the same as text, or without the option."""
    found = list(commands)
    told = make_text_examples(one.example for one in found)
    passes = [*told.get("passes", ()), *dict.fromkeys(one.run for one in found if one.option)]
    return {**told, "passes": passes[:MAX_EXAMPLES]} if passes else told


def make_text_examples(commands: Iterable[str]) -> dict[str, list[str]]:
    """These commands as what is stopped, and the first one as a text, which never is."""
    stops = list(dict.fromkeys(commands))[:MAX_EXAMPLES]
    is_quotable = "'" not in stops[0] and not stops[0].startswith("echo")
    return {"stops": stops, **({"passes": [f"echo '{stops[0]}'"]} if is_quotable else {})}


def _make_conditions(runs: list[str], options: tuple[str, ...], argument: str) -> dict[str, Any]:
    commands = [NamedCommand(run, option, argument) for run in runs for option in options or ("",)]
    return {
        "run": shorten_list(runs),
        **({"flags": shorten_list(options)} if options else {}),
        **({"args": argument} if argument else {}),
        **make_examples(commands),
    }


def _read_parts(parts: Parts, programs: Collection[str]) -> NamedCommand | str:
    if UNREAD in parts:
        return "it stands for more than a program and words"
    inner, is_begun, is_closed = _strip_ends(parts)
    if not SEPARATORS.isdisjoint(inner):
        return "it needs two commands that are joined"
    words = _split_words(inner)
    if words is None:
        return "where its words end cannot be told"
    if len(words) == 1 and not is_closed and words[0][0][:1] != "-":
        return "one word that nothing ends is found inside other words, too"
    return _read_words(words, is_begun=is_begun or bool(words and words[0][0] in programs))


def _strip_ends(parts: Parts) -> tuple[Parts, bool, bool]:
    """Without what stands around the words; whether it begins a command, and whether the last word ends there."""
    first, last = 0, len(parts)
    while first < last and (parts[first] in SEPARATORS or parts[first] in (BLANK, MAYBE_BLANK, GAP, EDGE, START)):
        first += 1
    while last > first and parts[last - 1] in (BLANK, MAYBE_BLANK, GAP, EDGE, END):
        last -= 1
    before, after = parts[:first], parts[last:]
    is_begun = GAP not in before and any(part == START or part in SEPARATORS for part in before)
    return parts[first:last], is_begun, bool({BLANK, EDGE, END}.intersection(after[:1]))


def _split_words(parts: Parts) -> list[tuple[str, bool]] | None:
    """The words, each with whether anything may stand before it; None where that cannot be told."""
    words: list[tuple[str, bool]] = []
    word, is_apart, has_gap = "", False, False
    for at, part in enumerate(parts):
        if part in (START, END) or (part == MAYBE_BLANK and parts[at + 1 : at + 2] != ("-",)):
            return None
        if len(part) > 1:
            if word:
                words.append((word, has_gap))
                word, has_gap = "", False
            is_apart = is_apart or part != EDGE
            has_gap = has_gap or part == GAP
        else:
            if words and not word and not is_apart:
                return None
            word, is_apart = word + part, False
    return [*words, (word, has_gap)] if word else words


def _read_words(words: list[tuple[str, bool]], *, is_begun: bool) -> NamedCommand | str:
    if not words:
        return "it names no program"
    program = words[0][0].rpartition("/")[2]
    if not PROGRAM_NAME.fullmatch(program):
        return "it names no program"
    if not is_begun and program not in BOOK:
        return f"whether `{program}` is a program cannot be told"
    run, option, argument = [program], "", ""
    for word, has_gap in words[1:]:
        if option or argument:
            return "it needs more than one option, or a word behind one"
        if OPTION.fullmatch(word.removesuffix("=")):
            option = word.removesuffix("=")
        elif has_gap:
            return "anything may stand between its words"
        elif ASSIGNED.fullmatch(word):
            argument = f"{word}*"
        elif PLAIN_WORD.fullmatch(word):
            run.append(word)
        else:
            return f"`{word}` is more than a word"
    return NamedCommand(" ".join(run), option, argument)
