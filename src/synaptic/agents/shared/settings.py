"""Our entries put into and taken out of a settings text, whatever agent it belongs to and however it is laid out."""

import json
from typing import Any, Literal

import msgspec

from synaptic.agents.base import SettingsShape, WantedEntries
from synaptic.agents.shared.jsontext import (
    JsonItem,
    JsonNode,
    NewItem,
    TextEdit,
    append_items,
    apply_edits,
    blank_comments,
    cut_items,
    empty_container,
    scan_json,
    spare_comments,
)
from synaptic.model.errors import SettingsError

BYTE_ORDER_MARK = "\ufeff"
Keys = tuple[str, ...]


class GrownContainer(msgspec.Struct, frozen=True):
    """A container that holds only our things: made by us, or empty before with this whitespace in it."""

    path: Keys
    interior: str | None = None


class SettingsUndo(msgspec.Struct, frozen=True):
    """What removal has to know beyond the text itself."""

    before: Literal["absent", "blank", "document"] = "document"
    blank: str = ""
    grown: tuple[GrownContainer, ...] = ()


class EditedSettings(msgspec.Struct, frozen=True):
    """A text with our entries in it, and the way back."""

    text: str
    undo: SettingsUndo


class EntryDifference(msgspec.Struct, frozen=True):
    """How a settings text differs from the plan."""

    missing: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()
    """Events with an entry of ours that is not, or not only, the planned one."""

    @property
    def is_current(self) -> bool:
        return not self.missing and not self.stale


class _SettingsDocument(msgspec.Struct, frozen=True):
    """A text that was read: `bare` is the same without comments, at the same positions."""

    mark: str
    body: str
    bare: str
    root: JsonNode
    events: JsonNode | None
    """The object that holds the events; None when there is none."""
    holder: JsonItem | None = None
    """The member of the root that this object is the value of, if it is not the root itself."""

    def decode(self, node: JsonNode) -> Any:
        return json.loads(self.bare[node.start : node.end])

    def apply(self, edits: list[TextEdit], comments: bool) -> str:
        return self.mark + apply_edits(self.body, spare_comments(self.body, edits) if comments else edits)


def compare_entries(text: str | None, wanted: WantedEntries) -> EntryDifference:
    """Which events lack our entry or hold another one of ours. Raises SettingsError for a text that is no settings."""
    present = find_entries(text, wanted)
    missing = tuple(event for event in wanted.groups if event not in present)
    stale = tuple(event for event, groups in present.items() if groups != [wanted.groups.get(event)])
    return EntryDifference(missing, stale)


def find_entries(text: str | None, wanted: WantedEntries) -> dict[str, list[Any]]:
    """Every group with an entry of ours, by event; events without one are left out."""
    document = _read_document(text or "", wanted.shape)
    present: dict[str, list[Any]] = {}
    for member in document.events.items if document.events else ():
        for group in _list_elements(member.value):
            if any(wanted.has_written(document.decode(hook)) for hook in _list_hooks(group.value, wanted.shape)):
                present.setdefault(str(member.key), []).append(document.decode(group.value))
    return present


def install_entries(text: str | None, wanted: WantedEntries, undo: SettingsUndo | None = None) -> EditedSettings | None:
    """The text with exactly the wanted entries, older ones replaced; None when it already is that text."""
    if compare_entries(text, wanted).is_current:
        return None
    bare = None if text is None else uninstall_entries(text, wanted, undo)
    edited = _insert_entries(bare, wanted)
    if (
        uninstall_entries(edited.text, wanted, edited.undo) != bare
        or not compare_entries(edited.text, wanted).is_current
    ):
        raise SettingsError("the entries cannot be added without changing something else", hint="report this file")
    return edited


def uninstall_entries(text: str, wanted: WantedEntries, undo: SettingsUndo | None = None) -> str | None:
    """The text without our entries; None when the file was made for them and holds nothing else."""
    shape, document = wanted.shape, _read_document(text, wanted.shape)
    if document.events is None:
        return text
    edits, gone = _sweep_events(document, wanted, undo)
    if not edits and not gone:
        return text
    if document.holder is not None:
        rest = _take_out_items(document.events, gone, _find_remainder(undo, (shape.inside,)))
        if rest is not None:
            return document.apply(edits + rest, shape.comments)
        edits, gone = [], [document.root.items.index(document.holder), *_find_added_head(document.root, shape, undo)]
    if len(gone) < len(document.root.items):
        return document.apply(edits + cut_items(document.root, gone), shape.comments)
    if undo is not None and undo.before != "document":
        return None if undo.before == "absent" else undo.blank
    return document.apply([empty_container(document.root, _find_remainder(undo, ()) or "")], shape.comments)


def _read_document(text: str, shape: SettingsShape) -> _SettingsDocument:
    mark, body = _split_byte_order_mark(text)
    if not body.strip():
        return _SettingsDocument(mark, body, body, JsonNode("object", 0, 0), None)
    bare = blank_comments(body) if shape.comments else body
    root = scan_json(bare)
    if root.kind != "object":
        raise SettingsError("the top level must be an object")
    if not shape.inside:
        return _SettingsDocument(mark, body, bare, root, root)
    holder = _find_only_member(root, shape.inside)
    if holder is not None and holder.value.kind != "object":
        raise SettingsError(f"`{shape.inside}` must be an object")
    return _SettingsDocument(mark, body, bare, root, holder.value if holder else None, holder)


def _split_byte_order_mark(text: str) -> tuple[str, str]:
    return (BYTE_ORDER_MARK, text[1:]) if text.startswith(BYTE_ORDER_MARK) else ("", text)


def _find_only_member(node: JsonNode, key: str) -> JsonItem | None:
    members = node.find_members(key)
    if len(members) > 1:
        raise SettingsError(f"`{key}` is there {len(members)} times; keep one of them")
    return members[0] if members else None


def _list_elements(node: JsonNode) -> tuple[JsonItem, ...]:
    return node.items if node.kind == "array" else ()


def _list_hooks(group: JsonNode, shape: SettingsShape) -> list[JsonNode]:
    if not shape.nested:
        return [group]
    return [hook.value for hook in _find_hook_array(group).items]


def _find_hook_array(group: JsonNode) -> JsonNode:
    members = group.find_members("hooks")
    return members[-1].value if members else JsonNode("array", group.start, group.end)


def _insert_entries(text: str | None, wanted: WantedEntries) -> EditedSettings:
    shape, events = wanted.shape, {event: [group] for event, group in wanted.groups.items()}
    if text is None or not _split_byte_order_mark(text)[1].strip():
        whole = {**shape.head, shape.inside: events} if shape.inside else {**shape.head, **events}
        made = json.dumps(whole, indent=2, ensure_ascii=False)
        return EditedSettings(f"{made}\n", SettingsUndo("absent") if text is None else SettingsUndo("blank", text))
    document = _read_document(text, shape)
    if document.events is None:
        return _insert_holder(document, shape, events)
    _demand_head(document.root, shape)
    edits, grown = _insert_events(document, wanted)
    return EditedSettings(document.mark + apply_edits(document.body, edits), SettingsUndo(grown=tuple(grown)))


def _insert_holder(document: _SettingsDocument, shape: SettingsShape, events: dict[str, Any]) -> EditedSettings:
    body, root = document.body, document.root
    head = [NewItem(value, key) for key, value in shape.head.items() if not root.find_members(key)]
    grown = (
        *_remember_empty(body, root, ()),
        *(GrownContainer((str(new.key),)) for new in head),
        GrownContainer((shape.inside,)),
        *(GrownContainer((shape.inside, event)) for event in events),
    )
    edit = append_items(body, root, [*head, NewItem(events, shape.inside)])
    return EditedSettings(document.mark + apply_edits(body, [edit]), SettingsUndo(grown=grown))


def _demand_head(root: JsonNode, shape: SettingsShape) -> None:
    for key, value in shape.head.items():
        if not root.find_members(key):
            hint = f'add "{key}": {value}, then run the command again'
            raise SettingsError(f"`{key}` is missing, and the agent ignores the file without it", hint=hint)


def _insert_events(document: _SettingsDocument, wanted: WantedEntries) -> tuple[list[TextEdit], list[GrownContainer]]:
    body, events = document.body, document.events or document.root
    above = (wanted.shape.inside,) if wanted.shape.inside else ()
    edits: list[TextEdit] = []
    grown: list[GrownContainer] = []
    fresh: list[NewItem] = []
    for event, group in wanted.groups.items():
        member = _find_only_member(events, event)
        if member is None:
            fresh.append(NewItem([group], event))
            grown.append(GrownContainer((*above, event)))
            continue
        if member.value.kind != "array":
            raise SettingsError(f"`{'.'.join((*above, event))}` must be an array")
        edits.append(append_items(body, member.value, [NewItem(group)]))
        grown += _remember_empty(body, member.value, (*above, event))
    if fresh:
        edits.append(append_items(body, events, fresh))
        grown += _remember_empty(body, events, above)
    return edits, grown


def _remember_empty(body: str, node: JsonNode, path: Keys) -> list[GrownContainer]:
    return [] if node.items else [GrownContainer(path, body[slice(*node.interior)])]


def _sweep_events(
    document: _SettingsDocument, wanted: WantedEntries, undo: SettingsUndo | None
) -> tuple[list[TextEdit], list[int]]:
    """Edits inside the events' arrays, and the indexes of those events that go as a whole."""
    above = (wanted.shape.inside,) if wanted.shape.inside else ()
    edits: list[TextEdit] = []
    gone: list[int] = []
    for index, member in enumerate(document.events.items if document.events else ()):
        inner, whole = _sweep_groups(document, member.value, wanted)
        rest = _take_out_items(member.value, whole, _find_remainder(undo, (*above, str(member.key))))
        if rest is None:
            gone.append(index)
        else:
            edits += inner + rest
    return edits, gone


def _sweep_groups(
    document: _SettingsDocument, array: JsonNode, wanted: WantedEntries
) -> tuple[list[TextEdit], list[int]]:
    """Remove a group that is wholly ours; from a group with other hooks remove ours only."""
    edits: list[TextEdit] = []
    whole: list[int] = []
    for index, group in enumerate(_list_elements(array)):
        hooks = _list_hooks(group.value, wanted.shape)
        ours = [at for at, hook in enumerate(hooks) if wanted.has_written(document.decode(hook))]
        if ours and len(ours) == len(hooks):
            whole.append(index)
        elif ours:
            edits += cut_items(_find_hook_array(group.value), ours)
    return edits, whole


def _take_out_items(node: JsonNode, gone: list[int], rest: str | None) -> list[TextEdit] | None:
    """Edits that take these items out; None when the container goes with them."""
    if len(gone) < len(node.items) or not gone:
        return cut_items(node, gone)
    return None if rest is None else [empty_container(node, rest)]


def _find_remainder(undo: SettingsUndo | None, path: Keys) -> str | None:
    """Whitespace to leave in a container that becomes empty; None removes it, also when no undo was recorded."""
    if undo is None or undo.before != "document":
        return None
    return next((grown.interior for grown in undo.grown if grown.path == path), "")


def _find_added_head(root: JsonNode, shape: SettingsShape, undo: SettingsUndo | None) -> list[int]:
    """Find members such as `version` that were added only because the agent demands them beside hooks."""
    made = undo is not None and undo.before != "document"
    added = {grown.path for grown in undo.grown} if undo is not None else set()
    return [index for index, item in enumerate(root.items) if item.key in shape.head and (made or (item.key,) in added)]
