"""Whether a signed answer counts here. Everything is looked at; whatever is not right, it counts for nothing."""

import hmac
import math
from collections.abc import Sequence

import msgspec

from synaptic.hooks.bundle import Person
from synaptic.hooks.bundle_seal import FoundBundle
from synaptic.hooks.config import HubConfig
from synaptic.hub.keys import PublicKey
from synaptic.hub.questions.seal import digest_acts
from synaptic.hub.questions.waiting import covers_all
from synaptic.hub.shipping.outbox import clean_name
from synaptic.hub.wire import SIGNATURE_SECONDS, AnswerText
from synaptic.model.errors import SynapticError
from synaptic.model.grant import GrantScope
from synaptic.store.refused import RefusedCall
from synaptic.work.grants import ONCE_SECONDS, GrantTerms

SCOPES: dict[str, GrantScope] = {"once": "once", "session": "session", "here": "here"}


class AnswerRefusedError(SynapticError):
    """An answer that counts for nothing, and why."""


class AnswerRules(msgspec.Struct, frozen=True):
    """What this machine goes by, as it is at this moment."""

    host: str
    hub: HubConfig
    never: Sequence[str]
    people: dict[str, Person]


def find_people(found: FoundBundle, organisation_key: str) -> dict[str, Person]:
    """The people of the bundle in force, as the organisation has signed it. Raises SynapticError for any other.

    Its seal says that it was believed when it came; here, where signatures can be looked at, it is looked at again.
    """
    bundle = found.parse()
    if found.kept is None or bundle is None:
        raise AnswerRefusedError("no bundle is in force, and only a bundle says who may answer")
    if not organisation_key or found.kept.key != organisation_key:
        raise AnswerRefusedError("the bundle in force is not that of the organisation which is believed here")
    PublicKey.parse(organisation_key).verify(found.kept.text.encode(), found.kept.signature)
    return dict(bundle.people)


def check_person(answer: AnswerText, signed: tuple[bytes, str], rules: AnswerRules) -> Person:
    """Who has signed these very bytes. Raises SynapticError."""
    person = rules.people.get(answer.person)
    if person is None:
        raise AnswerRefusedError("the bundle in force names nobody of that name")
    PublicKey.parse(person.key).verify(*signed)
    return person


def check_time(answer: AnswerText, rules: AnswerRules, now: float) -> float:
    """Until when it counts. Raises AnswerRefusedError for one that counts no more, or not yet."""
    if answer.at > now + SIGNATURE_SECONDS:
        raise AnswerRefusedError("it was signed in the future: look at the clocks")
    end = min(answer.expires, min(answer.at, now) + rules.hub.longest)
    if not math.isfinite(end) or end <= now:
        raise AnswerRefusedError("its time is over")
    return end


def check_question(answer: AnswerText, one: RefusedCall | None, rules: AnswerRules) -> RefusedCall:
    """The question that is open here and is the one that was signed. Raises AnswerRefusedError."""
    if answer.host != rules.host:
        raise AnswerRefusedError("it is for another machine")
    if one is None or one.mark != answer.mark:
        raise AnswerRefusedError("there is no such question here")
    if not hmac.compare_digest(digest_acts(one).encode(), answer.acts.encode("utf-8", "replace")):
        raise AnswerRefusedError("it is about something else than this question")
    if answer.says == "session" and answer.session != clean_name(one.session):
        raise AnswerRefusedError("the call came again in another session")
    if not one.is_open:
        raise AnswerRefusedError("the question is answered already")
    if one.answered_at and answer.at <= one.answered_at:
        raise AnswerRefusedError("the question was answered since it was signed, and asked once more")
    return one


def check_reach(answer: AnswerText, one: RefusedCall, person: Person, rules: AnswerRules) -> None:
    """Whether this person, and anybody at the hub, has a say in all of it. Raises AnswerRefusedError."""
    if not covers_all(one.policies, rules.hub.grants):
        raise AnswerRefusedError(f"`[hub] grants` here does not name {', '.join(one.policies)}")
    if not covers_all(one.policies, person.grants):
        raise AnswerRefusedError(f"the bundle does not let {answer.person} answer for {', '.join(one.policies)}")


def make_terms(answer: AnswerText, person: Person) -> GrantTerms:
    """As `synaptic allow` would be told."""
    by = f"{answer.person} at the hub, key {PublicKey.parse(person.key).id.hex()}"
    return GrantTerms(scope=SCOPES[answer.says], because=answer.because, granted_by=by)


def limit_end(scope: GrantScope, end: float, now: float) -> float:
    """The end of the exception: never later than the answer's own."""
    return min(end, now + ONCE_SECONDS) if scope == "once" else end
