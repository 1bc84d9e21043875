"""Rules of the hookify plugin: `.claude/hookify.*.local.md`, lines between dashes and the message below them."""

import re
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath
from typing import Any

import msgspec

from synaptic.hooks.rules_import import named_commands, path_globs
from synaptic.hooks.rules_import.draft import DraftedRule, ForeignRules, Leftover, make_rule_id, shorten_list
from synaptic.hooks.rules_import.named_commands import NamedCommand, TextReading
from synaptic.model.pattern import LinearPattern

FRONT_MATTER = re.compile(r"---[ \t]*\n(?P<head>.*?\n)---[ \t]*(?:\n(?P<body>.*))?\Z", re.DOTALL)
CONTENT_FIELDS = frozenset({"new_text", "new_string", "content"})
PROMPT_FIELDS = frozenset({"user_prompt", "prompt"})
PATTERN_FIELDS = {"bash": "command", "file": "new_text", "prompt": "user_prompt", "stop": "reason"}
"""What a rule's one `pattern` is compared with, by event."""
VERDICTS = {"block": "deny", "warn": "advise", "ask": "ask"}
PASSING_ALWAYS = frozenset({".*", ".+", "", "^.*$", "[\\s\\S]*"})


class HookifyCondition(msgspec.Struct, frozen=True):
    """One line of `conditions`."""

    field: str
    operator: str
    pattern: str


class HookifyRule(msgspec.Struct, frozen=True):
    """One file."""

    name: str
    event: str
    action: str
    enabled: bool
    conditions: tuple[HookifyCondition, ...]
    message: str
    has_tools: bool = False


class NotCarriedOver(Exception):
    """Why a rule, or a part of it, has to stay where it is."""


def read_hookify_file(text: str, where: str) -> ForeignRules:
    """The rule of one file."""
    found = FRONT_MATTER.match(text.replace("\r\n", "\n"))
    if found is None:
        return ForeignRules(leftovers=(Leftover(where, "it does not begin with lines between `---` and `---`"),))
    rule = _read_rule(_read_lines(found["head"].splitlines()), (found["body"] or "").strip(), where)
    try:
        tables, leftovers = _translate_rule(rule, where)
    except NotCarriedOver as error:
        return ForeignRules(leftovers=(Leftover(f"{rule.name} ({where})", str(error)),))
    origin = f"hookify, {where}"
    name = make_rule_id("hookify", rule.name)
    ids = [name, *(f"{name}-{number}" for number in range(2, len(tables) + 1))]
    rules = (DraftedRule({"id": one, **table}, origin) for one, table in zip(ids, tables, strict=False))
    return ForeignRules(tuple(rules), leftovers)


def _read_lines(lines: Iterable[str]) -> dict[str, Any]:
    """The lines as the plugin reads them: a pattern stands there without quotes, so most are no valid YAML."""
    table: dict[str, Any] = {}
    items: list[dict[str, str]] = []
    for line in lines:
        bare = line.strip()
        if not bare or bare.startswith("#"):
            continue
        begins = bare.startswith("-") and line[:1].isspace() | line.startswith("-")
        key, colon, value = bare.lstrip("- ").partition(":") if begins else bare.partition(":")
        if not colon:
            continue
        if begins:
            items.append({})
        if begins or line[:1].isspace():
            if items:
                items[-1][key.strip()] = _unquote(value.strip())
        else:
            table[key.strip()] = _unquote(value.strip())
    return {**table, "conditions": items}


def _unquote(value: str) -> str:
    if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
        return value[1:-1].replace("\\\\", "\\") if value[0] == '"' else value[1:-1]
    return value


def _read_rule(table: Mapping[str, Any], message: str, where: str) -> HookifyRule:
    event = str(table.get("event", "all"))
    conditions = [
        HookifyCondition(one.get("field", ""), one.get("operator", "regex_match"), one.get("pattern", ""))
        for one in table["conditions"]
    ]
    if not conditions and table.get("pattern"):
        conditions = [HookifyCondition(PATTERN_FIELDS.get(event, ""), "regex_match", table["pattern"])]
    return HookifyRule(
        name=str(table.get("name") or PurePosixPath(where).name.removeprefix("hookify.").removesuffix(".local.md")),
        event=event,
        action=str(table.get("action", "warn")),
        enabled=str(table.get("enabled", "true")).lower() != "false",
        conditions=tuple(conditions),
        message=message,
        has_tools=bool(table.get("tool_matcher")),
    )


def _translate_rule(rule: HookifyRule, where: str) -> tuple[list[dict[str, Any]], tuple[Leftover, ...]]:
    if rule.action not in VERDICTS:
        raise NotCarriedOver(f"its action `{rule.action}` is not known")
    if rule.has_tools:
        raise NotCarriedOver("it names tools by `tool_matcher`")
    if not rule.conditions:
        raise NotCarriedOver("it has no pattern and no conditions, so it is never shown")
    fields = {one.field for one in rule.conditions}
    leftovers: tuple[Leftover, ...] = ()
    if rule.event == "stop":
        tables = [_translate_stop(rule)]
    elif fields <= PROMPT_FIELDS:
        tables = [_translate_prompt(rule)]
    elif fields == {"command"}:
        tables, leftovers = _translate_commands(rule, where)
    elif fields <= CONTENT_FIELDS | {"file_path"}:
        tables = [_translate_files(rule)]
    else:
        raise NotCarriedOver(f"`{', '.join(sorted(filter(None, fields))) or rule.event}` is no condition of a rule")
    return [_finish_table(rule, table) for table in tables], leftovers


def _finish_table(rule: HookifyRule, table: dict[str, Any]) -> dict[str, Any]:
    """The keys in the order of a rule that somebody wrote: what it is about, what is decided, its examples."""
    examples: dict[str, Any] = {key: table.pop(key) for key in ("stops", "passes") if key in table}
    say = rule.message or f"The rule `{rule.name}` is about this."
    off = {} if rule.enabled else {"enabled": False}
    then = table.pop("then", VERDICTS[rule.action])
    return {**table, "then": then, "say": say, **off, **examples}


def _translate_commands(rule: HookifyRule, where: str) -> tuple[list[dict[str, Any]], tuple[Leftover, ...]]:
    programs = [one for one in rule.conditions if not _names_options(one)]
    options = [option for one in rule.conditions if _names_options(one) for option in _read_options(one)]
    if len(programs) != 1 or len(rule.conditions) - len(programs) > 1:
        raise NotCarriedOver("it compares the command's text several times")
    reading = _read_commands(programs[0])
    commands = reading.commands
    if options:
        if any(one.option for one in commands):
            raise NotCarriedOver("it needs two options at once")
        commands = tuple(NamedCommand(one.run, option, one.argument) for one in commands for option in options)
    if not commands:
        raise NotCarriedOver("; ".join(f"`{text}`: {why}" for text, why in reading.unread))
    unread = (Leftover(f"{rule.name} ({where}): `{text}`", why) for text, why in reading.unread)
    return named_commands.group_commands(commands), tuple(unread)


def _names_options(condition: HookifyCondition) -> bool:
    return bool(_read_options(condition))


def _read_options(condition: HookifyCondition) -> tuple[str, ...]:
    if condition.operator not in ("regex_match", "contains"):
        return ()
    return named_commands.read_options(_as_pattern(condition))


def _read_commands(condition: HookifyCondition) -> TextReading:
    pattern = _as_pattern(condition)
    if condition.operator not in ("regex_match", "contains", "starts_with"):
        raise NotCarriedOver(f"`{condition.operator}` compares the whole text of a command, and rules have its words")
    return named_commands.read_pattern(pattern)


def _as_pattern(condition: HookifyCondition) -> str:
    plain = re.escape(condition.pattern).replace("\\ ", " ")
    whole = {"regex_match": condition.pattern, "contains": plain, "starts_with": f"^{plain}", "ends_with": f"{plain}$"}
    if condition.operator == "equals":
        return f"^{plain}$"
    if condition.operator not in whole:
        raise NotCarriedOver(f"`{condition.operator}` says what is not there, and rules say what is")
    return whole[condition.operator]


def _translate_files(rule: HookifyRule) -> dict[str, Any]:
    paths = [one for one in rule.conditions if one.field == "file_path"]
    texts = [one for one in rule.conditions if one.field != "file_path"]
    if len(paths) > 1 or len(texts) > 1:
        raise NotCarriedOver("it compares a path or a text several times")
    globs = _find_globs(paths[0]) if paths else []
    table: dict[str, Any] = {"write": shorten_list(globs)} if globs else {}
    example = {"write": path_globs.make_path_of_glob(globs[0]) if globs else "notes.txt"}
    if texts:
        table["content"] = _read_content(texts[0])
        # Of a pattern nobody knows a text that it matches.
        example |= {"content": texts[0].pattern} if texts[0].operator != "regex_match" else {"write": ""}
    return {**table, "stops": [example]} if example["write"] else table


def _find_globs(condition: HookifyCondition) -> list[str]:
    try:
        if condition.operator == "regex_match":
            return path_globs.find_globs_of_pattern(condition.pattern)
        if condition.operator in ("contains", "starts_with", "ends_with", "equals"):
            is_start, is_end = (condition.operator in (name, "equals") for name in ("starts_with", "ends_with"))
            return path_globs.find_globs_with_text(condition.pattern, is_start=is_start, is_end=is_end)
    except ValueError as error:
        raise NotCarriedOver(f"`{condition.pattern}`: {error}") from None
    raise NotCarriedOver(f"`{condition.operator}` says what is not there, and rules say what is")


def _read_content(condition: HookifyCondition) -> str:
    """The pattern; hookify compares without regard to case, and a text as it is."""
    pattern = _as_pattern(condition)
    pattern = f"(?i){pattern}" if condition.operator == "regex_match" else pattern
    try:
        LinearPattern(pattern)
    except (ValueError, re.error) as error:
        raise NotCarriedOver(f"`{condition.pattern}`: it {error}") from None
    return pattern


def _translate_prompt(rule: HookifyRule) -> dict[str, Any]:
    if len(rule.conditions) > 1:
        raise NotCarriedOver("it compares the prompt several times")
    (condition,) = rule.conditions
    table: dict[str, Any] = {"prompt": _read_content(condition)}
    if condition.operator in ("contains", "starts_with", "equals"):
        table["stops"] = [{"prompt": condition.pattern}]
    return table


def _translate_stop(rule: HookifyRule) -> dict[str, Any]:
    """A reminder: the agent is held once, and may stop when it has read it."""
    table: dict[str, Any] = {"event": "Stop", "then": "remind"}
    for one in rule.conditions:
        if one.operator == "regex_match" and one.pattern in PASSING_ALWAYS:
            continue
        if one.field != "transcript" or one.operator != "not_contains" or "before" in table:
            raise NotCarriedOver("it looks for words in what was said, and rules know what was done")
        command = named_commands.read_words(one.pattern.split())
        if isinstance(command, str):
            raise NotCarriedOver(f"`{one.pattern}`: {command}")
        table["before"] = f"ran {command.example}"
    return table
