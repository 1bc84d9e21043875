"""Laws of all fifteen handlers: nothing known means nothing held against the agent, and no metadata breaks them."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from synaptic.model.decision import Kind
from synaptic.model.event import EVENTS, Event
from synaptic.model.layers import Agent, ContextUsage, EndSession, HandOver, Layers, OpenSession, SetStatus
from synaptic.policies.base import Policy, load_policies
from synaptic.policies.facts import Facts
from synaptic.policies.fleet.handled import HandlerResult

HANDLERS = [policy() for policy in load_policies().values() if policy.preset == "fleet"]
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-99, 99)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
KEYS = st.sampled_from(["guards", "pendingInjections", "pendingPreloads", "blockAfter", "loading", "dehydrating", "x"])
RULE = st.fixed_dictionaries(
    {"ruleId": JSON, "condition": st.fixed_dictionaries({"field": JSON, "op": JSON, "value": JSON}), "payload": JSON}
)
METADATA = st.dictionaries(KEYS, JSON | st.lists(RULE, max_size=2), max_size=4)
PAYLOADS = st.none() | st.text(max_size=20) | JSON.map(lambda value: msgspec.json.encode(value).decode())
HANDLER_AND_EVENT = [(handler, kind) for handler in HANDLERS for kind in handler.events]


def happened(kind: type[Event], **fields: Any) -> Event:
    known = {name: value for name, value in fields.items() if name in kind.__struct_fields__}
    return kind(hook_event_name=kind.__name__, session_id="h1", cwd="/p", **known)


def handled(handler: Policy, event: Event, facts: Facts) -> HandlerResult:
    return handler.handle(event, facts)


@pytest.mark.parametrize(("handler", "kind"), HANDLER_AND_EVENT, ids=lambda value: getattr(value, "id", ""))
def test_nothing_known_is_nothing_said(handler: Policy, kind: type[Event]) -> None:
    """S3-009, S3-111"""
    found = handled(handler, happened(kind, tool_name="Read", trigger="auto", agent_id="s"), Facts(root="/p"))
    assert found.verdict is None
    assert found.answer.get("allow", True) is True


@pytest.mark.parametrize("handler", HANDLERS, ids=lambda handler: handler.id)
def test_a_handler_is_a_policy_that_says_the_same(handler: Policy) -> None:
    """One code path for the agent's events and for the methods; only what may stop a call looks at a rewrite of it."""
    assert handler.recheck is (handler.id == "fleet.pre-tool-use")
    assert handler.on_error == "allow"
    event = happened(handler.events[0], tool_name="Read", source="startup")
    facts = msgspec.structs.replace(Facts(root="/p"), layers=layers({}), agent_name="A")
    assert handler.check(event, facts) == handled(handler, event, facts).verdict


def layers(metadata: dict[str, Any], **session: Any) -> Layers:
    return msgspec.convert(
        {
            "project": 1,
            "effort": {
                "id": 3,
                "task": "/p/.tasks/t",
                "project": 1,
                "skill": "fix",
                "ordinal": 1,
                "metadata": metadata,
            },
            "session": {"id": 7, "effort": 3, **session},
        },
        Layers,
    )


@given(st.sampled_from(HANDLER_AND_EVENT), METADATA, PAYLOADS, st.dictionaries(st.text(max_size=9), JSON, max_size=3))
def test_no_metadata_no_payload_and_no_input_breaks_a_handler(
    pair: tuple[Policy, type[Event]], metadata: dict[str, Any], payload: str | None, given_input: dict[str, Any]
) -> None:
    """S3-029, S3-149: what somebody has written into an effort is theirs; the answer can always be sent."""
    handler, kind = pair
    event = happened(kind, tool_name="AskUserQuestion", tool_input={**given_input, "questions": [given_input]})
    facts = Facts(root="/p", layers=layers(metadata), hand_over=HandOver(payload=payload), usage=ContextUsage(0.95, 1))
    found = handled(handler, event, facts)
    assert msgspec.json.encode(found.answer)
    assert found.verdict is None or msgspec.json.encode(found.verdict)


@given(st.sampled_from(HANDLER_AND_EVENT), st.sampled_from(["working", "attention", "error", "done"]))
def test_a_sub_agents_event_changes_neither_the_parents_session_nor_its_status(
    pair: tuple[Policy, type[Event]], status: str
) -> None:
    """S3-011, S3-145, S3-D04: the session of these facts is the parent's."""
    handler, kind = pair
    known = msgspec.structs.replace(layers({}, host="h1"), agent=Agent(id="h1", status=status))
    event = happened(kind, agent_id="sub1", agent_type="Explore", tool_name="Read", trigger="auto")
    facts = Facts(root="/p", layers=known, agent_name="A", supervised=True, exhaustion="context")
    verdict = handled(handler, event, facts).verdict
    effects = verdict.effects if verdict else ()
    assert not [one for one in effects if isinstance(one, SetStatus) and one.agent in ("A", "h1")] or _is_start(kind)
    assert not [one for one in effects if isinstance(one, EndSession)]
    assert not [one for one in effects if isinstance(one, OpenSession) and one.follows is not None]


def _is_start(kind: type[Event]) -> bool:
    return kind is EVENTS["SessionStart"]


@pytest.mark.parametrize("handler", HANDLERS, ids=lambda handler: handler.id)
def test_only_the_heartbeat_and_the_compaction_ever_deny(handler: Policy) -> None:
    """S3-149: guards tell, permissions are decided by others."""
    facts = Facts(
        root="/p",
        layers=layers({"blockAfter": 0}),
        agent_name="A",
        supervised=True,
        exhaustion="context",
        usage=ContextUsage(1.0),
    )
    for kind in handler.events:
        verdict = handled(handler, happened(kind, trigger="auto", tool_name="Bash"), facts).verdict
        denies = verdict is not None and verdict.says is Kind.DENY
        assert denies == (handler.id in ("fleet.pre-tool-use", "fleet.pre-compact"))
