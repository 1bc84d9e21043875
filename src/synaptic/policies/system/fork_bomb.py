"""Processes that multiply until the machine stands still."""

import re
from collections.abc import Iterator

from synaptic.model.decision import Verdict, deny
from synaptic.model.event import PreToolUse
from synaptic.model.once import kept_beside
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.reading import SHELL_TOOLS, select_commands
from synaptic.shell.book.entries import LANGUAGE_PROGRAMS, SHELL_PROGRAMS
from synaptic.shell.names import split_names
from synaptic.shell.read import syntax
from synaptic.shell.read.grammar import parse_commands
from synaptic.shell.read.lexer import SourcePosition
from synaptic.shell.read.limits import Budget, LimitError
from synaptic.shell.read.script import Script
from synaptic.shell.reading import CommandReading

LOOP = re.compile(r"\b(?:while|until|for)\b")
LOOPS = ("while", "until", "for")
KEYWORDS = "if|for|select|while|until|case|function|coproc|time|then|else|elif|fi|do|done|esac|in"
MAY_NOT_END = re.compile(
    r"[wu](?:hile|ntil)\b(?![ \t]+(?:![ \t]+)?+(?:"
    r"(?:\[|test)[ \t]+(?:\"?+\$[\w{(#@*?]|-)"
    rf"|(?:IFS=[\w,:]*+(?:\$'[^'\s]*')?+[ \t]+)?+(?!(?:true|false|test|{KEYWORDS})\b)[a-z][\w-]*+[ \t;\n]"
    r"))"
)
"""A loop, unless its condition is a test of something or a program that is none of the constant ones."""
COUNTED = re.compile(r"(?:for|select)[\s\\]*+\(\(")
JOB = re.compile(r"&(?<![&<>]&)(?![&>])")
CONSTANT = frozenset({"true", ":", "false", "/bin/true", "/usr/bin/true", "[ 1 ]", "[ true ]", "test 1"})
ENDLESS = re.compile(r"\s*[1-9]\d*\s*|[^;]*;\s*;[^;]*")
SAME_TEXTS = re.compile(r"(?:\[|test) (\S+) (?:==?|-eq) \1(?: \])?")
"""A test that compares a text with itself."""
NEVER_TRUE = frozenset({"false", "/bin/false", "/usr/bin/false", "[ ]", "test"})
INSTANT_PROGRAMS = split_names("echo printf true : disown wait test [ let read export unset local declare")
FORKS = re.compile(
    r"\bfork\s{0,9}(?:\(\s{0,9}\))?\s{1,9}(?:while|until)\b|while\b[^\n]{0,40}\n?\s{0,40}(?:os\.)?fork\b"
    r"|(?:(?:loop|forever)\b|\bfor\s{0,9}\(\s{0,9};\s{0,9};\s{0,9}\)).{0,20}\bfork\b"
)
MAX_FORK_TEXT = 20_000
HAS_BODY = (syntax.CommandGroup, syntax.Loop, syntax.FunctionDefinition, syntax.Coprocess)


class ForkBomb(Policy):
    """Commands that start copies of themselves without end.

    ## What it does
    Denies functions that call themselves in the background or through a pipe into themselves, also in the form that
    only zsh accepts (`:(){:|:&};:`), endless loops that start background jobs or coprocesses and neither wait for them
    nor do anything that takes time nor can reach their exit, and `fork while 1` one-liners.
    ## Why
    The machine runs out of processes within a second, and everything unsaved on it is lost.
    ## Known gaps
    Loops in scripts of more than 20,000 characters are not looked at. Scripts that
    start themselves by their file name are not recognised.
    """

    id = "system.fork-bomb"
    events = (PreToolUse,)
    tools = SHELL_TOOLS
    priority = 21
    preset = "essentials"

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        if facts.command is None or not _starts_without_end(facts.command):
            return None
        return deny(
            "This starts processes without end and would stop the machine. Run a fixed number of jobs, or `wait` for "
            "the jobs in each round of the loop."
        )


@kept_beside
def _starts_without_end(known: CommandReading) -> bool:
    found = known.script
    return _multiplies_itself(found) or _forks_endlessly(found) or any(map(_floods_jobs, _iter_shell_texts(found)))


def _multiplies_itself(found: Script) -> bool:
    recursive = {function.name for function in found.functions if function.recursive}
    if not recursive:
        return False
    again = [c for c in found.commands if c.argv[0].text in recursive and f"function {c.argv[0].text}" in c.via]
    return any(command.background or command.stages for command in again)


def _forks_endlessly(found: Script) -> bool:
    return "fork" in found.text and any(
        FORKS.search(text[:MAX_FORK_TEXT])
        for command in select_commands(found, LANGUAGE_PROGRAMS)
        for text in (*command.args, command.stdin or "")
    )


def _iter_shell_texts(found: Script) -> Iterator[str]:
    """The text and the code that it hands to shells."""
    if len(found.text) > MAX_FORK_TEXT or not _has_job(found.text) or not _has_loop(found.text):
        return
    yield found.text
    for command in select_commands(found, SHELL_PROGRAMS):
        yield from (text for text in (*command.args, command.stdin or "") if _has_job(text) and _has_loop(text))


def _has_job(text: str) -> bool:
    return "&" in text or "coproc" in text


def _has_loop(text: str) -> bool:
    return any(word in text for word in LOOPS) and LOOP.search(text) is not None


def _may_flood(text: str) -> bool:
    """Whether a loop may be endless and a job stay in the background: else there is no need to take it apart."""
    if JOB.search(text) is None and "coproc" not in text:
        return False
    return MAY_NOT_END.search(text) is not None or ("((" in text and COUNTED.search(text) is not None)


def _floods_jobs(text: str) -> bool:
    return _may_flood(text) and _has_flooding_loop(text)


def _has_flooding_loop(text: str) -> bool:
    """Whether a loop in it starts jobs without end."""
    try:
        # A budget of its own: this text is parsed a second time, apart from the reading of the command.
        tree, _ = parse_commands(text, Budget(), SourcePosition(0))
    except LimitError:
        return False
    return any(_is_endless(loop.condition) and _leaves_jobs(loop.body) for loop in _iter_loops(tree))


def _iter_loops(node: object) -> Iterator[syntax.Loop]:
    if isinstance(node, syntax.Loop):
        yield node
    for child in _list_children(node):
        yield from _iter_loops(child)


def _list_children(node: object) -> list[syntax.Node]:
    if isinstance(node, syntax.CommandSequence):
        return node.items
    if isinstance(node, syntax.Pipeline):
        return node.stages
    if isinstance(node, syntax.Choice):
        return node.branches
    return [node.body] if isinstance(node, HAS_BODY) else []


def _is_endless(condition: syntax.Node | None) -> bool:
    """`while true`, `until false`, `while ((1))`, `for ((;;))`."""
    condition = _unwrap(condition)
    if isinstance(condition, syntax.SimpleCommand):
        text = _join_words(condition)
        return text in CONSTANT or SAME_TEXTS.fullmatch(text) is not None
    if isinstance(condition, syntax.TestExpression):
        texts = (
            part.text for token in condition.tokens for part in token.parts if isinstance(part, syntax.LiteralText)
        )
        return ENDLESS.fullmatch("".join(texts)) is not None
    return False


def _unwrap(node: syntax.Node | None) -> syntax.Node | None:
    """The one command that a sequence consists of."""
    while isinstance(node, syntax.CommandSequence) and len(node.items) == 1:
        node = node.items[0]
    return node


def _join_words(command: syntax.SimpleCommand) -> str:
    return " ".join(token.text or "" for token in command.words)


def _leaves_jobs(body: syntax.Node) -> bool:
    """Whether a round ends with jobs that nobody waits for, and took no time."""
    return bool(_check_jobs_left(body))


def _check_jobs_left(body: syntax.Node) -> bool | None:
    """Whether jobs are left; None when it takes time. Nobody but a subshell itself can wait for its jobs."""
    started = orphaned = False
    for item in body.items if isinstance(body, syntax.CommandSequence) else [body]:
        if isinstance(item, syntax.Coprocess):
            started = True
            continue
        if _never_happens(item):
            continue
        if isinstance(item, syntax.CommandGroup | syntax.CommandSequence):
            left = _check_jobs_left_by(item)
            if left is None:
                return None
            started = started or left
            orphaned = orphaned or (
                left and isinstance(item, syntax.CommandGroup) and item.apart and not item.background
            )
            continue
        program = item.words[0].text if isinstance(item, syntax.SimpleCommand) and item.words else None
        if program == "wait":
            started = False
        elif program not in INSTANT_PROGRAMS:
            return None
    return started or orphaned


def _never_happens(item: syntax.Node) -> bool:
    """`if false; then break; fi`: an exit that is never reached ends no loop."""
    if isinstance(item, syntax.CommandGroup) and not item.background:
        item = item.body
    if not isinstance(item, syntax.Choice) or item.subject is not None or len(item.branches) != 2:
        return False
    condition = _unwrap(item.branches[0])
    return isinstance(condition, syntax.SimpleCommand) and _join_words(condition) in NEVER_TRUE


def _check_jobs_left_by(group: syntax.CommandGroup | syntax.CommandSequence) -> bool | None:
    if isinstance(group, syntax.CommandSequence):
        return _check_jobs_left(group)
    return True if group.background else _check_jobs_left(group.body)
