"""The questions that wait on this machine, as they leave it: what a person at the hub sees."""

import time
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from synaptic.engine.environment import find_user_home
from synaptic.hooks.config import HubConfig
from synaptic.hub.keys import SecretKey
from synaptic.hub.questions.seal import digest_acts, sign_question
from synaptic.hub.shipping.outbox import Contents, clean_name, clean_path, clean_text
from synaptic.hub.wire import HostQuestion
from synaptic.model.errors import LayerError
from synaptic.model.home import Home
from synaptic.pipeline.lifting import is_liftable
from synaptic.shell.globs import matches_glob
from synaptic.store.db import Store
from synaptic.store.refused import RefusedCall, list_waiting
from synaptic.web.board import find_held
from synaptic.work.consent import read_grants_config
from synaptic.work.inbox import strip_handle

MOST_QUESTIONS = 300
"""The newest; a hub takes no more than 500."""
MOST_BYTES = 1 << 20
"""Of all of them; those that do not fit any more travel without their texts."""
NEVER_AT_ALL = ("*",)


class QuestionSource(msgspec.Struct, frozen=True):
    """Whose questions, what may be said of them, and who vouches for the words."""

    home: Home
    host: str
    key: SecretKey
    hub: HubConfig
    contents: Contents


def list_questions(reader: Store, source: QuestionSource) -> tuple[HostQuestion, ...]:
    """Everything that nobody has answered, the newest first. Raises StoreError."""
    now = time.time()
    calls = [one for one in list_waiting(reader, now + 1.0, MOST_QUESTIONS) if one.is_open]
    held = find_held(reader, tuple(calls), now)
    never = _read_never(source.home)
    made = (_make_question(one, source, never) for one in calls)
    return tuple(_limit_texts(msgspec.structs.replace(one, is_held=one.mark in held) for one in made))


def sign_questions(questions: Iterable[HostQuestion], source: QuestionSource) -> tuple[HostQuestion, ...]:
    """The same, each signed by this host."""
    return tuple(sign_question(source.host, one, source.key) for one in questions)


def covers_all(policies: Sequence[str], patterns: Sequence[str]) -> bool:
    """Whether each of some policies is named by one of the patterns."""
    return bool(policies) and all(any(matches_glob(one, pattern) for pattern in patterns) for one in policies)


def _make_question(one: RefusedCall, source: QuestionSource, never: Sequence[str]) -> HostQuestion:
    user_home, is_full = find_user_home(source.home), source.contents == "full"
    return HostQuestion(
        mark=one.mark,
        code=clean_name(one.code),
        at=one.last_at,
        policies=tuple(clean_name(policy) for policy in one.policies),
        acts=digest_acts(one),
        tool=clean_name(one.subject.tool),
        project=clean_path(one.subject.root, user_home),
        agent=clean_name(one.agent),
        session=clean_name(one.session),
        is_grantable=is_grantable_from_outside(one, source.hub, never),
        shown=clean_text(one.subject.shown) if is_full else "",
        reason=clean_text(strip_handle(one.reason)) if is_full else "",
        has_stakes=any(act.stakes for act in one.subject.acts),
    )


def is_grantable_from_outside(one: RefusedCall, hub: HubConfig, never: Sequence[str]) -> bool:
    """Whether this machine lets somebody at the hub say yes to all of it."""
    is_free = all(act.is_grantable and is_liftable(act.policy, never) for act in one.subject.acts)
    return is_free and covers_all(one.policies, hub.grants)


def _read_never(home: Home) -> Sequence[str]:
    """Where nobody knows what the user has forbidden, everything is."""
    try:
        return read_grants_config(home).never
    except LayerError:
        return NEVER_AT_ALL


def _limit_texts(questions: Iterable[HostQuestion]) -> Iterator[HostQuestion]:
    size = 0
    for one in questions:
        size += len(msgspec.json.encode(one)) + 400
        yield one if size <= MOST_BYTES else msgspec.structs.replace(one, shown="", reason="")
