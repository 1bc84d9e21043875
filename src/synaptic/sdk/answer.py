"""One question to a policy of one's own, answered in its worker."""

from functools import lru_cache
from typing import Any

import msgspec

from synaptic.model.decision import Verdict
from synaptic.model.event import EVENTS, Event, Unknown
from synaptic.model.state import Change
from synaptic.policies.facts import read_command
from synaptic.runners.policy_wire import OWN_SECTION, OwnChange, PolicyAnswer, WorkerRequest
from synaptic.sdk.facts import Facts
from synaptic.sdk.policy import Policy

OPINIONS = "deny(...), ask(...), allow(...), rewrite(...), advise(...), record(...) or None"


class KeptState(msgspec.Struct):
    """The policy's own sections, as they are sent."""

    remembered: dict[str, Any] = {}
    distrusted: frozenset[str] = frozenset()


FACTS_READER = msgspec.json.Decoder(Facts)
STATE_READER = msgspec.json.Decoder(KeptState)


def answer_question(policy: type[Policy], request: WorkerRequest) -> PolicyAnswer | None:
    """What a policy says about an event. Raises whatever it raises, and TypeError for what is no opinion."""
    event = _get_event_reader(request.event).decode(request.said)
    plain, kept = FACTS_READER.decode(request.facts), STATE_READER.decode(request.state)
    facts = msgspec.structs.replace(
        plain,
        command=read_command(event, plain.root, plain.home),
        remembered=kept.remembered,
        distrusted=kept.distrusted,
    )
    return make_answer(_instantiate(policy, bytes(request.options)).judge(event, facts))


def make_answer(verdict: object) -> PolicyAnswer | None:
    """A verdict as it is told. Raises TypeError for what a policy from outside cannot say."""
    if verdict is None:
        return None
    if not isinstance(verdict, Verdict):
        raise TypeError(f"check returned {type(verdict).__name__}; return {OPINIONS}")
    if verdict.errand or verdict.extras or verdict.result:
        raise TypeError("errands, extras and results are for built-in policies")
    return PolicyAnswer(
        says=verdict.says,
        reason=verdict.reason,
        input=None if verdict.input is None else dict(verdict.input),
        context=verdict.context,
        messages=verdict.messages,
        changes=tuple(map(_read_change, verdict.effects)),
    )


def _read_change(effect: object) -> OwnChange:
    if not isinstance(effect, Change):
        raise TypeError(f"{type(effect).__name__} is an effect of built-in policies; use keep, add and forget")
    if effect.append or effect.drop or effect.most:
        raise TypeError("a section of one's own is changed by keep, add and forget")
    name = effect.section.removeprefix(OWN_SECTION)
    return OwnChange(section=name, clear=effect.clear, put=dict(effect.put), add=dict(effect.add))


@lru_cache(maxsize=64)
def _get_event_reader(name: str) -> msgspec.json.Decoder[Event]:
    return msgspec.json.Decoder(EVENTS.get(name, Unknown))


@lru_cache(maxsize=1024)
def _instantiate(policy: type[Policy], options: bytes) -> Policy:
    return msgspec.json.decode(options, type=policy)
