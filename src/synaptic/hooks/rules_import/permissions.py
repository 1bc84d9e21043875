"""Permissions of Claude Code's settings.json: what is denied or asked about becomes rules, what is allowed stays."""

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from synaptic.hooks.rules_import import named_commands, path_globs
from synaptic.hooks.rules_import.draft import (
    DraftedRule,
    ForeignRules,
    Leftover,
    list_texts,
    make_rule_id,
    read_json_object,
    shorten_list,
)
from synaptic.hooks.rules_import.named_commands import OPTION, NamedCommand

ENTRY = re.compile(r"(?P<tool>[A-Za-z_][\w-]*(?:\*[\w*-]*)?)(?:\((?P<given>.*)\))?", re.DOTALL)
PATH_KEYS = {"Read": "read", "Edit": "write", "Write": "write", "MultiEdit": "write", "NotebookEdit": "write"}
"""What an entry with a path is about: `Edit(...)` holds for every tool that changes or makes files."""
LISTS = {"deny": "refused", "ask": "asked about"}
SHELL_SIGNS = re.compile(r"[|&;<>$`\"'\\(){}\n]")
USER_SETTINGS = "~/.claude"
"""Where a path with one slash begins in the user's own settings."""


class PermissionList(msgspec.Struct, frozen=True):
    """Where an entry stands."""

    then: str
    where: str
    root: str


def read_permissions_file(text: str, where: str, root: str = "") -> ForeignRules:
    """The rules of a settings file; `root` is where a path with one slash in front begins, the project's without it."""
    settings = read_json_object(text)
    if settings is None:
        return ForeignRules(leftovers=(Leftover(where, "it is no JSON object"),))
    permissions = settings.get("permissions")
    if not isinstance(permissions, dict):
        return ForeignRules()
    found = list(_iter_entries(permissions, where, root))
    allowed = [
        Leftover(f"allow: {entry}", "it allows, and rules only tighten: it stays with the agent")
        for entry in list_texts(permissions.get("allow"))
    ]
    rules = [one for one in found if isinstance(one, DraftedRule)]
    return ForeignRules(tuple(rules), (*(one for one in found if isinstance(one, Leftover)), *allowed))


def _iter_entries(permissions: dict[str, Any], where: str, root: str) -> Iterator[DraftedRule | Leftover]:
    denied = set(list_texts(permissions.get("deny")))
    for then in LISTS:
        for entry in dict.fromkeys(list_texts(permissions.get(then))):
            if then == "ask" and entry in denied:
                yield Leftover(f"ask: {entry}", "it is denied, too")
                continue
            try:
                yield _translate_entry(entry, PermissionList(then, where, root))
            except ValueError as error:
                yield Leftover(f"{then}: {entry}", str(error))


def _translate_entry(entry: str, place: PermissionList) -> DraftedRule:
    found = ENTRY.fullmatch(entry.strip())
    if found is None:
        raise ValueError("it is no permission of the form `Tool` or `Tool(...)`")
    tool, given = found["tool"], (found["given"] or "").strip()
    if tool == "Bash" and given not in ("", "*", ":*"):
        conditions = _translate_command(given)
    elif tool in PATH_KEYS and given not in ("", "*", "**"):
        conditions = _translate_path(PATH_KEYS[tool], given, place.root)
    elif tool == "WebFetch" and given.startswith("domain:"):
        conditions = _translate_domain(given.removeprefix("domain:"))
    elif given in ("", "*", "**", ":*"):
        conditions = _translate_tool(tool)
    else:
        raise ValueError(f"what stands in the brackets of `{tool}` is no condition of a rule")
    examples: dict[str, Any] = {key: conditions.pop(key) for key in ("stops", "passes") if key in conditions}
    say = f"This is {LISTS[place.then]} here: `{entry}` stands in permissions.{place.then} of {place.where}."
    keys: dict[str, Any] = {"id": _make_id(tool, given), **conditions, "then": place.then, "say": say, **examples}
    return DraftedRule(keys, f"permissions.{place.then} of {place.where}: {entry}")


def _make_id(tool: str, given: str) -> str:
    name = given.removeprefix("domain:") if tool in ("Bash", "WebFetch") else f"{tool.removeprefix('mcp__')} {given}"
    return make_rule_id("permissions", name if given or tool != "Bash" else tool)


def _translate_command(given: str) -> dict[str, Any]:
    """The words of `npm run test:*`, `npm run test *` or `git push * --force`."""
    if SHELL_SIGNS.search(given):
        raise ValueError("it is about the text of a command line, and rules have a command's words")
    words = given.removesuffix(":*").split()
    is_open = given.endswith((":*", " *"))
    if words[-1:] == ["*"]:
        words.pop()
    # A star between words and an option stands for other words, and options may stand anywhere.
    if len(words) > 2 and words[-2] == "*" and OPTION.fullmatch(words[-1].rstrip("*")):
        words, is_open = [*words[:-2], words[-1].rstrip("*")], True
    if any("*" in word or "?" in word for word in words):
        raise ValueError("a star inside it stands for any text, and rules have a command's words")
    command = named_commands.read_words(words, is_begun=True)
    if not isinstance(command, NamedCommand):
        raise ValueError(command)
    if not is_open:
        hint = f"synaptic rule add --run '{command.run}'"
        raise ValueError(
            f"it means this command and no further word, and rules have leading words; to widen it: {hint}"
        )
    return named_commands.group_commands([command])[0]


def _translate_path(key: str, given: str, root: str) -> dict[str, Any]:
    globs = path_globs.find_globs_of_ignore_line(given, root)
    example = path_globs.make_path_of_glob(globs[0])
    return {key: shorten_list(globs), **({"stops": [{key: example}]} if example else {})}


def _translate_domain(domain: str) -> dict[str, Any]:
    if not domain:
        raise ValueError("it names no machine")
    call = {"tool": "WebFetch", "input": {"url": f"https://{domain.replace('*', 'www')}/", "prompt": "read it"}}
    # The entry holds for this tool alone; whoever wants curl and wget included takes `tool` out.
    return {"tool": "WebFetch", "host": domain, "stops": [call]}


def _translate_tool(tool: str) -> dict[str, Any]:
    server = tool.startswith("mcp__") and tool.count("__") == 1
    glob = f"{tool}__*" if server else tool
    if "*" in tool and not tool.startswith("mcp__"):
        raise ValueError("it names many tools by a star")
    return {"tool": glob, "stops": [{"tool": glob.replace("*", "x"), "input": {}}]}
