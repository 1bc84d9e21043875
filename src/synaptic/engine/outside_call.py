"""One question to a policy from outside: the event and the facts that it needs go out, an opinion comes back.

What comes back is from somebody else's process. It may say what any hook may say, and change its own sections only.
"""

from typing import Any

import msgspec

from synaptic.hooks.trust import HookStanding
from synaptic.model.decision import Failure, Fault, Verdict
from synaptic.model.hook import OutsidePolicy
from synaptic.model.state import Change
from synaptic.policies.facts import Facts
from synaptic.runners.base import Invocation
from synaptic.runners.output import HookAnswer, describe_hook, get_event_name
from synaptic.runners.policies import PolicyFile, PolicyRunner
from synaptic.runners.policy_wire import OwnChange, PolicyAnswer, WorkerRequest
from synaptic.runners.stdin import to_json

STATE_LIMIT = 64 << 10
"""Bytes of one section."""
ALWAYS_TOLD = ("root", "home", "now", "agent")
ANSWER_READER = msgspec.json.Decoder(PolicyAnswer | None)


async def ask_outside(runner: PolicyRunner, invocation: Invocation, facts: Facts, standing: HookStanding) -> HookAnswer:
    """What a policy says about a call."""
    handler = invocation.hook.handler
    if not isinstance(handler, OutsidePolicy):
        raise TypeError(f"{invocation.hook.id} is no policy from outside")
    if missing := {need: facts.failed[need] for need in handler.needs if need in facts.failed}:
        told = "; ".join(f"{need}: {why}" for need, why in missing.items())
        return _fail(invocation, Fault.CRASH, f"what it needs could not be found out: {told}")
    if handler.speaks_of is not None and not _speaks(handler.speaks_of, facts):
        return None
    if standing.refusal:
        return Failure(Fault.MISSING, standing.refusal)
    request = _make_request(invocation, handler, facts)
    answer = await runner.ask(locate_policy_file(handler, standing), request, invocation.timeout)
    if isinstance(answer, Failure):
        return msgspec.structs.replace(answer, message=f"{describe_hook(invocation.hook)}: {answer.message}")
    try:
        return _read_answer(invocation, handler, ANSWER_READER.decode(answer))
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        return _fail(invocation, Fault.OUTPUT, f"answered what is no opinion: {error}")


def locate_policy_file(handler: OutsidePolicy, standing: HookStanding) -> PolicyFile:
    """The file of a policy, with the contents that may run."""
    return PolicyFile(file=handler.file, module=handler.module, digest=handler.digest, accepted=standing.contents)


def _speaks(names: frozenset[str], facts: Facts) -> bool:
    """Whether a command runs one of these programs, or calls of git as in `git push` and `git *`."""
    command = facts.command
    if command is None:
        return False
    verbs = command.git_verbs
    said = command.programs | {f"git {verb}" for verb in verbs} | ({"git *"} if verbs else frozenset())
    return not names.isdisjoint(said)


def _make_request(invocation: Invocation, handler: OutsidePolicy, facts: Facts) -> WorkerRequest:
    stored = facts.state
    distrusted = [name for name, place, _ in handler.sections if place in stored.tampered]
    remembered = {
        name: stored.read_section(place) for name, place, _ in handler.sections if place not in stored.tampered
    }
    sections = {place for _, place, _ in handler.sections}
    told: dict[str, Any] = {name: getattr(facts, name) for name in (*ALWAYS_TOLD, *handler.needs - sections)}
    return WorkerRequest(
        policy=handler.policy,
        event=get_event_name(invocation.call.event),
        said=_encode(invocation.call.event),
        facts=_encode(told),
        state=_encode({"remembered": remembered, "distrusted": distrusted}) if handler.sections else msgspec.Raw(b"{}"),
        options=msgspec.Raw(handler.options),
    )


def _encode(value: object) -> msgspec.Raw:
    try:
        return msgspec.Raw(msgspec.json.encode(value))
    except ValueError:  # half a character, which an agent may send
        return msgspec.Raw(to_json(msgspec.to_builtins(value)))


def _read_answer(invocation: Invocation, handler: OutsidePolicy, answer: PolicyAnswer | None) -> HookAnswer:
    if answer is None:
        return None
    places = {name: (place, frozenset(fields)) for name, place, fields in handler.sections}
    changes: list[Change] = []
    for change in answer.changes:
        if change.section not in places:
            return _fail(
                invocation, Fault.OUTPUT, f"wanted to change {change.section!r}, which is no section of its own"
            )
        place, fields = places[change.section]
        if why := _find_excess(change, fields):
            return _fail(invocation, Fault.OUTPUT, f"its section {change.section} {why}; nothing of it is kept")
        changes.append(Change(section=place, clear=change.clear, put=change.put, add=change.add))
    return Verdict(
        says=answer.says,
        reason=answer.reason,
        input=answer.input,
        context=answer.context,
        messages=answer.messages,
        effects=tuple(changes),
    )


def _find_excess(change: OwnChange, fields: frozenset[str]) -> str:
    """Why a change is refused: with it a section could grow without an end."""
    if not fields.issuperset((*change.put, *change.add)):
        return "has no such field"
    # Whole sections only: many parts below the limit would be more than it together.
    if change.put and not (change.clear and fields == change.put.keys()):
        return "is kept whole or not at all"
    return f"would be over {STATE_LIMIT >> 10} KiB" if len(to_json(change.put)) > STATE_LIMIT else ""


def _fail(invocation: Invocation, fault: Fault, problem: str) -> Failure:
    return Failure(fault, f"{describe_hook(invocation.hook)}: {problem}")
