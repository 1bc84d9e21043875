"""Our entries put into and taken out of a settings text, whatever agent it belongs to and however it is laid out."""

import json
from typing import Any, Literal

import msgspec

from synaptic.agents.base import SettingsShape, WantedEntries
from synaptic.agents.shared.jsontext import Edit, Item, New, Node, append, apply, cut, empty, plain, scan, spare
from synaptic.model.errors import SettingsError

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


class _Document(msgspec.Struct, frozen=True):
    """A text that was read: `bare` is the same without comments, at the same positions."""

    mark: str
    body: str
    bare: str
    root: Node
    events: Node | None
    """The object that holds the events; None when there is none."""
    holder: Item | None = None
    """The member of the root that this object is the value of, if it is not the root itself."""

    def value(self, node: Node) -> Any:
        return json.loads(self.bare[node.start : node.end])

    def edited(self, edits: list[Edit], comments: bool) -> str:
        return self.mark + apply(self.body, spare(self.body, edits) if comments else edits)


def registration(text: str | None, wanted: WantedEntries) -> Registration:
    """Which events lack our entry or hold another one of ours. Raises SettingsError for a text that is no settings."""
    present = found(text, wanted)
    missing = tuple(event for event in wanted.groups if event not in present)
    stale = tuple(event for event, groups in present.items() if groups != [wanted.groups.get(event)])
    return Registration(missing, stale)


def found(text: str | None, wanted: WantedEntries) -> dict[str, list[Any]]:
    """Every group with an entry of ours, by event; events without one are left out."""
    document = _read(text or "", wanted.shape)
    present: dict[str, list[Any]] = {}
    for member in document.events.items if document.events else ():
        for group in _elements(member.value):
            if any(wanted.has_written(document.value(hook)) for hook in _hooks(group.value, wanted.shape)):
                present.setdefault(str(member.key), []).append(document.value(group.value))
    return present


def install(text: str | None, wanted: WantedEntries, undo: Undo | None = None) -> Edited | None:
    """The text with exactly the wanted entries, older ones replaced; None when it already is that text."""
    if registration(text, wanted).current:
        return None
    bare = None if text is None else uninstall(text, wanted, undo)
    edited = _insert(bare, wanted)
    if uninstall(edited.text, wanted, edited.undo) != bare or not registration(edited.text, wanted).current:
        raise SettingsError("the entries cannot be added without changing something else", hint="report this file")
    return edited


def uninstall(text: str, wanted: WantedEntries, undo: Undo | None = None) -> str | None:
    """The text without our entries; None when the file was made for them and holds nothing else."""
    shape, document = wanted.shape, _read(text, wanted.shape)
    if document.events is None:
        return text
    edits, gone = _sweep(document, wanted, undo)
    if not edits and not gone:
        return text
    if document.holder is not None:
        rest = _thin(document.events, gone, _rest(undo, (shape.inside,)))
        if rest is not None:
            return document.edited(edits + rest, shape.comments)
        edits, gone = [], [document.root.items.index(document.holder), *_head(document.root, shape, undo)]
    if len(gone) < len(document.root.items):
        return document.edited(edits + cut(document.root, gone), shape.comments)
    if undo is not None and undo.before != "document":
        return None if undo.before == "absent" else undo.blank
    return document.edited([empty(document.root, _rest(undo, ()) or "")], shape.comments)


def _read(text: str, shape: SettingsShape) -> _Document:
    mark, body = _split(text)
    if not body.strip():
        return _Document(mark, body, body, Node("object", 0, 0), None)
    bare = plain(body) if shape.comments else body
    root = scan(bare)
    if root.kind != "object":
        raise SettingsError("the top level must be an object")
    if not shape.inside:
        return _Document(mark, body, bare, root, root)
    holder = _only(root, shape.inside)
    if holder is not None and holder.value.kind != "object":
        raise SettingsError(f"`{shape.inside}` must be an object")
    return _Document(mark, body, bare, root, holder.value if holder else None, holder)


def _split(text: str) -> tuple[str, str]:
    return (MARK, text[1:]) if text.startswith(MARK) else ("", text)


def _only(node: Node, key: str) -> Item | None:
    members = node.members(key)
    if len(members) > 1:
        raise SettingsError(f"`{key}` is there {len(members)} times; keep one of them")
    return members[0] if members else None


def _elements(node: Node) -> tuple[Item, ...]:
    return node.items if node.kind == "array" else ()


def _hooks(group: Node, shape: SettingsShape) -> list[Node]:
    if not shape.nested:
        return [group]
    return [hook.value for hook in _inner(group).items]


def _inner(group: Node) -> Node:
    members = group.members("hooks")
    return members[-1].value if members else Node("array", group.start, group.end)


def _insert(text: str | None, wanted: WantedEntries) -> Edited:
    shape, events = wanted.shape, {event: [group] for event, group in wanted.groups.items()}
    if text is None or not _split(text)[1].strip():
        whole = {**shape.head, shape.inside: events} if shape.inside else {**shape.head, **events}
        made = json.dumps(whole, indent=2, ensure_ascii=False)
        return Edited(f"{made}\n", Undo("absent") if text is None else Undo("blank", text))
    document = _read(text, shape)
    if document.events is None:
        return _insert_holder(document, shape, events)
    _demand_head(document.root, shape)
    edits, grown = _insert_events(document, wanted)
    return Edited(document.mark + apply(document.body, edits), Undo(grown=tuple(grown)))


def _insert_holder(document: _Document, shape: SettingsShape, events: dict[str, Any]) -> Edited:
    body, root = document.body, document.root
    head = [New(value, key) for key, value in shape.head.items() if not root.members(key)]
    grown = (
        *_was_empty(body, root, ()),
        *(Grown((str(new.key),)) for new in head),
        Grown((shape.inside,)),
        *(Grown((shape.inside, event)) for event in events),
    )
    edit = append(body, root, [*head, New(events, shape.inside)])
    return Edited(document.mark + apply(body, [edit]), Undo(grown=grown))


def _demand_head(root: Node, shape: SettingsShape) -> None:
    for key, value in shape.head.items():
        if not root.members(key):
            hint = f'add "{key}": {value}, then run the command again'
            raise SettingsError(f"`{key}` is missing, and the agent ignores the file without it", hint=hint)


def _insert_events(document: _Document, wanted: WantedEntries) -> tuple[list[Edit], list[Grown]]:
    body, events = document.body, document.events or document.root
    above = (wanted.shape.inside,) if wanted.shape.inside else ()
    edits: list[Edit] = []
    grown: list[Grown] = []
    fresh: list[New] = []
    for event, group in wanted.groups.items():
        member = _only(events, event)
        if member is None:
            fresh.append(New([group], event))
            grown.append(Grown((*above, event)))
            continue
        if member.value.kind != "array":
            raise SettingsError(f"`{'.'.join((*above, event))}` must be an array")
        edits.append(append(body, member.value, [New(group)]))
        grown += _was_empty(body, member.value, (*above, event))
    if fresh:
        edits.append(append(body, events, fresh))
        grown += _was_empty(body, events, above)
    return edits, grown


def _was_empty(body: str, node: Node, path: Keys) -> list[Grown]:
    return [] if node.items else [Grown(path, body[slice(*node.interior)])]


def _sweep(document: _Document, wanted: WantedEntries, undo: Undo | None) -> tuple[list[Edit], list[int]]:
    """Edits inside the events' arrays, and the indexes of those events that go as a whole."""
    above = (wanted.shape.inside,) if wanted.shape.inside else ()
    edits: list[Edit] = []
    gone: list[int] = []
    for index, member in enumerate(document.events.items if document.events else ()):
        inner, whole = _sweep_groups(document, member.value, wanted)
        rest = _thin(member.value, whole, _rest(undo, (*above, str(member.key))))
        if rest is None:
            gone.append(index)
        else:
            edits += inner + rest
    return edits, gone


def _sweep_groups(document: _Document, array: Node, wanted: WantedEntries) -> tuple[list[Edit], list[int]]:
    """Remove a group that is wholly ours; from a group with other hooks remove ours only."""
    edits: list[Edit] = []
    whole: list[int] = []
    for index, group in enumerate(_elements(array)):
        hooks = _hooks(group.value, wanted.shape)
        ours = [at for at, hook in enumerate(hooks) if wanted.has_written(document.value(hook))]
        if ours and len(ours) == len(hooks):
            whole.append(index)
        elif ours:
            edits += cut(_inner(group.value), ours)
    return edits, whole


def _thin(node: Node, gone: list[int], rest: str | None) -> list[Edit] | None:
    """Edits that take these items out; None when the container goes with them."""
    if len(gone) < len(node.items) or not gone:
        return cut(node, gone)
    return None if rest is None else [empty(node, rest)]


def _rest(undo: Undo | None, path: Keys) -> str | None:
    """Whitespace to leave in a container that becomes empty; None removes it, also when no undo was recorded."""
    if undo is None or undo.before != "document":
        return None
    return next((grown.interior for grown in undo.grown if grown.path == path), "")


def _head(root: Node, shape: SettingsShape, undo: Undo | None) -> list[int]:
    """Find members such as `version` that were added only because the agent demands them beside hooks."""
    made = undo is not None and undo.before != "document"
    added = {grown.path for grown in undo.grown} if undo is not None else set()
    return [index for index, item in enumerate(root.items) if item.key in shape.head and (made or (item.key,) in added)]
