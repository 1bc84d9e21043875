"""One maker for each condition of a rule: the key as it is written in, a test of a call out.

One more condition is one field in `RuleEntry`, one function here and its line in `CONDITIONS`, and its cases. A maker
raises ValueError for a value that it cannot use; the rule is switched off with these words.
"""

import re
from collections.abc import Callable, Mapping

import msgspec

from synaptic.hooks.rules.commands import CommandPattern, SortedCommand, name_program
from synaptic.hooks.rules.entry import RuleEntry, list_items
from synaptic.hooks.rules.judged_call import JudgedCall
from synaptic.hooks.rules.marks import ENDED_WELL, MARKS, Phrase, find_latest, parse_phrase
from synaptic.hooks.rules.named_paths import PATH_KINDS
from synaptic.hooks.rules.paths import PathPattern, check_glob, compile_path_glob, match_parts, split_path
from synaptic.model.event import ToolEvent, UserPromptSubmit
from synaptic.model.pattern import LinearPattern, SlowPattern
from synaptic.model.project import Git
from synaptic.shell.book.entries import normalize_name
from synaptic.shell.globs import matches_glob
from synaptic.shell.read.reader import read_words

TOOL_NAMES = {"Task": "Agent", "KillShell": "TaskStop", "KillBash": "TaskStop"}
"""Tools that have another name by now."""
Test = Callable[[JudgedCall], bool]


class RulePlace(msgspec.Struct, frozen=True):
    """What the words of a rule are seen from."""

    base: str = ""
    """The folder that relative paths start in."""
    home: str = ""
    by_user: bool = True
    """Whether the user wrote it: a rule of anybody else changes no command, it refuses with the corrected one."""


class Condition(msgspec.Struct, frozen=True):
    """One thing that must hold, and the facts that it takes to know it."""

    holds: Test
    needs: tuple[str, ...] = ()


def make_command_pattern(entry: RuleEntry) -> CommandPattern:
    """What `run`, `flags` and `args` say together: they must hold for the same command."""
    runs = tuple(split_run(text) for text in list_items(entry.run))
    for glob in list_items(entry.args):
        if not glob:
            raise ValueError("`args`: an empty text matches no argument")
    for flag in list_items(entry.flags):
        if flag[:1] not in ("-", "+") or len(flag) < 2 or " " in flag:
            raise ValueError(f"`flags`: `{flag}` is no option: one begins with `-`")
    return CommandPattern(runs, list_items(entry.flags), list_items(entry.args))


def split_run(text: str) -> tuple[str, ...]:
    """Program and leading words. Raises ValueError for a text that is more than that."""
    words = read_words(text) if text.strip() else ()
    if not words or not all(words) or "\0" in text:
        raise ValueError(f"`run`: `{text}` is not a program with its leading words (one command, without quotes)")
    if option := next((word for word in words if word[:1] == "-"), ""):
        raise ValueError(f"`run`: `{option}` is an option: write it in `flags`")
    return tuple(words)


def list_programs(pattern: CommandPattern) -> tuple[str, ...]:
    """The programs of a pattern as commands are grouped by them; none: any program."""
    if any("." in words[0] for words in pattern.runs):
        return ()  # a script may be started by its interpreter
    return tuple(dict.fromkeys(normalize_name(name_program(words[0])) for words in pattern.runs))


def find_commands(pattern: CommandPattern, call: JudgedCall) -> tuple[SortedCommand, ...]:
    """The commands of a call that a pattern means."""
    return tuple(one for one in call.iter_commands(list_programs(pattern)) if pattern.matches(one))


def _make_command(entry: RuleEntry, place: RulePlace) -> Condition:
    pattern = make_command_pattern(entry)
    programs = list_programs(pattern)
    return Condition(lambda call: any(map(pattern.matches, call.iter_commands(programs))))


def _make_tool(entry: RuleEntry, place: RulePlace) -> Condition:
    globs = tuple(TOOL_NAMES.get(text, text) for text in _check_globs("tool", entry.tool))

    def holds(call: JudgedCall) -> bool:
        # A tool that carries a command is a shell, whatever it is called.
        names = (call.tool.name, TOOL_NAMES.get(call.tool.name, ""), *call.tool.roles)
        return any(matches_glob(name, glob) for name in names if name for glob in globs)

    return Condition(holds)


def compile_globs(key: str, entry: RuleEntry, place: RulePlace) -> tuple[PathPattern, ...]:
    """The globs of one key of a rule. Raises ValueError."""
    found: list[PathPattern] = []
    for text in list_items(getattr(entry, key)):
        try:
            found += compile_path_glob(text, place.base, place.home)
        except ValueError as error:
            raise ValueError(f"`{key}`: `{text[:80]}` {error}") from None
    return tuple(found)


def _make_paths(key: str) -> "ConditionMaker":
    def make(entry: RuleEntry, place: RulePlace) -> Condition:
        patterns = compile_globs(key, entry, place)

        def holds(call: JudgedCall) -> bool:
            paths = call.paths.list_paths(key)
            return any(pattern.matches(path) for path in paths for pattern in patterns)

        return Condition(holds, PATH_FACTS)

    return make


def _make_delete(entry: RuleEntry, place: RulePlace) -> Condition:
    patterns = compile_globs("delete", entry, place)

    def holds(call: JudgedCall) -> bool:
        paths = call.paths.list_paths("delete")
        return any(pattern.matches(path) or pattern.is_taken_by(path) for path in paths for pattern in patterns)

    return Condition(holds, PATH_FACTS)


def _make_host(entry: RuleEntry, place: RulePlace) -> Condition:
    globs = tuple(glob.lower() for glob in _check_globs("host", entry.host))
    return Condition(lambda call: any(matches_glob(host, glob) for host in call.hosts for glob in globs))


def _make_branch(entry: RuleEntry, place: RulePlace) -> Condition:
    globs = _check_globs("branch", entry.branch)
    pattern = make_command_pattern(entry)
    programs = list_programs(pattern)

    def holds(call: JudgedCall) -> bool:
        trees = [call.facts.git]
        if pattern.runs:
            # `git -C other push` happens on the branch that is checked out there.
            found = {one.folder for one in call.iter_commands(programs) if pattern.matches(one)}
            trees = [_find_tree(folder, call) for folder in found] or trees
        return any(matches_glob(tree.branch, glob) for tree in trees if tree.branch for glob in globs)

    return Condition(holds, ("git", "repositories"))


def _find_tree(folder: str, call: JudgedCall) -> Git:
    return call.facts.repositories.get(folder) or call.facts.git


def _make_cwd(entry: RuleEntry, place: RulePlace) -> Condition:
    texts = (text if "/" in text or text[:1] in ("~", ".") else f"./{text}" for text in list_items(entry.cwd))
    patterns = compile_globs("cwd", msgspec.structs.replace(entry, cwd=tuple(texts)), place)

    def holds(call: JudgedCall) -> bool:
        parts = split_path(call.event.cwd or call.facts.root)
        return any(match_parts(parts, pattern.parts) for pattern in patterns)

    return Condition(holds)


def _make_content(entry: RuleEntry, place: RulePlace) -> Condition:
    patterns = compile_patterns("content", entry)
    return Condition(lambda call: any(call.search_texts(one, call.new_texts) for one in patterns))


def _make_prompt(entry: RuleEntry, place: RulePlace) -> Condition:
    patterns = compile_patterns("prompt", entry)

    def holds(call: JudgedCall) -> bool:
        event = call.event
        return isinstance(event, UserPromptSubmit) and any(call.search_texts(one, (event.prompt,)) for one in patterns)

    return Condition(holds)


def compile_patterns(key: str, entry: RuleEntry) -> tuple[LinearPattern, ...]:
    """The regular expressions of one key. Raises ValueError for one that is none, or that might take for ever."""
    found = []
    for text in list_items(getattr(entry, key)):
        try:
            found.append(LinearPattern(text))
        except SlowPattern as error:
            raise ValueError(f"`{key}`: `{text[:80]}` {error} (write a plain one, without lookaround)") from None
        except (re.error, OverflowError) as error:
            raise ValueError(f"`{key}`: `{text[:80]}` is no regular expression: {error}") from None
    return tuple(found)


def _make_agent(entry: RuleEntry, place: RulePlace) -> Condition:
    names = frozenset(list_items(entry.agent))
    return Condition(lambda call: call.facts.agent in names)


def _make_subagent(entry: RuleEntry, place: RulePlace) -> Condition:
    if isinstance(entry.subagent, bool):
        wanted = entry.subagent
        return Condition(lambda call: bool(call.event.agent_id) is wanted)
    globs = _check_globs("subagent", entry.subagent)
    return Condition(lambda call: any(matches_glob(call.event.agent_type, glob) for glob in globs))


def _make_mode(entry: RuleEntry, place: RulePlace) -> Condition:
    names = frozenset(list_items(entry.mode))
    return Condition(lambda call: (call.event.permission_mode or "default") in names)


def _make_context(entry: RuleEntry, place: RulePlace) -> Condition:
    least = entry.context_over or 0.0
    return Condition(lambda call: (call.facts.usage.share or 0.0) > least, ("usage",))


def list_phrases(key: str, entry: RuleEntry, place: RulePlace) -> tuple[Phrase, ...]:
    """The phrases of `after` or `before`. Raises ValueError."""
    return tuple(parse_phrase(text, key, place.base) for text in list_items(getattr(entry, key)))


def _make_after(entry: RuleEntry, place: RulePlace) -> Condition:
    phrases = list_phrases("after", entry, place)
    return Condition(lambda call: find_latest(phrases, call.facts) > 0, (MARKS,))


def _make_before(entry: RuleEntry, place: RulePlace) -> Condition:
    phrases, since = list_phrases("before", entry, place), list_phrases("after", entry, place)

    def holds(call: JudgedCall) -> bool:
        state = call.facts.state
        if not state.known and MARKS not in state.sections:
            return False  # where nothing can be read, nobody is kept from working by what is not there
        return find_latest(phrases, call.facts, ENDED_WELL) <= find_latest(since, call.facts)

    return Condition(holds, (MARKS,))


def _check_globs(key: str, value: object) -> tuple[str, ...]:
    for glob in list_items(value):
        try:
            check_glob(glob)
        except ValueError as error:
            raise ValueError(f"`{key}`: `{glob[:80]}` {error}") from None
    return list_items(value)


ConditionMaker = Callable[[RuleEntry, RulePlace], Condition]
PATH_FACTS = ("real_paths", "linked_paths", "patched_paths")
CONDITIONS: Mapping[str, ConditionMaker] = {
    "tool": _make_tool,
    "agent": _make_agent,
    "subagent": _make_subagent,
    "mode": _make_mode,
    "cwd": _make_cwd,
    "run": _make_command,
    "flags": _make_command,
    "args": _make_command,
    "host": _make_host,
    "delete": _make_delete,
    **{key: _make_paths(key) for key in PATH_KINDS if key != "delete"},
    "branch": _make_branch,
    "context_over": _make_context,
    "after": _make_after,
    "before": _make_before,
    "content": _make_content,
    "prompt": _make_prompt,
}
"""In the order they are asked in: what costs nothing first."""
TOOL_CONDITIONS = frozenset({"run", "flags", "args", "tool", "host", "content", *PATH_KINDS})
"""Conditions that only an event about a tool can have."""


def has_tool(call: JudgedCall) -> bool:
    """Whether the event is about a tool at all."""
    return isinstance(call.event, ToolEvent)
