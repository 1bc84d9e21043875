"""Guard rules of an effort."""

import pytest

from synaptic.policies.fleet.guards import describe_rules, find_fired_rules

VALUES = {"heartbeat_counter": 3.0, "context_usage": None}


def rule(op: object, value: object, field: object = "heartbeat_counter") -> dict[str, object]:
    return {"ruleId": "r", "condition": {"field": field, "op": op, "value": value}, "payload": "p"}


@pytest.mark.parametrize(
    ("op", "value", "holds"),
    [
        ("gte", 3, True),
        ("gte", 4, False),
        ("gt", 2.5, True),
        ("gt", 3, False),
        ("lte", 3, True),
        ("lt", 3, False),
        ("eq", 3, True),
        ("eq", 3.1, False),
        ("like", 3, False),
        (None, 3, False),
        ("gte", None, False),
        ("gte", "3", False),
        ("gte", True, False),
    ],
)
def test_a_rule_fires_when_its_condition_holds(op: object, value: object, holds: bool) -> None:
    """S3-149"""
    assert bool(find_fired_rules([rule(op, value)], VALUES)) is holds


def test_what_is_unknown_or_not_a_rule_does_not_fire() -> None:
    """S3-149"""
    assert find_fired_rules([rule("gte", 0, "context_usage"), rule("gte", 0, "moon"), rule("gte", 0, [])], VALUES) == []
    assert find_fired_rules([None, 3, "x", {}, {"condition": 3}], VALUES) == []
    assert find_fired_rules(None, VALUES) == find_fired_rules({"a": 1}, VALUES) == find_fired_rules("abc", VALUES) == []


def test_what_the_model_hears() -> None:
    rules = [
        {"ruleId": "a", "payload": {"text": "x"}},
        {"ruleId": "b", "payload": None},
        {"ruleId": "c", "payload": {"n": 1}},
    ]
    assert list(describe_rules(rules)) == ["[Guard: a]\nx", "[Guard: b]", '[Guard: c]\n{"n":1}']
