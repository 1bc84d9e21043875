"""How each agent is told what to do when it is started again: its command line, with another prompt and no old session.

An option that an agent's table does not know takes the word after it, unless that is an option too: so a value is never
mistaken for a prompt. A command line is taken apart and put together again without loss.
"""

import os
from collections.abc import Sequence

import msgspec

from synaptic.agents.base import UNKNOWN_COMMAND_LINE, CommandLine
from synaptic.agents.shared.discover import find_by_program

WordGroup = tuple[str, ...]
"""An option with its values, or one word that belongs to none; last, `--` with everything behind it."""


def read_program_name(command: Sequence[str]) -> str:
    """Read which agent a command starts: the name of its program."""
    return os.path.basename(command[0])  # noqa: PTH119 a name on PATH is no file


def make_restart_command(command: Sequence[str], prompt: str, flag: str = "") -> tuple[str, ...]:
    """The command with this prompt in the place of its own, in a new session.

    A prompt takes the place, and the line, of the one before it. A word of its own comes first: at the end, an option
    that takes several values would swallow it.
    """
    start, line, groups = _parse_command(command)
    if flag:
        line = msgspec.structs.replace(line, flag=flag, prompts=frozenset({flag}), words_are_prompts=False)
    kept = [group for group in groups if _get_option_name(group) not in line.resume | line.other]
    place = _find_prompt(kept, line)
    if place is not None:
        return _join_groups(start, _replace_prompts(kept, place, prompt, line))
    words = [group for group in kept if _is_word(group)] if line.words_are_prompts else []
    if line.words_are_prompts and (words or not line.flag):
        return _join_groups((*start, prompt), [group for group in kept if group not in words and group[0] != "--"])
    if not line.flag:
        return _join_groups(start, [*kept, (prompt,)])
    # Behind `--` the option would be a word of the prompt.
    tail = kept[-1:] if kept and kept[-1][0] == "--" else []
    return _join_groups(start, [*kept[: len(kept) - len(tail)], (line.flag, prompt), *tail])


def make_fresh_command(command: Sequence[str]) -> tuple[str, ...]:
    """Build the command that starts a new session, with its own prompt kept."""
    start, line, groups = _parse_command(command)
    return _join_groups(start, _drop_resume(groups, line))


def is_resuming(command: Sequence[str]) -> bool:
    """Whether a command continues an old session."""
    _, line, groups = _parse_command(command)
    return len(_drop_resume(groups, line)) != len(groups)


def has_prompt(command: Sequence[str]) -> bool:
    """Whether the agent has something to do as soon as it is started; one that is not known is believed to."""
    start, line, groups = _parse_command(command)
    if line is UNKNOWN_COMMAND_LINE or len(start) > 1 or _find_prompt(groups, line) is not None:
        return True
    return line.words_are_prompts and any(map(_is_word, groups))


def _parse_command(command: Sequence[str]) -> tuple[WordGroup, CommandLine, list[WordGroup]]:
    """Parse a command: the program with its verb, what is known about them, and the other words in groups."""
    agent = find_by_program(read_program_name(command))
    line = agent.command_line if agent else UNKNOWN_COMMAND_LINE
    verb = next((place for place, word in enumerate(command[1:], 1) if word in line.verbs), 0)
    # A plain word before it is a prompt or an argument; what looks like a verb behind that is none.
    if verb and not any(_is_word(group) for group in _group_words(command[1:verb], line)):
        below = line.verbs[command[verb]]
        return tuple(command[: verb + 1]), below, _group_words(command[verb + 1 :], below)
    return (command[0],), line, _group_words(command[1:], line)


def _group_words(words: Sequence[str], line: CommandLine) -> list[WordGroup]:
    found: list[WordGroup] = []
    place = 0
    while place < len(words):
        word = words[place]
        if word == "--":
            return [*found, tuple(words[place:])]
        if _is_bundle(word, line):
            # Taken apart, so that the letter that continues a session can be dropped and the others stay.
            found += ((f"-{letter}",) for letter in word[1:])
            place += 1
            continue
        length = _count_group_words(words[place:], line)
        found.append(tuple(words[place : place + length]))
        place += length
    return found


def _is_bundle(word: str, line: CommandLine) -> bool:
    """`-cp` is `-c -p` where both are switches."""
    return len(word) > 2 and word[0] == "-" != word[1] and all(f"-{letter}" in line.switches for letter in word[1:])


def _count_group_words(words: Sequence[str], line: CommandLine) -> int:
    word = words[0]
    if not word.startswith("-") or "=" in word or word in line.switches:
        return 1
    values = next((place for place, one in enumerate(words[1:]) if one.startswith("-")), len(words) - 1)
    return 1 + (values if word in line.several else min(values, 1))


def _find_prompt(groups: Sequence[WordGroup], line: CommandLine) -> int | None:
    return next((place for place, group in enumerate(groups) if _get_option_name(group) in line.prompts), None)


def _drop_resume(groups: Sequence[WordGroup], line: CommandLine) -> list[WordGroup]:
    """Drop what continues an old session: options, or a verb and the session that it names."""
    kept = [group for group in groups if _get_option_name(group) not in line.resume]
    words = [place for place, group in enumerate(kept) if _is_word(group)]
    if words and kept[words[0]][0] in line.resume_verbs:
        return [group for place, group in enumerate(kept) if place not in words[:2]]
    return kept


def _replace_prompts(groups: Sequence[WordGroup], place: int, prompt: str, line: CommandLine) -> list[WordGroup]:
    """Put one prompt where the first one was, and drop the others."""
    before = [group for group in groups[:place] if _get_option_name(group) not in line.prompts]
    after = [group for group in groups[place + 1 :] if _get_option_name(group) not in line.prompts]
    return [*before, (_get_option_name(groups[place]), prompt), *after]


def _get_option_name(group: WordGroup) -> str:
    """Get the option that a group begins with, also of `--option=value`; empty for a plain word."""
    return group[0].partition("=")[0] if group[0].startswith("-") else ""


def _is_word(group: WordGroup) -> bool:
    return not group[0].startswith("-") or (group[0] == "--" and len(group) > 1)


def _join_groups(start: Sequence[str], groups: Sequence[WordGroup]) -> tuple[str, ...]:
    return (*start, *(word for group in groups for word in group))
