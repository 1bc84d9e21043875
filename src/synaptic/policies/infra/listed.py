"""Requests, issues and runs of a forge that are closed or deleted one by one, as a list of all of them names them."""

import re
from collections.abc import Iterator
from itertools import pairwise

from synaptic.shell.names import split_names
from synaptic.shell.read.script import Command, Script

FORGES = split_names("gh glab")
THINGS = split_names("pr mr issue run release label pipeline ci")
ENDING_VERBS = split_names("close delete")
BRANCH_OPTIONS = split_names("-d --delete-branch")
NARROWING_OPTIONS = split_names(
    "--author --assignee --label --head --base --search --branch --commit --user --workflow --status --app --mention"
    " --source-branch --target-branch --reviewer --milestone -A -a -l -H -B -S -s -b -c -u -w"
)
"""What says which of them. `--state open` says nothing: those that are closed need not be closed."""
HEAD_OPTIONS = split_names("--head --source-branch -H -s")
OWN_OPTIONS = split_names("--author --search -A -S")
OWN_VALUE = re.compile(r"@me|(?:.*\s)?author:@me(?:\s.*)?", re.DOTALL)
STATES = split_names("open opened all closed merged success completed")
LIMIT_OPTIONS = split_names("-L --limit -P --per-page")
CHOSEN = re.compile(r"\.\[-?\d+\]|\bselect\s*+\(|\bfirst\b|\blast\b")
"""How jq takes one, or some."""
PICKERS = split_names("grep egrep fgrep rg fzf peco")
SINGLE_LINE = re.compile(r"-n?1|--lines=1|-n")
CONDITION = re.compile(r"/[^/]|[~=]=?|\b(?:NR|if)\b")
"""What an awk program holds that takes some lines; one that only prints a column has none of it."""


def find_ended_list(found: Script) -> Command | None:
    """The command that closes or deletes whatever a list of the forge names; None when somebody has chosen."""
    for command in found.commands:
        if command.name in FORGES and _ends(command) and (lists := _find_lists(command, found)):
            loses = "delete" in command.args or not BRANCH_OPTIONS.isdisjoint(command.args)
            if not any(_is_narrowed(one, found, loses) for one in lists):
                return command
    return None


def _ends(command: Command) -> bool:
    """`gh pr close`, `gh run delete`."""
    words = command.args
    return len(words) > 1 and words[0] in THINGS and words[1] in ENDING_VERBS and words[2:3] != ("--help",)


def _find_lists(command: Command, found: Script) -> list[Command]:
    """The lists that name what it ends: those that are piped to it, or, where a variable names it, those before it."""
    fed = [one for one in found.find_upstream(command) if _lists(one, command)]
    if fed or all(word.known for word in command.argv[3:]):
        return fed
    return [one for one in found.commands[: command.index] if _lists(one, command)]


def _lists(one: Command, command: Command) -> bool:
    return one.name == command.name and one.args[:2] in ((command.args[0], "list"), (command.args[0], "ls"))


def _is_narrowed(listing: Command, found: Script, loses: bool) -> bool:
    """Whether a list is not of everything; where branches are deleted with it, they must be one's own."""
    downstream = found.find_downstream(listing)
    if any(map(CHOSEN.search, (*listing.args, *_iter_filters(downstream)))):
        return True
    if any(map(_picks, downstream)):
        return True
    pairs = tuple(_iter_pairs(listing))
    if any(name in LIMIT_OPTIONS and value == "1" for name, value in pairs):
        return True
    if loses and listing.args[0] in ("pr", "mr"):
        return any(
            name in OWN_OPTIONS and (OWN_VALUE.fullmatch(value) or "head" in name.lower()) for name, value in pairs
        )
    return any(name in NARROWING_OPTIONS and value not in STATES for name, value in pairs)


def _picks(command: Command) -> bool:
    """Whether a program lets some lines of a list pass, and not only a column of all of them."""
    if command.name in ("head", "tail"):
        return SINGLE_LINE.fullmatch(" ".join(command.args[:1])) is not None and command.args[1:2] in ((), ("1",))
    return command.name in PICKERS or (command.name == "awk" and any(map(CONDITION.search, command.args)))


def _iter_filters(commands: tuple[Command, ...]) -> Iterator[str]:
    return (text for one in commands if one.name == "jq" for text in one.args)


def _iter_pairs(command: Command) -> Iterator[tuple[str, str]]:
    for text, following in pairwise((*command.args, "")):
        name, equals, value = text.partition("=")
        yield name, value if equals else following
