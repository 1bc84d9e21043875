"""One event by two entries: the settings' and the plugin's."""

import asyncio
import json
from collections.abc import Sequence

import msgspec
import pytest

from synaptic.daemon.client import new_call_id
from synaptic.engine import arrivals
from synaptic.engine.commit import DecidedEvent
from synaptic.engine.reports import NOT_OWN_TEXT
from synaptic.model.call import Answer, Call, Request
from synaptic.model.decision import Decision
from synaptic.model.environment import PLUGIN_VARIABLE
from synaptic.model.event import PostToolUse
from synaptic.store.db import Store
from tests.daemon.setting import BLOCK, Setting, modify, output, specific

CONTEXT = """echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"mind the gap"}}'"""


def by_plugin(request: Request, **changes: object) -> Request:
    """The same event as the plugin's entry brings it."""
    env = {**request.env, PLUGIN_VARIABLE: "/plugins/synaptic"}
    return msgspec.structs.replace(request, id=new_call_id(), env=env, **changes)


def by_sdk(request: Request) -> Request:
    """The same event as our callback in an SDK brings it."""
    return msgspec.structs.replace(request, id=new_call_id(), env={**request.env, PLUGIN_VARIABLE: arrivals.SDK_WAY})


def again(request: Request) -> Request:
    return msgspec.structs.replace(request, id=new_call_id())


def answer_all(setting: Setting, requests: Sequence[Request], *, together: bool = False) -> list[Answer]:
    async def work(engine) -> list[Answer]:
        if together:
            return await asyncio.gather(*(engine.answer(request) for request in requests))
        return [await engine.answer(request) for request in requests]

    return asyncio.run(setting._with_engine(work))


@pytest.mark.parametrize("together", [False, True], ids=["one after the other", "at once"])
@pytest.mark.parametrize("first", ["settings", "plugin"])
def test_a_refused_call_is_judged_once_and_both_are_told(setting: Setting, first: str, together: bool) -> None:
    setting.register("guard", BLOCK)
    request = setting.request()
    pair = [request, by_plugin(request)]
    answers = answer_all(setting, pair if first == "settings" else pair[::-1], together=together)
    assert [specific(answer)["permissionDecision"] for answer in answers] == ["deny", "deny"]
    assert setting.order == ["guard"]
    assert len(setting.entries()) == 1


def test_a_rewrite_is_the_same_for_both(setting: Setting) -> None:
    setting.register("one", modify("ls -a"))
    request = setting.request()
    answers = answer_all(setting, [request, by_plugin(request)])
    assert answers[0] == answers[1]
    assert specific(answers[0])["updatedInput"]["command"] == "ls -a"
    assert setting.order == ["one"]


def test_advice_is_given_once(setting: Setting) -> None:
    setting.register("adviser", CONTEXT, protocol="native")
    request = setting.request()
    said, silent = answer_all(setting, [request, by_plugin(request)])
    assert "mind the gap" in said.stdout.decode()
    assert silent == Answer()
    assert setting.order == ["adviser"]


def test_the_same_prompt_twice_is_two_events_however_it_arrives(setting: Setting) -> None:
    setting.register("listener", event="UserPromptSubmit", matcher=None)
    prompt = setting.request("UserPromptSubmit", prompt="go on")
    answer_all(setting, [prompt, by_plugin(prompt), again(prompt), by_plugin(prompt)])
    assert setting.order == ["listener", "listener"]
    assert len(setting.entries()) == 2


@pytest.mark.parametrize("together", [False, True], ids=["one after the other", "at once"])
def test_by_three_ways_it_is_judged_once_and_twice_the_same_is_two_events(setting: Setting, together: bool) -> None:
    setting.register("guard", BLOCK)
    request = setting.request()
    ways = [by_sdk(request), request, by_plugin(request)]
    answers = answer_all(setting, [*ways, *map(again, ways)], together=together)
    assert {specific(answer)["permissionDecision"] for answer in answers} == {"deny"}
    assert setting.order == ["guard"] * 2
    assert len(setting.entries()) == 2


def test_by_one_entry_alone_every_arrival_is_an_event(setting: Setting) -> None:
    setting.register("guard", BLOCK)
    request = setting.request()
    answer_all(setting, [request, again(request)])
    assert setting.order == ["guard"] * 2
    other = setting.request(tool_use_id="t2")
    answer_all(setting, [by_plugin(other), by_plugin(other)])
    assert setting.order == ["guard"] * 4


def test_another_input_under_the_same_call_is_judged_by_itself(setting: Setting) -> None:
    """Whoever has read the number of a call and asks about something harmless first wins nothing."""
    setting.register("guard", """case $HOOK_INPUT in *danger*) echo '{"action":"block","reason":"no"}' ;; esac""")
    harmless = setting.request(tool_input={"command": "ls"})
    real = setting.request(tool_input={"command": "danger"})
    first, second = answer_all(setting, [by_plugin(harmless), real])
    assert first == Answer()
    assert specific(second)["permissionDecision"] == "deny"


def test_a_stranger_speaks_first_and_the_real_event_is_still_heard(setting: Setting) -> None:
    setting.register("listener", event="UserPromptSubmit", matcher=None)
    prompt = setting.request("UserPromptSubmit", prompt="s+")
    answer_all(setting, [by_plugin(prompt, stranger="a process below an agent"), prompt, by_plugin(prompt)])
    assert len(setting.entries()) == 2
    assert setting.order == ["listener", "listener"]


@pytest.mark.parametrize("spoiled", ["not believed", "not written"])
def test_what_moved_nothing_does_not_stand_for_the_real_event(setting: Setting, spoiled: str) -> None:
    """A report that a tool has sent in the agent's name is found out only while it is judged."""
    request = setting.request("PostToolUse")
    warnings = (f"{NOT_OWN_TEXT} (why): it is noted",) if spoiled == "not believed" else ()
    call = Call(request.id, "claude", PostToolUse(), {}, warnings=warnings)
    first = DecidedEvent(call, Decision(), Answer(), is_written=spoiled == "not believed")
    real = msgspec.structs.replace(first, call=msgspec.structs.replace(call, warnings=()), is_written=True)

    async def work() -> list[DecidedEvent]:
        known = arrivals.Arrivals(Store.open(setting.home))
        walks = iter([first, real])

        async def walk(_: Request) -> DecidedEvent:
            return next(walks)

        return [await known.decide_once(one, walk) for one in (by_plugin(request), request)]

    assert asyncio.run(work()) == [first, real]


def test_what_is_too_long_ago_is_another_event(setting: Setting, monkeypatch: pytest.MonkeyPatch) -> None:
    setting.register("guard", BLOCK)
    monkeypatch.setattr(arrivals, "TOGETHER_SECONDS", 0.0)
    request = setting.request()
    answer_all(setting, [request, by_plugin(request)])
    assert setting.order == ["guard", "guard"]


def test_where_the_first_gets_no_decision_the_second_is_judged(setting: Setting) -> None:
    request = setting.request()

    async def work(engine) -> Answer:
        started = asyncio.Event()

        async def hang(_: Request):
            started.set()
            await asyncio.sleep(60)

        first = asyncio.ensure_future(engine._arrivals.decide_once(request, hang))
        await started.wait()
        second = asyncio.ensure_future(engine.answer(by_plugin(request)))
        await asyncio.sleep(0.05)
        assert not second.done(), "it waits for the one that is being judged"
        first.cancel()
        return await second

    setting.register("guard", BLOCK)
    assert specific(asyncio.run(setting._with_engine(work)))["permissionDecision"] == "deny"


def test_a_long_payload_is_recognised_too(setting: Setting) -> None:
    setting.register("guard", BLOCK)
    request = setting.request(tool_input={"command": "x" * (2 * arrivals.LONG_PAYLOAD)})
    answers = answer_all(setting, [request, by_plugin(request)])
    assert setting.order == ["guard"]
    assert output(answers[0]) == output(answers[1])
    assert json.loads(answers[1].stdout)


def test_what_a_process_without_a_daemon_has_judged_is_known_to_the_daemon_after_it(setting: Setting) -> None:
    setting.register("guard", BLOCK)
    request = setting.request()
    first = setting.fallback(request)
    (second,) = answer_all(setting, [by_plugin(request)])
    assert first == second
    assert setting.order == ["guard"]
    assert len(setting.entries()) == 1


def test_advice_of_such_a_process_is_not_repeated(setting: Setting) -> None:
    setting.register("adviser", CONTEXT, protocol="native")
    request = setting.request()
    assert b"mind the gap" in setting.fallback(request).stdout
    assert answer_all(setting, [by_plugin(request)]) == [Answer()]


@pytest.mark.parametrize("odd", ["by the settings", "with a secret", "of a stranger", "later"])
def test_what_the_journal_does_not_tell_for_certain_is_judged_again(setting: Setting, odd: str, monkeypatch) -> None:
    setting.register("guard", BLOCK)
    command = "echo ghp_" + "a1B2" * 9 if odd == "with a secret" else "ls"
    request = setting.request(tool_input={"command": command})
    answer_all(setting, [msgspec.structs.replace(request, stranger="why")] if odd == "of a stranger" else [request])
    if odd == "later":
        monkeypatch.setattr(arrivals, "TOGETHER_SECONDS", 0.0)
    answer_all(setting, [again(request) if odd == "by the settings" else by_plugin(request)])
    assert setting.order == ["guard", "guard"]
