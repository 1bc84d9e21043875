"""What policies in shadow say, and how they fail."""

import asyncio
import contextlib

from synaptic.hooks.select import HookIndex
from synaptic.model.decision import Kind, Verdict, advise, rewrite
from synaptic.model.errand import Errand
from synaptic.model.event import PreToolUse
from synaptic.model.hook import Builtin
from synaptic.pipeline.shadow import ShadowTimeoutError, judge_in_shadow
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from tests.pipeline.chains import call, hook
from tests.pipeline.test_advice import Failing, Needing
from tests.pipeline.test_gates import Gate, Guard


class Saying(Policy):
    """Says what it is given.

    ## What it does
    Nothing.
    ## Why
    To be tried.
    """

    id = "test.saying"
    events = (PreToolUse,)
    said: Verdict | None = None

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        return self.said


def judge(*policies: Policy, limit=contextlib.nullcontext, failed: dict[str, str] | None = None):  # type: ignore[no-untyped-def]
    async def gather(about, needs):  # type: ignore[no-untyped-def]
        return Facts(root=about.root, failed=failed or {})

    hooks = [hook(one.id, 20 + place, handler=Builtin(one)) for place, one in enumerate(policies)]
    return asyncio.run(judge_in_shadow(call(), HookIndex(hooks), gather, limit))


def test_each_is_asked_though_the_first_would_have_denied() -> None:
    steps = judge(Guard(), Gate())
    assert [(step.hook, step.kind, step.phase) for step in steps] == [
        ("test.guard", Kind.DENY, "shadow"),
        ("test.gate", Kind.DENY, "shadow"),
    ]


def test_silence_leaves_nothing() -> None:
    assert judge(Guard(word="rm"), Saying(), Saying(said=Verdict())) == ()


def test_what_it_would_have_said_is_its_reason() -> None:
    assert judge(Saying(said=advise("a hint")))[0].reason == "a hint"
    step = judge(Saying(said=rewrite({"command": "ls -l"}, "longer")))[0]
    assert (step.kind, step.reason) == (Kind.REWRITE, "longer")


def test_no_errand_is_run() -> None:
    (step,) = judge(Saying(said=Verdict(errand=Errand(argv=("touch", "/x"), cwd="/"))))
    assert step.kind is Kind.NONE and "would first run touch /x" in step.note


def test_a_failure_is_one_policys_own() -> None:
    steps = judge(Failing(), Guard())
    assert [(step.fault, step.kind) for step in steps] == [("crash", Kind.NONE), ("", Kind.DENY)]


def test_facts_that_fail_are_told() -> None:
    (step,) = judge(Needing(), failed={"git": "no git"})
    assert "git: no git" in step.note and step.fault


def test_who_takes_too_long_is_given_up() -> None:
    @contextlib.contextmanager
    def no_time():  # type: ignore[no-untyped-def]
        raise ShadowTimeoutError("too long")
        yield

    assert judge(Guard(), limit=no_time)[0].fault == "timeout"
