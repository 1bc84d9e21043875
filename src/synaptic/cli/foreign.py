"""Find hooks of others in Claude Code's settings, translate them into ours, and cut them out of the text."""

import json
import re
import shlex
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from synaptic.agents.claude.entries import REGISTERED_EVENTS, TIMEOUT, TIMEOUTS
from synaptic.agents.shared.jsontext import (
    JsonItem,
    JsonNode,
    TextEdit,
    apply_edits,
    cut_items,
    empty_container,
    scan_json,
)
from synaptic.agents.shared.ours import is_ours
from synaptic.model.errors import SettingsError
from synaptic.model.event import EVENTS

BYTE_ORDER_MARK = "\ufeff"
PLAIN_MATCHER = re.compile(r"[A-Za-z0-9_ ,|-]*")
LOOPBACK_URL = re.compile(r"http://(127\.0\.0\.1|localhost|\[::1\])(:\d+)?(/|$)")
PROJECT_DIR = "${CLAUDE_PROJECT_DIR}"
MAX_TIMEOUT = 3600
"""Seconds; the most that a hook of ours may take."""
KNOWN_FIELDS = {
    "command": {"type", "command", "args", "timeout", "async", "shell", "statusMessage", "once", "onFailure"},
    "http": {"type", "url", "timeout", "statusMessage", "once", "onFailure"},
}
"""Fields that can be carried over, or that only concern the agent's display."""


class ForeignHook(msgspec.Struct, frozen=True):
    """One hook in the settings and where it stands."""

    event: str
    group: int
    index: int
    matcher: object
    hook: Any
    extra: tuple[str, ...] = ()
    """Keys of its group that nobody knows."""


def find_foreign_hooks(text: str, dispatch: str) -> list[ForeignHook]:
    """Find every hook that is not ours. Raises SettingsError for a text that is no settings."""
    body = text.removeprefix(BYTE_ORDER_MARK)
    hooks = _scan_hooks(body)[1]
    return [one for member in (hooks.value.items if hooks else ()) for one in _iter_event_hooks(body, member, dispatch)]


def explain_refusal(foreign: ForeignHook) -> str:
    """Explain why a hook cannot be taken over; empty when it can."""
    hook = foreign.hook
    kind = hook.get("type") if isinstance(hook, dict) else None
    if kind not in KNOWN_FIELDS:
        return f"only the agent itself can run hooks of type {kind!r}"
    if foreign.event not in REGISTERED_EVENTS:
        return "the agent does not call the dispatcher for this event"
    if foreign.event == "FileChanged":
        return "its matcher tells the agent which files to watch"
    if foreign.extra:
        return f"its group has `{foreign.extra[0]}`, which only the agent understands"
    if unknown := sorted(hook.keys() - KNOWN_FIELDS[kind]):
        return f"it has `{unknown[0]}`, which only the agent understands"
    return _explain_bad_matcher(foreign.matcher) or (
        _explain_bad_command(hook) if kind == "command" else _explain_bad_url(hook)
    )


def translate_hook(foreign: ForeignHook, name: str) -> dict[str, Any]:
    """Translate a hook into an entry of our registry, under this id."""
    hook, event = foreign.hook, foreign.event
    timeout = hook.get("timeout", TIMEOUTS.get(event, TIMEOUT))
    runs = {"url": hook["url"]} if hook["type"] == "http" else {"command": _make_shell_line(hook)}
    return {
        "id": name,
        "event": event,
        "matcher": _translate_matcher(foreign),
        "skill": "imported",
        **runs,
        # Anything but a plain `true` is waited for: a hook that may block must not become one that cannot.
        "blocking": hook.get("async") is not True,
        "timeout": min(timeout, MAX_TIMEOUT),
        **({"on_error": "deny"} if hook.get("onFailure") == "block" else {}),
        "protocol": "native",
    }


def cut_hooks(text: str, taken: Iterable[ForeignHook]) -> str:
    """Cut these hooks out of the text; groups, events and `hooks` itself go when nothing is left in them."""
    gone = {(one.event, one.group, one.index) for one in taken}
    body = text.removeprefix(BYTE_ORDER_MARK)
    root, hooks = _scan_hooks(body)
    if hooks is None or not gone:
        return text
    edits, events = _cut_events(hooks.value, gone)
    if len(events) < len(hooks.value.items):
        edits += cut_items(hooks.value, events)
    elif len(root.items) > 1:
        # Instead of the edits so far, not beside them: they lie inside what is cut.
        edits = cut_items(root, [root.items.index(hooks)])
    else:
        edits = [empty_container(root)]
    return text[: len(text) - len(body)] + apply_edits(body, edits)


def _scan_hooks(body: str) -> tuple[JsonNode, JsonItem | None]:
    if not body.strip():
        return JsonNode("object", 0, 0), None
    root = scan_json(body)
    found = root.find_members("hooks")
    if root.kind != "object" or len(found) > 1 or (found and found[0].value.kind != "object"):
        raise SettingsError("must be one object with one object `hooks`")
    names = [item.key for item in found[0].value.items] if found else []
    if len(names) != len(set(names)):
        raise SettingsError("names an event twice", hint="keep one of them")
    return root, found[0] if found else None


def _iter_event_hooks(body: str, member: JsonItem, dispatch: str) -> Iterator[ForeignHook]:
    for number, group in enumerate(member.value.items):
        whole = _parse_node(body, group.value)
        for index, hook in enumerate(_get_group_hooks(group.value).items):
            value = _parse_node(body, hook.value)
            if not is_ours(value, dispatch):
                extra = tuple(key for key in whole if key not in ("matcher", "hooks"))
                yield ForeignHook(str(member.key), number, index, whole.get("matcher"), value, extra)


def _cut_events(hooks: JsonNode, gone: set[tuple[str, int, int]]) -> tuple[list[TextEdit], list[int]]:
    """Make the edits inside the events, and list the indexes of events of which nothing is left."""
    edits: list[TextEdit] = []
    events: list[int] = []
    for position, member in enumerate(hooks.items):
        inner, groups = _cut_groups(str(member.key), member.value, gone)
        if groups and len(groups) == len(member.value.items):
            events.append(position)
        else:
            edits += inner + cut_items(member.value, groups)
    return edits, events


def _cut_groups(event: str, array: JsonNode, gone: set[tuple[str, int, int]]) -> tuple[list[TextEdit], list[int]]:
    edits: list[TextEdit] = []
    groups: list[int] = []
    for number, group in enumerate(array.items):
        inner = _get_group_hooks(group.value)
        indexes = [index for index in range(len(inner.items)) if (event, number, index) in gone]
        if indexes and len(indexes) == len(inner.items):
            groups.append(number)
        else:
            edits += cut_items(inner, indexes)
    return edits, groups


def _get_group_hooks(group: JsonNode) -> JsonNode:
    members = group.find_members("hooks")
    # The last of two equal keys, as JSON readers take it.
    return members[-1].value if members else JsonNode("array", group.start, group.end)


def _parse_node(body: str, node: JsonNode) -> Any:
    return json.loads(body[node.start : node.end])


def _explain_bad_matcher(matcher: object) -> str:
    if matcher is not None and not isinstance(matcher, str):
        return "its matcher is no text"
    try:
        re.compile("" if matcher in (None, "*") else str(matcher))
    except re.error as error:
        return f"its matcher {matcher!r} is no regular expression: {error}"
    return ""


def _explain_bad_command(hook: dict[str, Any]) -> str:
    words = [hook.get("command"), *(hook.get("args") or ())]
    if not all(isinstance(word, str) and "\0" not in word for word in words) or not words[0]:
        return "its command is no text"
    if hook.get("shell", "bash") != "bash":
        return f"its shell is {hook['shell']!r}"
    if "args" in hook and any("${" in word.replace(PROJECT_DIR, "") for word in words):
        return "only the agent can fill in its ${...}"
    return ""


def _explain_bad_url(hook: dict[str, Any]) -> str:
    if not isinstance(hook.get("url"), str) or not LOOPBACK_URL.match(hook["url"]):
        return "its address is not on this machine"
    return ""


def _translate_matcher(foreign: ForeignHook) -> str:
    """Translate a matcher: the agent searches with a regular expression, we match the whole name."""
    matcher = foreign.matcher
    if not isinstance(matcher, str) or matcher in ("", "*") or not EVENTS[foreign.event].SUBJECT:
        return ".*"
    return matcher if PLAIN_MATCHER.fullmatch(matcher) else f".*(?:{matcher}).*"


def _make_shell_line(hook: dict[str, Any]) -> str:
    if "args" not in hook:
        return str(hook["command"])
    return " ".join(_quote_word(word) for word in (hook["command"], *hook["args"]))


def _quote_word(word: str) -> str:
    # The variable in double quotes, so that the shell fills it in; everything else literally.
    return f'"{PROJECT_DIR}"'.join(map(shlex.quote, word.split(PROJECT_DIR)))
