"""Guard rules of an effort: they tell, they never block."""

import operator
from collections.abc import Callable, Iterator, Mapping

import msgspec

OPERATORS: Mapping[str, Callable[[float, float], bool]] = {
    "gte": operator.ge,
    "gt": operator.gt,
    "lte": operator.le,
    "lt": operator.lt,
    "eq": operator.eq,
}


def find_fired_rules(rules: object, values: Mapping[str, float | None]) -> list[dict[str, object]]:
    """The rules whose condition holds, in their order. A rule that cannot be understood does not fire."""
    if not isinstance(rules, list | tuple):
        return []
    found = (rule for rule in rules if isinstance(rule, Mapping) and _condition_holds(rule.get("condition"), values))
    return [{"ruleId": str(rule.get("ruleId") or ""), "payload": rule.get("payload")} for rule in found]


def describe_rules(rules: list[dict[str, object]]) -> Iterator[str]:
    """The text that the model is given about the rules that fired."""
    for rule in rules:
        yield f"[Guard: {rule['ruleId']}]\n{_format_payload(rule['payload'])}".rstrip()


def _condition_holds(condition: object, values: Mapping[str, float | None]) -> bool:
    if not isinstance(condition, Mapping):
        return False
    compare = OPERATORS.get(str(condition.get("op")))
    actual, wanted = values.get(str(condition.get("field"))), condition.get("value")
    # `True` counts as a number in Python; a rule that compares with it was meant otherwise.
    if compare is None or actual is None or isinstance(wanted, bool) or not isinstance(wanted, int | float):
        return False
    return compare(actual, wanted)


def _format_payload(payload: object) -> str:
    if isinstance(payload, Mapping) and isinstance(payload.get("text"), str):
        return str(payload["text"])
    if payload is None or isinstance(payload, str):
        return payload or ""
    return msgspec.json.encode(payload, enc_hook=str).decode()
