"""A rule that corrects a command: words are put in, taken out and replaced on the parsed command, never in text."""

from collections.abc import Iterator

from synaptic.hooks.rules.commands import SortedCommand, has_flag
from synaptic.hooks.rules.conditions import find_commands, make_command_pattern
from synaptic.hooks.rules.entry import RuleEntry, list_items
from synaptic.hooks.rules.judged_call import JudgedCall
from synaptic.model.decision import Verdict, deny
from synaptic.model.event import PreToolUse
from synaptic.policies.reading import rewrite_command
from synaptic.shell.read.script import Command, Script, Word
from synaptic.shell.read.writing import quote_word

MAX_EDITS = 64
"""Words that are changed in one command line; a line with more is refused."""
WordEdit = tuple[Word | Command, str]


def rewrite_matched(entry: RuleEntry, call: JudgedCall, *, by_user: bool) -> Verdict | None:
    """The corrected call; None where it is right already. A project's rule only says what would be right."""
    event, known = call.event, call.facts.command
    if known is None or not isinstance(event, PreToolUse):
        return None
    edits = [
        edit for one in find_commands(make_command_pattern(entry), call) for edit in list_edits(entry, one, known.text)
    ]
    if not edits:
        return None
    reason = entry.say or "This command is written another way here."
    command = replace_words(known.script, edits)
    if command is None:
        return deny(f"{reason}\nWrite the command out, {describe_changes(entry)}.")
    if not by_user:
        return deny(f"{reason}\nUse instead: {command}")
    return rewrite_command(event, command, reason)


def replace_words(found: Script, edits: list[WordEdit]) -> str | None:
    """The text with these words changed; None where that cannot be said exactly."""
    if len(edits) > MAX_EDITS:
        return None
    changed = found.replace_all(edits)
    return None if changed == found.text else changed


def list_edits(entry: RuleEntry, one: SortedCommand, text: str) -> list[WordEdit]:
    """What has to change in a command. Made twice, nothing is left to change."""
    edits = [*_iter_changed(entry, one)]
    new = " ".join(quote_word(text) for text in _list_missing(entry, one))
    if not new:
        return edits
    anchor = _find_anchor(entry, one)
    before = next((changed for word, changed in edits if word is anchor), None)
    rest = [(word, changed) for word, changed in edits if word is not anchor]
    # As it is written: quotes around it have to stay.
    written = before if before is not None else text[slice(*anchor.span)] if anchor.span else quote_word(anchor.text)
    return [*rest, (anchor, f"{written} {new}")]


def _iter_changed(entry: RuleEntry, one: SortedCommand) -> Iterator[WordEdit]:
    gone = frozenset(list_items(entry.remove))
    for word in one.command.argv:
        if not word.known:
            continue
        if word.text in entry.replace:
            yield word, " ".join(quote_word(text) for text in entry.replace[word.text].split())
        elif word is not one.command.argv[0] and word.text.partition("=")[0] in gone:
            yield word, ""
        elif (short := _drop_letters(word.text, gone)) != word.text:
            yield word, short


def _drop_letters(text: str, gone: frozenset[str]) -> str:
    """`-xf` without `-f` is `-x`."""
    if text[:1] != "-" or text[:2] == "--" or len(text) < 3 or not text[1:].isalpha():
        return text
    left = "".join(letter for letter in text[1:] if f"-{letter}" not in gone)
    return f"-{left}" if left else ""


def _list_missing(entry: RuleEntry, one: SortedCommand) -> list[str]:
    given = one.command.args
    return [
        text
        for text in list_items(entry.add)
        if text not in given and not (text[:1] == "-" and "=" not in text and has_flag(one, text))
    ]


def _find_anchor(entry: RuleEntry, one: SortedCommand) -> Word:
    """The last of the words that `run` names: what is added belongs right behind it."""
    size = max((len(text.split()) for text in list_items(entry.run)), default=1) - 1
    leading = [word.text for word in one.words[:size]]
    place = 0
    for at, word in enumerate(one.command.argv[1:], 1):
        if leading and word.text == leading[0]:
            leading.pop(0)
            place = at
    return one.command.argv[place]


def describe_changes(entry: RuleEntry) -> str:
    """In words what the rule wants."""
    parts = [
        *(f"with `{text}`" for text in list_items(entry.add)),
        *(f"without `{text}`" for text in list_items(entry.remove)),
        *(f"with `{new}` instead of `{old}`" for old, new in entry.replace.items()),
    ]
    return ", ".join(parts)
