"""A past event as a case: as small as the policy still judges it as it did then, and without secrets."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from synaptic.engine.basis import FOLLOWING
from synaptic.engine.past_catalog import CatalogChange
from synaptic.engine.past_facts import PastBasis, PastFacts, Unknown
from synaptic.engine.replay import read_call
from synaptic.model.call import Call
from synaptic.model.decision import Kind
from synaptic.model.errors import LayerError, PayloadError
from synaptic.model.event import ToolEvent
from synaptic.model.hook import Builtin
from synaptic.pipeline.explain import SPEAKING
from synaptic.policies.base import Policy, load_policies
from synaptic.policies.cases import DEFAULT_FACTS, Case
from synaptic.policies.facts import Facts
from synaptic.store.basis import read_basis_ids
from synaptic.store.db import Store
from synaptic.store.record import JournalEntry
from synaptic.store.redact import redact_text
from synaptic.work.disputed_cases import find_kind
from synaptic.work.disputes import CALL_KEYS, MOST_NAME, MOST_TEXT, move_deep, name_folder, redact_deep
from synaptic.work.refusal_report import describe_subject

BASE_KEYS = frozenset({"hook_event_name", "tool_name", "tool_input", "tool_use_id", "session_id", "transcript_path"})


class PastCase(msgspec.Struct, frozen=True, kw_only=True):
    """A case, and whether the policy judges it as it judged the event."""

    policy: str
    case: Case
    shows: bool
    root: str


def make_past_case(store: Store, entry: JournalEntry, want: Kind, policy: str = "") -> PastCase:
    """The smallest case of an event. Raises LayerError where none can be made."""
    kind = _choose_policy(entry, policy)
    basis = PastFacts(store, CatalogChange()).read(read_basis_ids(store, entry.id, entry.id).get(entry.id))
    if isinstance(basis, Unknown):
        raise LayerError("NOT_KEPT", f"no case can be made of event {entry.id}: {basis.why}")
    try:
        call = read_call(entry, basis)
    except PayloadError as error:
        raise LayerError("NOT_KEPT", f"no case can be made of event {entry.id}: {error}") from None
    said = _find_said(entry, kind.id)
    tried = list(_PastEvent(entry, call, basis, kind).iter_cases(want))
    found = next((case for case in tried if _judge(kind, case) is said), None)
    return PastCase(policy=kind.id, case=found or tried[-1], shows=found is not None, root=entry.root)


def _choose_policy(entry: JournalEntry, named: str) -> type[Policy]:
    name = named or entry.decision.by
    known = load_policies()
    if name in known:
        return known[name]
    if not name:
        hint = f"name one: synaptic case {entry.id} --policy git.force-push"
        raise LayerError("VALIDATION_ERROR", f"no policy has decided event {entry.id}", hint=hint)
    raise LayerError("NOT_FOUND", f"`{name}` is no built-in policy, and only those have cases", hint="--policy NAME")


def _find_said(entry: JournalEntry, policy: str) -> Kind:
    """What the policy said then. An exception that lifted it was no word of the policy."""
    steps = [step for step in entry.decision.trace if step.hook == policy]
    lifted = next((step for step in steps if step.phase == "lifted"), None)
    if lifted is not None:
        return Kind.ASK if lifted.note.startswith("ask ") else Kind.DENY
    return next((step.kind for step in steps if step.phase in SPEAKING), Kind.NONE)


class _PastEvent:
    """One event, on its way into a case of one policy."""

    def __init__(self, entry: JournalEntry, call: Call, basis: PastBasis, policy: type[Policy]) -> None:
        self._entry, self._call, self._basis, self._policy = entry, call, basis, policy
        self._home = call.env.get("HOME", "")

    def iter_cases(self, want: Kind) -> Iterator[Case]:
        """From one that would be the same for everybody, to one that has all that the policy was shown."""
        facts, options = self._list_facts(), self._list_options()
        for known in ({}, facts) if facts else ({},):
            for given in self._iter_calls():
                yield self._make(want, {**given, "facts": known, "options": options})
        place = {"root": self._call.root, "home": self._home}
        for given in self._iter_calls():
            yield self._make(want, {**given, "facts": {**facts, **place}, "options": options}, moves=False)

    def _make(self, want: Kind, given: dict[str, Any], *, moves: bool = True) -> Case:
        root = self._call.root
        clean = redact_deep(_drop_nothing(given))
        moved = move_deep(clean, root, self._home) if moves else clean
        shown = " ".join(redact_text(describe_subject(self._entry)).split()) or self._entry.event
        name = move_deep(f"event {self._entry.id}: {shown}", root, self._home)[:MOST_NAME]
        folder = str(DEFAULT_FACTS["root"]) if moves else root
        return Case(**{**moved, **name_folder(moved.get("payload", {}), folder)}, name=name, want=want)

    def _iter_calls(self) -> Iterator[dict[str, Any]]:
        event = self._call.event
        payload = {"payload": {"cwd": event.cwd}} if event.cwd else {}
        if not isinstance(event, ToolEvent):
            said = {key: value for key, value in self._call.payload.items() if key not in BASE_KEYS}
            yield {"event": event.hook_event_name, "payload": said}
            return
        named = {"event": event.hook_event_name, **payload}
        if event.tool.command and len(event.tool.command) <= MOST_TEXT and event.tool_name == "Bash":
            yield {"bash": event.tool.command, **named}
        known = {key: event.tool_input[key] for key in CALL_KEYS if key in event.tool_input}
        for given in (known, dict(event.tool_input)) if known else (dict(event.tool_input),):
            yield {"tool": event.tool_name, "input": given, **named}

    def _list_facts(self) -> dict[str, Any]:
        """What the policy was shown, as far as it is not as by default."""
        look = self._basis.looks.get("")
        if look is None:
            return {}
        names = {"state" if ":" in need else need for need in self._policy.needs} - FOLLOWING
        usual = msgspec.to_builtins(Facts())
        here = msgspec.to_builtins(look.facts)
        found = {name: here[name] for name in sorted(names) if here[name] != usual[name]}
        if "state" in found:
            kept = {key: value for key, value in found["state"]["sections"].items() if key in self._policy.needs}
            found["state"] = {"sections": kept}
        return {**found, "now": self._call.at} if found else {}

    def _list_options(self) -> dict[str, Any]:
        """How the policy was set then, as far as that was not the default."""
        hooks = self._basis.catalog.catalog.hooks
        here = (
            hook.handler.policy for hook in hooks if hook.id == self._policy.id and isinstance(hook.handler, Builtin)
        )
        usual = self._policy()
        was: Mapping[str, Any] = msgspec.to_builtins(next(here, usual))
        default = msgspec.to_builtins(usual)
        return {name: value for name, value in was.items() if value != default.get(name)}


def _drop_nothing(value: Any) -> Any:
    """Without what TOML cannot say."""
    if isinstance(value, dict):
        return {str(key): _drop_nothing(one) for key, one in value.items() if one is not None}
    return [_drop_nothing(one) for one in value if one is not None] if isinstance(value, list | tuple) else value


def _judge(policy: type[Policy], case: Case) -> Kind | None:
    try:
        return find_kind(policy, case)
    except Exception:  # noqa: BLE001 - a call that no case can be made of shows nothing
        return None


def find_project(root: str) -> Path:
    """The project whose cases those of an event are. Raises LayerError where it had none."""
    if not root:
        raise LayerError("NOT_FOUND", "this event belongs to no project", hint="keep it for yourself: --mine")
    return Path(root)
