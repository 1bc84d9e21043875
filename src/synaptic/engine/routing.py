"""What the structured results of hooks lead to: documents for an intent, hints for the model, logs and counts."""

from collections.abc import Iterable
from pathlib import Path

import msgspec

from synaptic.engine.records import replace
from synaptic.hooks import knowledge
from synaptic.model.call import Call
from synaptic.model.decision import Decision, Kind
from synaptic.model.effect import AppendLine, Effect, UseAbility
from synaptic.model.errors import StoreError
from synaptic.model.event import UserPromptSubmit
from synaptic.model.result import HookResult, Items
from synaptic.model.state import Change
from synaptic.policies.routing.context_log import LOG, ContextLog
from synaptic.policies.routing.sections import ROUTING
from synaptic.policies.routing.summary import summary
from synaptic.store import state, usage
from synaptic.store.db import Store

ABILITIES = "Abilities of this repository that may fit (hints: validate one in its registry before you use it):"
DOCUMENTS = "Documents of this repository to read before you answer:"
MOST = 5
REMEMBERED = 500


def hinted(store: Store, call: Call, decision: Decision, *, own: bool) -> Decision:
    """The decision with documents for its intents; an agent's model is told of every hint once a session.

    An orchestrator that speaks our own dialect gets the hints themselves, and decides what it repeats.
    """
    if decision.result is None:
        return decision
    logged = msgspec.structs.replace(decision, effects=decision.effects + _logs(call, decision))
    result = _with_documents(call.root, decision.result)
    routed = msgspec.structs.replace(logged, result=result)
    return routed if own or not isinstance(call.event, UserPromptSubmit) else _told(store, call, routed)


def write(store: Store, root: str, effects: Iterable[Effect]) -> tuple[str, ...]:
    """The files that show how often abilities were called; a warning for each that could not be written."""
    files = dict.fromkeys(effect.file for effect in effects if isinstance(effect, UseAbility) and effect.file)
    return tuple(warning for file in files if (warning := _written(store, root, Path(file))))


def _written(store: Store, root: str, file: Path) -> str:
    try:
        usage.show(store, root, lambda counts: replace(file, _json(counts)))
    except (OSError, StoreError) as error:
        return f"{file} was not written: {error}"
    return ""


def _json(counts: dict[str, object]) -> bytes:
    return msgspec.json.format(msgspec.json.encode(counts), indent=2) + b"\n"


def _logs(call: Call, decision: Decision) -> tuple[Effect, ...]:
    """What hooks log, while the policy that owns the file is on."""
    logs = decision.result.logs if decision.result else ()
    if not logs or not call.root or not any(step.hook == ContextLog.id for step in decision.trace):
        return ()
    base = {"event_type": call.event.hook_event_name, "session_id": call.event.session_id}
    lines = (msgspec.json.encode({**base, **entry}, enc_hook=repr).decode() for entry in logs)
    return tuple(AppendLine(f"{call.root}/{LOG}", line) for line in lines)


def _with_documents(root: str, result: HookResult) -> HookResult:
    intents = result.intents or ((result.new_intent,) if result.new_intent else ())
    if not intents or not root:
        return result
    known = {item.get("path") for item in result.suggested_documents}
    found: dict[object, dict[str, object]] = {}
    for intent in intents:
        documents = knowledge.documents_for(root, intent)
        items = knowledge.as_items(documents, str(intent.get("stage") or ""))
        found.update({item["path"]: item for item in items if item["path"] not in known})
    return msgspec.structs.replace(result, suggested_documents=(*result.suggested_documents, *found.values()))


def _told(store: Store, call: Call, decision: Decision) -> Decision:
    """Say what is new to this session, and remember that it was said."""
    result = decision.result or HookResult()
    before = _before(store, call)
    abilities = _new(result.suggested_abilities, "ability", "id", before)
    documents = _new(result.suggested_documents, "document", "path", before)
    text = _text(ABILITIES, [_ability(item) for item in abilities.values()])
    text += _text(DOCUMENTS, [_document(item) for item in documents.values()])
    if not text:
        return decision
    keys = [*abilities, *documents]
    told = Change(section=ROUTING, put={"told": [*before, *keys][-REMEMBERED:]})
    kind = decision.kind if decision.kind.rank > Kind.ADVISE.rank else Kind.ADVISE
    changes = {"context": (*decision.context, text.strip()), "effects": (*decision.effects, told), "kind": kind}
    return msgspec.structs.replace(decision, **changes)


def _before(store: Store, call: Call) -> tuple[object, ...]:
    try:
        return state.read(store, state.Owner(call.root, call.event.session_id), (ROUTING,)).items(ROUTING, "told")
    except StoreError:
        return ()


def _new(items: Items, kind: str, key: str, before: tuple[object, ...]) -> dict[str, dict[str, object]]:
    named = {f"{kind}:{item[key]}": item for item in items}
    return dict([(name, item) for name, item in named.items() if name not in before][:MOST])


def _text(title: str, lines: list[str]) -> str:
    return "\n".join((title, *lines)) + "\n" if lines else ""


def _ability(item: dict[str, object]) -> str:
    sure = f" ({item['confidence']})" if "confidence" in item else ""
    about = summary(str(item.get("summary") or item.get("reason") or ""), 160)
    source = f" [{item['source']}]" if item.get("source") else ""
    return f"- {item['id']}{sure}: {about}{source}"


def _document(item: dict[str, object]) -> str:
    return f"- {item['path']}: {summary(str(item.get('reason') or ''), 160)}"
