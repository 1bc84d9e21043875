"""Laws of the handle that a refusal carries: it adds words and decides nothing, whatever the decision and the agent."""

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synaptic.agents.base import Adapter
from synaptic.agents.shared.discover import find_adapter, load_agents
from synaptic.engine.unjudged import ask_in_doubt
from synaptic.model.call import Call
from synaptic.model.decision import Decision, Failure, Fault, Kind, TraceStep, deny
from synaptic.model.event import EVENTS
from synaptic.model.grant import CODE_LENGTH, CODE_LETTERS, RefusedAct, make_code
from synaptic.model.hook import Builtin
from synaptic.pipeline.amend import HANDLE_TEXT, AmendContext, add_handle
from synaptic.pipeline.lifting import GrantLook, Refusal
from synaptic.pipeline.run import run_hooks
from tests.daemon.setting import BLOCK, Setting
from tests.daemon.test_practice import Practice
from tests.lib.shell import git
from tests.pipeline.chains import TableRuntime, hook
from tests.pipeline.test_run import Broken

NAMES = st.sampled_from(["git.reset-hard", "practice.branch-guard", "paths.system", "self.guard", "a-hook"])
TEXTS = st.text(max_size=40)
ACTS = st.builds(
    RefusedAct,
    policy=NAMES,
    options=TEXTS,
    fingerprint=TEXTS,
    stakes=TEXTS,
    asks=st.booleans(),
    is_grantable=st.booleans(),
)
STEPS = st.builds(TraceStep, hook=NAMES, kind=st.sampled_from(list(Kind)), reason=TEXTS)
DECISIONS = st.builds(
    Decision,
    kind=st.sampled_from(list(Kind)),
    by=NAMES,
    reason=TEXTS,
    input=st.none() | st.dictionaries(TEXTS, TEXTS, max_size=2),
    context=st.lists(TEXTS, max_size=2).map(tuple),
    messages=st.lists(TEXTS, max_size=2).map(tuple),
    trace=st.lists(STEPS, max_size=3).map(tuple),
    refused=st.lists(ACTS, max_size=3).map(tuple),
)
ADAPTERS = sorted(agent.name for agent in load_agents())


class NoMemory:
    """Nothing was refused before."""

    stop_cap = 3

    def __init__(self, known: Mapping[str, object] | None = None) -> None:
        self.known = known or {}

    def read_refusals(self, call: Call) -> Mapping[str, object]:
        return self.known

    def has_run(self, call: Call, number: str, since: float) -> bool:
        return False


def make_call(command: str = "git reset --hard", root: str = "/p", agent: str = "claude") -> Call:
    fields = {"tool_name": "Bash", "tool_input": {"command": command}, "session_id": "s", "cwd": root}
    event = EVENTS["PreToolUse"](hook_event_name="PreToolUse", **fields)
    return Call(id="c1", agent=agent, event=event, payload={"hook_event_name": "PreToolUse", **fields}, root=root)


def handle(decision: Decision, call: Call | None = None, wire: Adapter | None = None) -> Decision:
    call = call or make_call()
    about = AmendContext(call=call, wire=wire or find_adapter(call.agent), memory=NoMemory(), hook_log="", carried=())
    return add_handle(decision, about)


@given(DECISIONS)
def test_the_handle_adds_words_and_changes_nothing_else(decision: Decision) -> None:
    after = handle(decision)
    assert (after.kind, after.by, after.input, after.allowed) == (
        decision.kind,
        decision.by,
        decision.input,
        decision.allowed,
    )
    assert after.trace == decision.trace and after.effects == decision.effects
    assert after.reason.startswith(decision.reason) or not decision.refused
    assert after.context == decision.context
    assert after.messages[: len(decision.messages)] == decision.messages
    assert len(after.messages) <= len(decision.messages) + 1
    assert after.refused == decision.refused


@given(DECISIONS)
def test_a_code_is_there_if_and_only_if_a_person_can_lift_all_of_it(decision: Decision) -> None:
    after = handle(decision)
    liftable = bool(decision.refused) and all(act.is_grantable for act in decision.refused)
    assert bool(after.code) == liftable
    if liftable:
        assert len(after.code) == CODE_LENGTH and set(after.code) <= set(CODE_LETTERS)
        assert after.reason.endswith(f"synaptic allow {after.code}]")
    else:
        assert "synaptic allow" not in after.reason.removeprefix(decision.reason)
        assert after.messages == decision.messages


@given(st.lists(ACTS, min_size=1, max_size=3), st.lists(ACTS, min_size=1, max_size=3), TEXTS, TEXTS)
def test_the_code_is_one_of_the_acts_and_the_place(
    one: list[RefusedAct], other: list[RefusedAct], here: str, there: str
) -> None:
    assert make_code(one, here) == make_code(list(one), here)

    def said(acts: list[RefusedAct]) -> list[tuple[str, ...]]:
        return [(act.policy, act.options, act.fingerprint, act.stakes) for act in acts]

    # Four letters are few, and two acts may share them; what is granted is bound to the acts, never to the code.
    if (here, said(one)) == (there, said(other)):
        assert make_code(one, here) == make_code(other, there)


def test_hardly_any_two_calls_share_a_code() -> None:
    acts = [RefusedAct(policy="p", options="o", fingerprint=f"{n:032x}") for n in range(2000)]
    codes = {make_code([act], "/p") for act in acts}
    assert len(codes) > 1990
    assert len({make_code([acts[0]], f"/p{n}") for n in range(2000)}) > 1990


def lookup(refusal: Refusal) -> GrantLook:
    return GrantLook(RefusedAct(policy=refusal.hook.id, options="o", fingerprint="f"))


def test_what_is_no_opinion_has_nothing_to_be_lifted() -> None:
    """A guard that has failed, a hook that is set to deny when it fails, hooks that rewrite each other for ever."""
    failed = Failure(Fault.CRASH, "x")
    cases = (
        ([hook("test.broken", handler=Builtin(Broken()))], {}),
        ([hook("shut", on_error="deny")], {"shut": failed}),
        ([hook("test.broken", 10, handler=Builtin(Broken())), hook("no")], {"no": deny("no")}),
    )
    for hooks, says in cases:
        runtime = TableRuntime(says)
        runtime.look_for_grant = lookup  # type: ignore[method-assign]
        runtime.index = type(runtime.index)(hooks)
        call = make_call()
        decision = asyncio.run(run_hooks(call, runtime.select(call), runtime))
        assert decision.kind in (Kind.ASK, Kind.DENY)
        assert decision.refused == () and handle(decision).code == ""


def test_doubt_about_what_was_declared_cannot_be_lifted() -> None:
    doubted = ask_in_doubt(Decision(kind=Kind.NONE), make_call(), "a file could not be read")
    assert doubted.kind is Kind.ASK and handle(doubted).code == ""


@pytest.mark.parametrize("name", ADAPTERS)
@settings(max_examples=20)
@given(kind=st.sampled_from([Kind.DENY, Kind.ASK]), reason=st.text("abc \n", min_size=1, max_size=30))
def test_every_agent_is_told_the_handle_in_the_reason(name: str, kind: Kind, reason: str) -> None:
    """Also where nothing can be said to the person beside it; and the answer has only keys that it has anyway."""
    wire, call = find_adapter(name), make_call(agent=name)
    act = RefusedAct(policy="git.reset-hard", options="o", fingerprint="f", asks=kind is Kind.ASK)
    bare = Decision(kind=kind, by="git.reset-hard", reason=reason, refused=(act,))
    after = handle(bare, call, wire)
    line = HANDLE_TEXT.format(policies="git.reset-hard", code=after.code)
    # As for any refusal with a word to the person.
    before = msgspec.structs.replace(bare, messages=("a word",) if after.messages else ())
    told, plain = (wire.encode(call, wire.degrade(call, one)) for one in (after, before))
    said = (told.stdout + told.stderr).decode()
    quoted = json.dumps(line, ensure_ascii=False)[1:-1]
    assert line in said or quoted in said, (name, said)
    assert told.exit == plain.exit
    assert list_keys(told.stdout) == list_keys(plain.stdout)


def list_keys(raw: bytes) -> set[str]:
    try:
        found = json.loads(raw or b"{}")
    except ValueError:
        return set()
    return set(iter_keys(found))


def iter_keys(value: object) -> list[str]:
    if isinstance(value, dict):
        return [key for name, one in value.items() for key in (name, *iter_keys(one))]
    return [key for one in value for key in iter_keys(one)] if isinstance(value, list) else []


def test_the_same_call_has_the_same_code_and_another_has_another(tmp_path: Path) -> None:
    """Through the walk: spaces, folder and tool make another call; description, number and session do not."""
    setting = Setting(tmp_path)
    setting.register("guard", f"{BLOCK}", matcher=".*")
    (setting.project / "src").mkdir()

    def code(**fields: object) -> str:
        setting.answer(setting.request("PreToolUse", **fields))
        return setting.last().decision.code

    same = code(tool_input={"command": "x"}, tool_use_id="t1")
    assert same
    assert code(tool_input={"command": "x", "description": "why", "timeout": 4}, tool_use_id="t2") == same
    assert code(tool_input={"command": "x"}, session_id="s2") == same
    others = [
        code(tool_input={"command": "x "}),
        code(tool_input={"command": "x"}, cwd=str(setting.project / "src")),
        code(tool_input={"command": "x", "run_in_background": True}),
        code(tool_name="Read", tool_input={"file_path": "x"}),
    ]
    assert len({same, *others}) == 5


def test_gates_that_are_heard_do_not_change_who_decides_or_the_order(tmp_path: Path) -> None:
    practice = Practice(tmp_path)
    git(practice.project, "checkout", "-q", "main")
    practice.tool(practice.project / "a.py", "x = 1\n" * 60)
    decision = practice.last().decision
    lines = decision.reason.split("\n")
    names = ["practice.branch-guard", "practice.doc-gate", "practice.plan-check"]
    assert lines[-1] == HANDLE_TEXT.format(policies=", ".join(names), code=decision.code)
    assert [line.partition(": ")[0] for line in lines[:-1]] == names


def test_a_verdict_without_a_reason_still_carries_its_handle() -> None:
    act = RefusedAct(policy="p", options="o", fingerprint="f")
    after = handle(Decision(kind=Kind.DENY, by="p", refused=(act,)))
    assert after.reason == HANDLE_TEXT.format(policies="p", code=after.code)
