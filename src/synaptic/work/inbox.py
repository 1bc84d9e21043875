"""What waits for a person's word: refusals and questions by policy and shape, and what was said about them."""

import time
from collections.abc import Iterable, Iterator, Mapping
from typing import ClassVar

import msgspec

from synaptic.model.errors import LayerError
from synaptic.model.grant import Grant
from synaptic.shell.globs import matches_glob
from synaptic.store import grants, refused
from synaptic.store.db import Store
from synaptic.store.refused import RefusalAnswer, RefusedCall
from synaptic.work.command import Command, CommandContext, ProjectCommand
from synaptic.work.consent import obtain_yes
from synaptic.work.grants import does_pattern_cover

ANSWER_FOR_PEOPLE = "answer a refusal for a person"
MOST_LISTED = 5
"""Refusals of one group that are listed with it, beside their number."""
HANDLE_START = "[synaptic "
"""How the line begins with which a reason names its own way out."""


class InboxGroup(msgspec.Struct, frozen=True, kw_only=True):
    """Refusals by the same policies of calls of the same shape, the newest first."""

    policies: tuple[str, ...]
    shape: str
    calls: tuple[RefusedCall, ...]

    @property
    def last(self) -> RefusedCall:
        return self.calls[0]

    @property
    def count(self) -> int:
        """How often they came, all together."""
        return sum(call.count for call in self.calls)


class ListInbox(Command[tuple[InboxGroup, ...]], frozen=True, kw_only=True):
    """Refusals and questions in their groups, whoever was refused last first."""

    method: ClassVar[str] = "inbox.list"

    all: bool = False
    """Also what a person has answered."""
    since: float = 0.0
    """Only what came after this moment, in seconds since 1970."""
    project: str = ""
    """Of one project, by its root or the name of its folder."""
    agent: str = ""
    """Of one kind of agent, or of one by its name."""
    policy: str = ""
    """Of one policy; `git.*` for a group of them."""

    def run(self, context: CommandContext) -> tuple[InboxGroup, ...]:
        # A store in memory would have nothing to tell, and that is not the same as nothing to answer.
        found = refused.list_refused(context.require_durable_store(), self.since)
        return group_refusals(call for call in found if self._wants(call))

    def answer(self, result: tuple[InboxGroup, ...]) -> object:
        return {"groups": [group_to_view(group) for group in result]}

    def _wants(self, call: RefusedCall) -> bool:
        root = call.subject.root
        return (
            (self.all or is_open(call))
            and self.project in ("", root, root.rpartition("/")[2])
            and self.agent in ("", call.agent, call.agent_id)
            and (not self.policy or any(matches_glob(name, self.policy) for name in call.policies))
        )


class ShowRefusal(ProjectCommand[tuple[RefusedCall, ...]], frozen=True, kw_only=True):
    """One refusal by its code, with all that is known about it; two where they share the code by chance."""

    method: ClassVar[str] = "inbox.show"

    code: str
    """Its handle."""

    def run(self, context: CommandContext) -> tuple[RefusedCall, ...]:
        return find_refusals(context, self.code)

    def answer(self, result: tuple[RefusedCall, ...]) -> object:
        return {"refusals": [call_to_view(call) for call in result]}


class UpheldRefusal(msgspec.Struct, frozen=True, kw_only=True):
    """A refusal that stands, and what became of the exceptions that said otherwise."""

    call: RefusedCall
    taken_back: tuple[str, ...] = ()
    """Exceptions for this very call."""
    patterns: tuple[str, ...] = ()
    """Exceptions for many calls that still cover it: what else they are for, only a person knows."""


class UpholdRefusal(ProjectCommand[UpheldRefusal], frozen=True, kw_only=True):
    """A person has looked, and it was right to refuse: who says so must be as sure as for an exception."""

    method: ClassVar[str] = "inbox.uphold"
    people_only: ClassVar[str] = ANSWER_FOR_PEOPLE
    needs_authority: ClassVar[bool] = True
    may_block: ClassVar[bool] = True

    code: str
    """Its handle."""
    mark: str = ""
    """Which one, where two share a code and it is known which is meant."""
    pin: str = ""
    """Where it cannot be seen that a person asks; it is kept nowhere."""

    def run(self, context: CommandContext) -> UpheldRefusal:
        found = find_refusal(context, self.code, self.mark)
        obtain_yes(context, self.pin)  # last: nobody is asked for a PIN for what is not there
        against = list_exceptions(context.store, found, time.time())
        of_call = [one.id for one in against if not one.like]
        # Before the answer: where this cannot be written, nobody is told that the refusal stands.
        grants.revoke_grants(context.store, of_call, time.time())
        patterns = tuple(one.id for one in against if one.like)
        return UpheldRefusal(call=note_answer(context, found, "upheld"), taken_back=tuple(of_call), patterns=patterns)

    def answer(self, result: UpheldRefusal) -> object:
        return {
            **call_to_view(result.call),
            "takenBack": list(result.taken_back),
            "stillCoveredBy": list(result.patterns),
        }


def list_exceptions(store: Store, call: RefusedCall, now: float) -> list[Grant]:
    """Exceptions in force that let a refused call through, by one of its policies."""
    acts = {(act.policy, act.fingerprint) for act in call.subject.acts}
    return [
        one.grant
        for one in grants.list_grants(store)
        if one.grant.is_in_force(now)
        and one.grant.policy in call.policies
        and one.grant.root in ("", call.subject.root)
        and one.grant.session in ("", call.session)
        and ((one.grant.policy, one.grant.fingerprint) in acts or does_pattern_cover(one.grant, call))
    ]


def is_open(call: RefusedCall) -> bool:
    """Whether nobody has answered it, or it came again after it was allowed: then that did not reach so far."""
    return call.is_open


def group_refusals(calls: Iterable[RefusedCall]) -> tuple[InboxGroup, ...]:
    """Put refusals, the newest first, into groups; the group with the newest comes first."""
    found: dict[tuple[tuple[str, ...], str], list[RefusedCall]] = {}
    for call in calls:
        found.setdefault((call.policies, call.subject.shape), []).append(call)
    return tuple(
        InboxGroup(policies=policies, shape=shape, calls=tuple(calls)) for (policies, shape), calls in found.items()
    )


def find_refusals(context: CommandContext, code: str) -> tuple[RefusedCall, ...]:
    """Refusals with a code: those of the caller's project if there are any. Raises LayerError for an unknown code."""
    plain = code.strip().lower()
    store = context.require_durable_store()
    found = refused.find_by_code(store, plain) if plain.isascii() and plain.isalnum() else ()
    if not found:
        shown = clean(code.strip()[:20])
        raise LayerError("NOT_FOUND", f"nothing was refused under the code `{shown}`", hint="type: synaptic inbox")
    return tuple(one for one in found if one.subject.root == context.caller.root) or found


def find_refusal(context: CommandContext, code: str, mark: str = "") -> RefusedCall:
    """The one refusal with a code. Raises LayerError for an unknown code, and where two projects share one."""
    found = find_refusals(context, code)
    if mark:
        same = refused.find_by_code(context.store, found[0].code)
        return next((one for one in same if one.mark == mark), found[0])
    roots = dict.fromkeys(clean(one.subject.root) for one in found)
    if len(roots) > 1:
        raise LayerError("VALIDATION_ERROR", f"two projects share this code: {', '.join(roots)}", hint="cd into one")
    return found[0]


def note_answer(context: CommandContext, call: RefusedCall, answer: RefusalAnswer) -> RefusedCall:
    """The refusal with what a person thinks of it, written down."""
    now = time.time()
    refused.answer_refused(context.require_durable_store(), (call.mark,), answer, now)
    return msgspec.structs.replace(call, answer=answer, answered_at=now)


def group_to_view(group: InboxGroup) -> Mapping[str, object]:
    """A group as JSON shows it: its last refusal whole, of the others the codes."""
    return {
        "policies": list(group.policies),
        "shape": clean(group.shape),
        "count": group.count,
        "different": len(group.calls),
        "codes": [call.code for call in group.calls[:MOST_LISTED]],
        "last": call_to_view(group.last),
    }


def call_to_view(call: RefusedCall) -> Mapping[str, object]:
    """A refusal as JSON shows it. Texts of agents are cleaned: whoever prints them may do so to a terminal."""
    texts = {
        "tool": call.subject.tool, "shown": call.subject.shown, "project": call.subject.root,
        "cwd": call.subject.cwd, "shape": call.subject.shape, "agent": call.agent, "agentId": call.agent_id,
        "session": call.session, "reason": strip_handle(call.reason), "said": call.said, "appeal": call.appeal,
    }  # fmt: skip
    return {
        "code": call.code,
        "policies": list(call.policies),
        "asks": call.subject.asks,
        "grantable": is_grantable(call),
        **{name: clean(text) for name, text in texts.items()},
        "call": call.call,
        "count": call.count,
        "firstAt": call.first_at,
        "lastAt": call.last_at,
        "appealedAt": call.appealed_at or None,
        "answer": call.answer or None,
        "answeredAt": call.answered_at or None,
        "open": is_open(call),
    }


def is_grantable(call: RefusedCall) -> bool:
    """Whether a person can make an exception to all that stands in its way."""
    return all(act.is_grantable for act in call.subject.acts)


def strip_handle(reason: str) -> str:
    """A reason without the line that names its code: whoever reads it here has that already."""
    return "\n".join(line for line in reason.split("\n") if not line.startswith(HANDLE_START)).rstrip()


def clean(text: str) -> str:
    """A text of an agent without what could drive a terminal or turn its letters around."""
    return "".join(_iter_clean(text))


def _iter_clean(text: str) -> Iterator[str]:
    for letter in text:
        yield letter if letter.isprintable() or letter in "\n\t" else "\ufffd"
