"""Find hooks of others in Claude Code's settings, translate them into ours, and cut them out of the text."""

import json
import re
import shlex
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from synaptic.agents.claude.entries import REGISTERED, TIMEOUT, TIMEOUTS
from synaptic.agents.shared.jsontext import Edit, Item, Node, apply, cut, empty, scan
from synaptic.agents.shared.ours import is_ours
from synaptic.model.errors import SettingsError
from synaptic.model.event import EVENTS

MARK = "\ufeff"
NAMES = re.compile(r"[A-Za-z0-9_ ,|-]*")
LOOPBACK = re.compile(r"http://(127\.0\.0\.1|localhost|\[::1\])(:\d+)?(/|$)")
PROJECT_DIR = "${CLAUDE_PROJECT_DIR}"
LONGEST = 3600
"""Seconds; the most that a hook of ours may take."""
UNDERSTOOD = {
    "command": {"type", "command", "args", "timeout", "async", "shell", "statusMessage", "once", "onFailure"},
    "http": {"type", "url", "timeout", "statusMessage", "once", "onFailure"},
}
"""Fields that can be carried over, or that only concern the agent's display."""


class Foreign(msgspec.Struct, frozen=True):
    """One hook in the settings and where it stands."""

    event: str
    group: int
    index: int
    matcher: object
    hook: Any
    extra: tuple[str, ...] = ()
    """Keys of its group that nobody knows."""


def found(text: str, dispatch: str) -> list[Foreign]:
    """Find every hook that is not ours. Raises SettingsError for a text that is no settings."""
    body = text.removeprefix(MARK)
    hooks = _hooks(body)[1]
    return [one for member in (hooks.value.items if hooks else ()) for one in _of_event(body, member, dispatch)]


def refusal(foreign: Foreign) -> str:
    """Explain why a hook cannot be taken over; empty when it can."""
    hook = foreign.hook
    kind = hook.get("type") if isinstance(hook, dict) else None
    if kind not in UNDERSTOOD:
        return f"only the agent itself can run hooks of type {kind!r}"
    if foreign.event not in REGISTERED:
        return "the agent does not call the dispatcher for this event"
    if foreign.event == "FileChanged":
        return "its matcher tells the agent which files to watch"
    if foreign.extra:
        return f"its group has `{foreign.extra[0]}`, which only the agent understands"
    if unknown := sorted(hook.keys() - UNDERSTOOD[kind]):
        return f"it has `{unknown[0]}`, which only the agent understands"
    return _unmatchable(foreign.matcher) or (_unrunnable(hook) if kind == "command" else _unpostable(hook))


def translated(foreign: Foreign, name: str) -> dict[str, Any]:
    """Translate a hook into an entry of our registry, under this id."""
    hook, event = foreign.hook, foreign.event
    timeout = hook.get("timeout", TIMEOUTS.get(event, TIMEOUT))
    runs = {"url": hook["url"]} if hook["type"] == "http" else {"command": _shell(hook)}
    return {
        "id": name,
        "event": event,
        "matcher": _matcher(foreign),
        "skill": "imported",
        **runs,
        # Anything but a plain `true` is waited for: a hook that may block must not become one that cannot.
        "blocking": hook.get("async") is not True,
        "timeout": min(timeout, LONGEST),
        **({"on_error": "deny"} if hook.get("onFailure") == "block" else {}),
        "protocol": "native",
    }


def without(text: str, taken: Iterable[Foreign]) -> str:
    """Cut these hooks out of the text; groups, events and `hooks` itself go when nothing is left in them."""
    gone = {(one.event, one.group, one.index) for one in taken}
    body = text.removeprefix(MARK)
    root, hooks = _hooks(body)
    if hooks is None or not gone:
        return text
    edits, events = _thinned(hooks.value, gone)
    if len(events) < len(hooks.value.items):
        edits += cut(hooks.value, events)
    elif len(root.items) > 1:
        # Instead of the edits so far, not beside them: they lie inside what is cut.
        edits = cut(root, [root.items.index(hooks)])
    else:
        edits = [empty(root)]
    return text[: len(text) - len(body)] + apply(body, edits)


def _hooks(body: str) -> tuple[Node, Item | None]:
    if not body.strip():
        return Node("object", 0, 0), None
    root = scan(body)
    found = root.members("hooks")
    if root.kind != "object" or len(found) > 1 or (found and found[0].value.kind != "object"):
        raise SettingsError("must be one object with one object `hooks`")
    names = [item.key for item in found[0].value.items] if found else []
    if len(names) != len(set(names)):
        raise SettingsError("names an event twice", hint="keep one of them")
    return root, found[0] if found else None


def _of_event(body: str, member: Item, dispatch: str) -> Iterator[Foreign]:
    for number, group in enumerate(member.value.items):
        whole = _value(body, group.value)
        for index, hook in enumerate(_inner(group.value).items):
            value = _value(body, hook.value)
            if not is_ours(value, dispatch):
                extra = tuple(key for key in whole if key not in ("matcher", "hooks"))
                yield Foreign(str(member.key), number, index, whole.get("matcher"), value, extra)


def _thinned(hooks: Node, gone: set[tuple[str, int, int]]) -> tuple[list[Edit], list[int]]:
    """Make the edits inside the events, and list the indexes of events of which nothing is left."""
    edits: list[Edit] = []
    events: list[int] = []
    for position, member in enumerate(hooks.items):
        inner, groups = _thinned_groups(str(member.key), member.value, gone)
        if groups and len(groups) == len(member.value.items):
            events.append(position)
        else:
            edits += inner + cut(member.value, groups)
    return edits, events


def _thinned_groups(event: str, array: Node, gone: set[tuple[str, int, int]]) -> tuple[list[Edit], list[int]]:
    edits: list[Edit] = []
    groups: list[int] = []
    for number, group in enumerate(array.items):
        inner = _inner(group.value)
        indexes = [index for index in range(len(inner.items)) if (event, number, index) in gone]
        if indexes and len(indexes) == len(inner.items):
            groups.append(number)
        else:
            edits += cut(inner, indexes)
    return edits, groups


def _inner(group: Node) -> Node:
    members = group.members("hooks")
    # The last of two equal keys, as JSON readers take it.
    return members[-1].value if members else Node("array", group.start, group.end)


def _value(body: str, node: Node) -> Any:
    return json.loads(body[node.start : node.end])


def _unmatchable(matcher: object) -> str:
    if matcher is not None and not isinstance(matcher, str):
        return "its matcher is no text"
    try:
        re.compile("" if matcher in (None, "*") else str(matcher))
    except re.error as error:
        return f"its matcher {matcher!r} is no regular expression: {error}"
    return ""


def _unrunnable(hook: dict[str, Any]) -> str:
    words = [hook.get("command"), *(hook.get("args") or ())]
    if not all(isinstance(word, str) and "\0" not in word for word in words) or not words[0]:
        return "its command is no text"
    if hook.get("shell", "bash") != "bash":
        return f"its shell is {hook['shell']!r}"
    if "args" in hook and any("${" in word.replace(PROJECT_DIR, "") for word in words):
        return "only the agent can fill in its ${...}"
    return ""


def _unpostable(hook: dict[str, Any]) -> str:
    if not isinstance(hook.get("url"), str) or not LOOPBACK.match(hook["url"]):
        return "its address is not on this machine"
    return ""


def _matcher(foreign: Foreign) -> str:
    """Translate a matcher: the agent searches with a regular expression, we match the whole name."""
    matcher = foreign.matcher
    if not isinstance(matcher, str) or matcher in ("", "*") or not EVENTS[foreign.event].SUBJECT:
        return ".*"
    return matcher if NAMES.fullmatch(matcher) else f".*(?:{matcher}).*"


def _shell(hook: dict[str, Any]) -> str:
    if "args" not in hook:
        return str(hook["command"])
    return " ".join(_quoted(word) for word in (hook["command"], *hook["args"]))


def _quoted(word: str) -> str:
    # The variable in double quotes, so that the shell fills it in; everything else literally.
    return f'"{PROJECT_DIR}"'.join(map(shlex.quote, word.split(PROJECT_DIR)))
