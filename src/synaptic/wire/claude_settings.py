"""Claude Code's settings files: where they are, and our entries put into and taken out of their text."""

import json
import sys
from pathlib import Path
from typing import Any, Literal

import msgspec

from synaptic.model.errors import SettingsError
from synaptic.wire.claude_entries import Plan, entries, is_ours
from synaptic.wire.jsontext import Edit, Item, New, Node, append, apply, cut, empty, scan

MARK = "\ufeff"
Keys = tuple[str, ...]


class Grown(msgspec.Struct, frozen=True):
    """A container that holds only our things: made by us, or empty before with this whitespace in it."""

    path: Keys
    interior: str | None = None


class Undo(msgspec.Struct, frozen=True):
    """What removal has to know beyond the text itself."""

    before: Literal["absent", "blank", "document"] = "document"
    blank: str = ""
    grown: tuple[Grown, ...] = ()


class Edited(msgspec.Struct, frozen=True):
    """A text with our entries in it, and the way back."""

    text: str
    undo: Undo


class Registration(msgspec.Struct, frozen=True):
    """How a settings text differs from the plan."""

    missing: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()
    """Events with an entry of ours that is not, or not only, the planned one."""

    @property
    def current(self) -> bool:
        return not self.missing and not self.stale


def settings_file(user_home: Path, claude_dir: Path | None = None) -> Path:
    """The user's own settings; `claude_dir` is CLAUDE_CONFIG_DIR."""
    return (claude_dir or user_home / ".claude") / "settings.json"


def managed_folder() -> Path:
    """Where this machine's administrator keeps settings that no repository can switch off."""
    if sys.platform == "darwin":
        return Path("/Library/Application Support/ClaudeCode")
    return Path("/etc/claude-code")


def managed_file(folder: Path) -> Path:
    return folder / "managed-settings.d" / "synaptic.json"


def registration(text: str | None, plan: Plan) -> Registration:
    """Which events lack our entry or hold another one of ours. Raises SettingsError for a text that is no settings."""
    wanted = entries(plan)
    present = _ours_by_event(text or "", plan.dispatch)
    missing = tuple(event for event in wanted if event not in present)
    stale = tuple(event for event, groups in present.items() if groups != [wanted.get(event)])
    return Registration(missing, stale)


def install(text: str | None, plan: Plan, undo: Undo | None = None) -> Edited | None:
    """The text with exactly the planned entries, older ones replaced; None when it already is that text."""
    if registration(text, plan).current:
        return None
    bare = None if text is None else uninstall(text, plan.dispatch, undo)
    edited = _insert(bare, entries(plan))
    if uninstall(edited.text, plan.dispatch, edited.undo) != bare or not registration(edited.text, plan).current:
        raise SettingsError("the entries cannot be added without changing something else", hint="report this file")
    return edited


def uninstall(text: str, dispatch: str, undo: Undo | None = None) -> str | None:
    """The text without our entries; None when the file was made for them and holds nothing else."""
    mark, body = _split(text)
    root, hooks = _open(body)
    if hooks is None:
        return text
    edits, gone = _sweep(body, hooks.value, dispatch, undo)
    rest = _thin(hooks.value, gone, _rest(undo, ("hooks",)))
    if rest is not None:
        return mark + apply(body, edits + rest)
    if len(root.items) > 1:
        return mark + apply(body, cut(root, [root.items.index(hooks)]))
    if undo is not None and undo.before != "document":
        return None if undo.before == "absent" else undo.blank
    return mark + apply(body, [empty(root, _rest(undo, ()) or "")])


def _split(text: str) -> tuple[str, str]:
    return (MARK, text[1:]) if text.startswith(MARK) else ("", text)


def _open(body: str) -> tuple[Node, Item | None]:
    """The root object and its `hooks` member."""
    if not body.strip():
        return Node("object", 0, 0), None
    root = scan(body)
    if root.kind != "object":
        raise SettingsError("the top level must be an object")
    hooks = _only(root, "hooks")
    if hooks is not None and hooks.value.kind != "object":
        raise SettingsError("`hooks` must be an object")
    return root, hooks


def _only(node: Node, key: str) -> Item | None:
    found = node.members(key)
    if len(found) > 1:
        raise SettingsError(f"`{key}` is there {len(found)} times; keep one of them")
    return found[0] if found else None


def _insert(text: str | None, groups: dict[str, dict[str, Any]]) -> Edited:
    if text is None or not _split(text)[1].strip():
        whole = json.dumps({"hooks": {event: [group] for event, group in groups.items()}}, indent=2, ensure_ascii=False)
        return Edited(f"{whole}\n", Undo("absent") if text is None else Undo("blank", text))
    mark, body = _split(text)
    root, hooks = _open(body)
    if hooks is None:
        fresh = {event: [group] for event, group in groups.items()}
        grown = (*_was_empty(body, root, ()), Grown(("hooks",)), *(Grown(("hooks", event)) for event in fresh))
        return Edited(mark + apply(body, [append(body, root, [New(fresh, "hooks")])]), Undo(grown=grown))
    edits, events = _insert_events(body, hooks.value, groups)
    return Edited(mark + apply(body, edits), Undo(grown=tuple(events)))


def _insert_events(body: str, hooks: Node, groups: dict[str, dict[str, Any]]) -> tuple[list[Edit], list[Grown]]:
    edits: list[Edit] = []
    grown: list[Grown] = []
    fresh: list[New] = []
    for event, group in groups.items():
        member = _only(hooks, event)
        if member is None:
            fresh.append(New([group], event))
            grown.append(Grown(("hooks", event)))
            continue
        if member.value.kind != "array":
            raise SettingsError(f"`hooks.{event}` must be an array")
        edits.append(append(body, member.value, [New(group)]))
        grown += _was_empty(body, member.value, ("hooks", event))
    if fresh:
        edits.append(append(body, hooks, fresh))
        grown += _was_empty(body, hooks, ("hooks",))
    return edits, grown


def _was_empty(body: str, node: Node, path: Keys) -> list[Grown]:
    return [] if node.items else [Grown(path, body[slice(*node.interior)])]


def _sweep(body: str, hooks: Node, dispatch: str, undo: Undo | None) -> tuple[list[Edit], list[int]]:
    """Edits inside the events' arrays, and the indexes of those events that go as a whole."""
    edits: list[Edit] = []
    gone: list[int] = []
    for index, member in enumerate(hooks.items):
        inner, whole = _sweep_groups(body, member.value, dispatch)
        rest = _thin(member.value, whole, _rest(undo, ("hooks", str(member.key))))
        if rest is None:
            gone.append(index)
        else:
            edits += inner + rest
    return edits, gone


def _sweep_groups(body: str, array: Node, dispatch: str) -> tuple[list[Edit], list[int]]:
    """A group of ours goes; our hook in somebody else's group goes alone."""
    edits: list[Edit] = []
    whole: list[int] = []
    for index, group in enumerate(array.items):
        hooks = _hooks_of(group.value)
        ours = [at for at, hook in enumerate(hooks.items) if is_ours(_value(body, hook.value), dispatch)]
        if ours and len(ours) == len(hooks.items):
            whole.append(index)
        elif ours:
            edits += cut(hooks, ours)
    return edits, whole


def _hooks_of(group: Node) -> Node:
    found = group.members("hooks")
    return found[-1].value if found else Node("array", group.start, group.end)


def _thin(node: Node, gone: list[int], rest: str | None) -> list[Edit] | None:
    """Edits that take these items out; None when the container goes with them."""
    if len(gone) < len(node.items) or not gone:
        return cut(node, gone)
    return None if rest is None else [empty(node, rest)]


def _rest(undo: Undo | None, path: Keys) -> str | None:
    """What stays in a container that becomes empty; None when it goes, as it does when nobody remembers."""
    if undo is None or undo.before != "document":
        return None
    return next((grown.interior for grown in undo.grown if grown.path == path), "")


def _ours_by_event(text: str, dispatch: str) -> dict[str, list[Any]]:
    """Every group with an entry of ours, by event; events without one are left out."""
    body = _split(text)[1]
    _, hooks = _open(body)
    found: dict[str, list[Any]] = {}
    for member in hooks.value.items if hooks else ():
        for group in member.value.items:
            if any(is_ours(_value(body, hook.value), dispatch) for hook in _hooks_of(group.value).items):
                found.setdefault(str(member.key), []).append(_value(body, group.value))
    return found


def _value(body: str, node: Node) -> Any:
    return json.loads(body[node.start : node.end])
