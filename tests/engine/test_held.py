"""Waiting for a person, inside one engine: what ends it, and what never comes of it."""

import asyncio
import json
import time

import msgspec
import pytest

from synaptic.agents.shared.discover import find_adapter, load_agents
from synaptic.daemon.client import ID_ALPHABET, new_call_id
from synaptic.engine import held as waiting
from synaptic.engine.held import PATIENCE_SHARE, SPARE_SECONDS, HeldCall, HoldTerms
from synaptic.engine.walk import Engine, open_engine
from synaptic.hooks.config import AskConfig
from synaptic.model.call import Answer, Call, Request
from synaptic.model.decision import Decision, Kind
from synaptic.model.errors import StoreError
from synaptic.model.event import PreToolUse
from synaptic.store import grants, journal, refused
from tests.daemon.setting import Setting
from tests.lib.grants import grant_for

ASKED = "terraform destroy -auto-approve"
ALLOWED = Answer()


def ask(setting: Setting, command: str = ASKED, agent: str = "codex", **env: str) -> Request:
    payload = setting.payload(tool_input={"command": command}, session_id=new_call_id())
    request = setting.raw("PreToolUse", json.dumps(payload).encode(), agent)
    return msgspec.structs.replace(request, env={**request.env, **env})


class Person:
    """An engine whose calls wait, and whoever answers them."""

    def __init__(self, setting: Setting, engine: Engine) -> None:
        self.setting = setting
        self.engine = engine
        self.store = engine.store

    def send(self, request: Request) -> "asyncio.Task[Answer]":
        return asyncio.create_task(self.engine.answer(request))

    async def see(self, count: int = 1) -> tuple[refused.RefusedCall, ...]:
        """The questions, once so many calls wait."""
        async with asyncio.timeout(20):
            while len(self.engine.held) < count:
                await asyncio.sleep(0.01)
        return refused.list_refused(self.store)

    def allow(self, *questions: refused.RefusedCall, **fields: object) -> None:
        grants.add_grants(self.store, [grant_for(act, **fields) for one in questions for act in one.subject.acts])

    def uphold(self, *questions: refused.RefusedCall) -> None:
        refused.answer_refused(self.store, [one.mark for one in questions], "upheld", time.time())


def run(setting: Setting, story, wait: float = 20.0, more: str = "") -> None:
    setting.config(f'trust = "all"\n[ask]\nwait = {wait}\n{more}')

    async def tell() -> None:
        engine = open_engine(setting.home)
        try:
            await story(Person(setting, engine))
        finally:
            await engine.close()

    asyncio.run(tell())


ASKS = (
    'echo \'{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "ask", '
    '"permissionDecisionReason": "may it?"}}\''
)


def fail(*_: object) -> None:
    raise StoreError("database or disk is full")


def reason(answer: Answer) -> str:
    return str(json.loads(answer.stdout)["hookSpecificOutput"]["permissionDecisionReason"])


def test_what_is_allowed_in_time_runs_and_uses_the_exception_up(setting: Setting) -> None:
    async def story(person: Person) -> None:
        call = person.send(ask(setting))
        (question,) = await person.see()
        assert question.subject.asks
        person.allow(question)
        assert await call == ALLOWED
        (known,) = grants.list_grants(person.store)
        assert known.grant.used_by == question.call
        assert refused.list_refused(person.store)[0].count == 1
        assert setting.last().decision.trace[-1].phase == "held"

    run(setting, story)


def test_what_nobody_answers_is_refused_with_its_code_and_runs_once_after_it_was_allowed(setting: Setting) -> None:
    async def story(person: Person) -> None:
        answer = await person.send(ask(setting))
        (question,) = refused.list_refused(person.store)
        assert "has not answered within" in reason(answer)
        assert reason(answer).endswith(f"synaptic allow {question.code}]")
        assert question.count == 1
        person.allow(question)
        assert await person.send(ask(setting)) == ALLOWED
        again = person.send(ask(setting))
        await person.see()
        person.engine.held.end()
        assert "deny" in (await again).stdout.decode()

    run(setting, story, wait=1.0)


def test_a_no_ends_the_wait_at_once_and_the_same_call_does_not_ask_again(setting: Setting) -> None:
    async def story(person: Person) -> None:
        call = person.send(ask(setting))
        person.uphold(*await person.see())
        assert "has said no" in reason(await call)
        began = time.monotonic()
        assert "deny" in (await person.send(ask(setting))).stdout.decode()
        assert time.monotonic() - began < 5
        assert refused.list_refused(person.store)[0].count == 2

    run(setting, story, wait=500)


def test_an_exception_for_another_call_lets_it_wait(setting: Setting) -> None:
    async def story(person: Person) -> None:
        call, other = person.send(ask(setting)), person.send(ask(setting, "terraform destroy -target=a -auto-approve"))
        first, second = sorted(await person.see(2), key=lambda one: one.subject.shown == ASKED)
        person.allow(first)
        assert await other == ALLOWED
        person.allow(second, session="another one")
        person.allow(second, root="/elsewhere")
        person.allow(second, expires=time.time() - 1)
        person.allow(second, stakes="more is lost")
        await asyncio.sleep(4 * waiting.LOOK_SECONDS)
        assert not call.done()
        person.allow(second)
        assert await call == ALLOWED

    run(setting, story)


def test_a_hundred_identical_calls_and_one_yes_for_once(setting: Setting) -> None:
    async def story(person: Person) -> None:
        calls = [person.send(ask(setting)) for _ in range(100)]
        (question,) = await person.see(100)
        assert question.count == 100
        person.allow(question)
        await asyncio.wait(calls, return_when=asyncio.FIRST_COMPLETED)
        await asyncio.sleep(4 * waiting.LOOK_SECONDS)
        assert [call.result() for call in calls if call.done()] == [ALLOWED]
        person.uphold(question)
        answers = [await call for call in calls]
        assert sum(answer == ALLOWED for answer in answers) == 1
        (question,) = refused.list_refused(person.store)
        assert question.count == 100
        assert journal.count_events(person.store) == 100
        assert not len(person.engine.means.reservations)

    run(setting, story, wait=500)


def test_other_calls_are_answered_meanwhile(setting: Setting) -> None:
    async def story(person: Person) -> None:
        held = [person.send(ask(setting)) for _ in range(20)]
        await person.see(20)
        assert not len(person.engine.means.reservations)
        assert await asyncio.wait_for(person.send(ask(setting, "ls")), 5) == ALLOWED
        person.engine.held.end()
        await asyncio.gather(*held)

    run(setting, story, wait=500)


def test_a_client_that_has_gone_uses_nothing_up(setting: Setting) -> None:
    async def story(person: Person) -> None:
        request = ask(setting)
        call = person.send(request)
        (question,) = await person.see()
        person.engine.held.leave(request.id)
        person.allow(question)
        assert "deny" in (await call).stdout.decode()
        (known,) = grants.list_grants(person.store)
        assert not known.grant.used_by
        assert journal.count_events(person.store) == 1

    run(setting, story)


def test_a_client_that_was_cut_off_and_asks_again_is_waited_for(setting: Setting) -> None:
    async def story(person: Person) -> None:
        request = ask(setting)
        person.engine.held.leave(request.id)
        person.engine.held.come_back(request.id)
        person.engine.held.come_back("never-gone")
        call = person.send(request)
        (question,) = await person.see()
        person.allow(question)
        assert await call == ALLOWED

    run(setting, story)


def test_a_client_that_has_gone_while_it_was_judged_is_not_waited_for(setting: Setting) -> None:
    async def story(person: Person) -> None:
        request = ask(setting)
        person.engine.held.leave(request.id)
        assert "deny" in (await asyncio.wait_for(person.send(request), 10)).stdout.decode()
        person.engine.held.leave_all()
        assert "deny" in (await asyncio.wait_for(person.send(ask(setting)), 10)).stdout.decode()
        assert refused.list_refused(person.store)[0].count == 2

    run(setting, story, wait=500)


def test_a_second_question_after_the_first_was_answered_is_written_down_too(setting: Setting) -> None:
    """Where that fails, the call is refused, and the refusal is in the list once it can be written."""

    async def story(person: Person, monkeypatch: pytest.MonkeyPatch) -> None:
        call = person.send(ask(setting))
        (first,) = await person.see()
        setting.register("asks", ASKS, protocol="native")
        with monkeypatch.context() as patched:
            patched.setattr(refused, "put_refused", fail)
            person.allow(first)
            answer = await asyncio.wait_for(call, 10)
        assert b"nobody was asked" in answer.stderr
        assert "deny" in answer.stdout.decode()
        assert len(refused.list_refused(person.store)) == 2
        assert not grants.list_grants(person.store)[0].grant.used_by

    with pytest.MonkeyPatch.context() as monkeypatch:
        run(setting, lambda person: story(person, monkeypatch), wait=500)


def test_what_a_hook_no_longer_asks_about_is_refused_all_the_same_when_nobody_has_answered(setting: Setting) -> None:
    """The facts may change while a call waits; a wait that comes to nothing lets nothing run."""
    setting.register("may", f"test -e '{setting.project}/calm' || {ASKS}", protocol="native")

    async def story(person: Person) -> None:
        call = person.send(ask(setting, "make release"))
        await person.see()
        (setting.project / "calm").touch()
        answer = await call
        assert reason(answer).startswith("may it?")
        assert setting.last().decision.kind is Kind.DENY

    run(setting, story, wait=1.0)


def test_a_policy_beside_the_one_that_was_lifted_still_refuses(setting: Setting) -> None:
    async def story(person: Person) -> None:
        call = person.send(ask(setting))
        (question,) = await person.see()
        setting.register("new", 'echo \'{"action": "block", "reason": "not today"}\'')
        person.allow(question)
        assert "not today" in reason(await call)
        assert not grants.list_grants(person.store)[0].grant.used_by

    run(setting, story)


def test_nothing_waits_in_a_rehearsal_without_a_store_or_where_it_is_switched_off(setting: Setting) -> None:
    async def story(person: Person) -> None:
        began = time.monotonic()
        await person.engine.rehearse(ask(setting))
        assert "deny" in (await person.send(ask(setting, SYNAPTIC_NO_WAIT="1"))).stdout.decode()
        refusing = person.send(ask(setting, "rm -rf /"))
        assert "deny" in (await refusing).stdout.decode()
        assert time.monotonic() - began < 20

    run(setting, story, wait=500)


def test_who_can_ask_asks_itself_and_who_is_alone_waits(setting: Setting) -> None:
    async def story(person: Person) -> None:
        asked = await asyncio.wait_for(person.send(ask(setting, agent="claude")), 10)
        assert '"ask"' in asked.stdout.decode()
        alone = person.send(ask(setting, agent="claude", CLAUDE_CODE_SESSION_ATTENDED="0"))
        (question,) = await person.see()
        person.allow(question)
        assert await alone == ALLOWED
        upheld = person.send(ask(setting, agent="claude", CLAUDE_CODE_SESSION_ATTENDED="0"))
        person.uphold(*await person.see())
        assert '"deny"' in (await upheld).stdout.decode()

    run(setting, story, wait=500)


def test_a_repository_cannot_make_calls_wait(setting: Setting) -> None:
    (setting.project / ".synaptic" / "config.toml").write_text("[ask]\nwait = 500\n")

    async def story(person: Person) -> None:
        assert "deny" in (await asyncio.wait_for(person.send(ask(setting)), 10)).stdout.decode()

    run(setting, story, wait=0)


def test_a_question_that_cannot_be_written_down_is_refused_at_once_and_told(
    setting: Setting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(refused, "put_refused", fail)

    async def story(person: Person) -> None:
        answer = await asyncio.wait_for(person.send(ask(setting)), 10)
        assert "deny" in answer.stdout.decode()
        assert b"nobody was asked" in answer.stderr
        assert not len(person.engine.held)

    run(setting, story, wait=500, more=f"notify = \"touch '{setting.project}/told'\"\n")
    assert not (setting.project / "told").exists()


def test_a_cancelled_call_leaves_nothing_behind(setting: Setting) -> None:
    async def story(person: Person) -> None:
        call = person.send(ask(setting))
        await person.see()
        call.cancel()
        await asyncio.wait([call])
        assert not len(person.engine.held)
        assert journal.count_events(person.store) == 0

    run(setting, story)


CLIENT_LIMITS = {
    "claude": 600, "codex": 600, "gemini": 600, "copilot": 600, "droid": 600, "qwen": 600, "opencode": 600,
    "cline": 30, "amp": 60, "cursor": 60,
}  # fmt: skip
"""Seconds that each client waits before a tool: its own limit, or what our entry asks of it."""


@pytest.mark.parametrize("agent", [agent.name for agent in load_agents()])
@pytest.mark.parametrize("judging", [0.0, 5.0])
def test_the_wait_stays_below_what_each_client_waits(agent: str, judging: float) -> None:
    async def hold() -> HeldCall:
        patience = find_adapter(agent).get_capability("PreToolUse").timeout
        started = time.perf_counter_ns() - int(judging * 1e9)
        terms = HoldTerms(AskConfig(wait=3600), patience, started)
        call = Call(new_call_id(), agent, PreToolUse(hook_event_name="PreToolUse"), {})
        return HeldCall(call, Decision(), terms)

    held = asyncio.run(hold())
    limit = CLIENT_LIMITS[agent]
    assert find_adapter(agent).get_capability("PreToolUse").timeout <= limit
    assert held.until - held.began + 3 * judging + SPARE_SECONDS <= limit * PATIENCE_SHARE + 0.1


def make_id(age: float) -> str:
    sent = int((time.time() - age) * 1000)
    return "".join(ID_ALPHABET[sent >> shift & 31] for shift in range(45, -1, -5)) + new_call_id()[10:]


@pytest.mark.parametrize(("age", "left"), [(0, 25.5), (10, 15.5), (100, -74.5), (-5000, 25.5)])
def test_a_call_that_comes_again_waits_only_for_what_is_left(age: float, left: float) -> None:
    """After a daemon was killed its client asks the next one; a clock that was set back adds nothing to the limit."""

    async def hold() -> HeldCall:
        call = Call(make_id(age), "cline", PreToolUse(hook_event_name="PreToolUse"), {})
        return HeldCall(call, Decision(), HoldTerms(AskConfig(wait=3600), 30, time.perf_counter_ns()))

    held = asyncio.run(hold())
    assert held.until - held.began == pytest.approx(left, abs=0.2)
