"""What the structured results of hooks lead to: documents for an intent, hints for the model, log lines."""

from collections.abc import Callable, Iterable

import msgspec

from synaptic.model.call import Call
from synaptic.model.decision import Decision, Kind
from synaptic.model.effect import AppendLine, Effect
from synaptic.model.result import HookResult, Items
from synaptic.model.state import Change
from synaptic.policies.routing.sections import ROUTING
from synaptic.policies.routing.summary import summarize_text

ABILITIES_TITLE = "Abilities of this repository that may fit (hints: validate one in its registry before you use it):"
DOCUMENTS_TITLE = "Documents of this repository to read before you answer:"
MOST_HINTS = 5
REMEMBERED_HINTS = 500


def make_log_lines(call: Call, result: HookResult, file: str) -> tuple[Effect, ...]:
    """What hooks log, for the file of the policy that keeps one."""
    base = {"event_type": call.event.hook_event_name, "session_id": call.event.session_id}
    lines = (msgspec.json.encode({**base, **entry}, enc_hook=repr).decode() for entry in result.logs)
    return tuple(AppendLine(f"{call.root}/{file}", line) for line in lines)


def add_documents(
    result: HookResult, find_documents: Callable[[dict[str, object]], Iterable[dict[str, object]]]
) -> HookResult:
    """The result with the documents that fit its intents."""
    intents = result.intents or ((result.new_intent,) if result.new_intent else ())
    known = {item.get("path") for item in result.suggested_documents}
    found: dict[object, dict[str, object]] = {}
    for intent in intents:
        found.update({item["path"]: item for item in find_documents(intent) if item["path"] not in known})
    if not found:
        return result
    return msgspec.structs.replace(result, suggested_documents=(*result.suggested_documents, *found.values()))


def tell_hints(decision: Decision, told_before: tuple[object, ...]) -> Decision:
    """Say what is new to this session, and remember that it was said."""
    result = decision.result or HookResult()
    abilities = _find_new(result.suggested_abilities, "ability", "id", told_before)
    documents = _find_new(result.suggested_documents, "document", "path", told_before)
    text = _format_list(ABILITIES_TITLE, [_format_ability(item) for item in abilities.values()])
    text += _format_list(DOCUMENTS_TITLE, [_format_document(item) for item in documents.values()])
    if not text:
        return decision
    # Oldest first, so that cutting the list forgets what was told longest ago.
    keys = [*told_before, *abilities, *documents]
    told = Change(section=ROUTING, put={"told": keys[-REMEMBERED_HINTS:]})
    # Hints may turn silence into advice and must never weaken a refusal.
    kind = decision.kind if decision.kind.rank > Kind.ADVISE.rank else Kind.ADVISE
    changes = {"context": (*decision.context, text.strip()), "effects": (*decision.effects, told), "kind": kind}
    return msgspec.structs.replace(decision, **changes)


def _find_new(items: Items, kind: str, key: str, before: tuple[object, ...]) -> dict[str, dict[str, object]]:
    named = {f"{kind}:{item[key]}": item for item in items}
    return dict([(name, item) for name, item in named.items() if name not in before][:MOST_HINTS])


def _format_list(title: str, lines: list[str]) -> str:
    return "\n".join((title, *lines)) + "\n" if lines else ""


def _format_ability(item: dict[str, object]) -> str:
    sure = f" ({item['confidence']})" if "confidence" in item else ""
    about = summarize_text(str(item.get("summary") or item.get("reason") or ""), 160)
    source = f" [{item['source']}]" if item.get("source") else ""
    return f"- {item['id']}{sure}: {about}{source}"


def _format_document(item: dict[str, object]) -> str:
    return f"- {item['path']}: {summarize_text(str(item.get('reason') or ''), 160)}"
