"""An answer of the engine as a callback of the Claude Agent SDK returns it: only keys that the installed SDK knows."""

from functools import cache
from typing import Any

import msgspec
from claude_agent_sdk import types

from synaptic.agents.claude.dialect import ADAPTER
from synaptic.integrations.own_callbacks import OwnAnswers, decode_given
from synaptic.model.call import Answer, Request
from synaptic.model.decision import Verdict
from synaptic.model.event import Event
from synaptic.model.hook import Hook, PythonFunction
from synaptic.pipeline.merge import HookOutcome, merge_outcomes
from synaptic.runners import native

Output = dict[str, Any]
BLOCKING_EXIT = 2
SPECIFIC_KEY = "hookSpecificOutput"
PYTHON_NAMES = {"continue": "continue_", "async": "async_"}
"""What the SDK calls the fields that are words of Python."""
ENGINE = Hook(id="synaptic", events=(), handler=PythonFunction(__file__, "hooks"))


def to_output(event: str, answer: Answer) -> Output:
    """What the callback of an event returns; nothing to say is an empty dictionary."""
    said = _read_object(event, answer)
    found = {PYTHON_NAMES.get(name, name): value for name, value in said.items()}
    known = {name: value for name, value in found.items() if name in _list_keys("SyncHookJSONOutput")}
    specific = known.pop(SPECIFIC_KEY, None) or {}
    kept = {name: value for name, value in specific.items() if name in _list_keys(f"{event}HookSpecificOutput")}
    return {**known, SPECIFIC_KEY: kept} if len(kept) > 1 else known


def join_answers(request: Request, own: OwnAnswers, answer: Answer) -> Answer:
    """What the program's own callbacks and the engine say together: the strictest counts."""
    if not own.outcomes:
        return answer
    call = decode_given(request.event, own.given)
    verdict = _read_verdict(call.event, answer)
    final = own.given.get("tool_input") if any(one.verdict.input is not None for one in own.outcomes) else None
    final = final if verdict.input is None else verdict.input
    # A permission covers the input that was seen, not what somebody has made of it afterwards.
    earlier = [msgspec.structs.replace(one, outdated=final is not None and one.verdict.input != final)
               for one in own.outcomes]  # fmt: skip
    outcomes = (*earlier, HookOutcome(hook=ENGINE, answer=verdict))
    decision = merge_outcomes(call.event.TIMING, outcomes, final)
    return ADAPTER.encode(call, ADAPTER.degrade(call, decision))


def _read_verdict(event: Event, answer: Answer) -> Verdict:
    said = native.read(ENGINE, event, _read_object(event.hook_event_name, answer))
    if not isinstance(said, Verdict):
        raise ValueError(f"the engine's answer cannot be read: {said}")
    return said


def _read_object(event: str, answer: Answer) -> Output:
    if answer.exit == BLOCKING_EXIT:
        # A script's way to refuse, which a callback has to put into words.
        answer = ADAPTER.refuse(event, answer.stderr.decode("utf-8", "replace").strip())
    text = answer.stdout.strip()
    if text and not text.startswith(b"{"):
        # Instructions for a summary are no JSON: of a callback the agent takes this field for them.
        return {"systemMessage": text.decode("utf-8", "replace")}
    return msgspec.json.decode(text, type=Output) if text else {}


@cache
def _list_keys(name: str) -> frozenset[str]:
    """The keys of a type of the installed SDK; none for an event that it has no type for."""
    return frozenset(getattr(getattr(types, name, None), "__annotations__", ()))
