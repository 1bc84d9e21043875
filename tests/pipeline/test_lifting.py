"""What an exception is about, and the law: it takes one policy's word away, on one call, and nothing else."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from synaptic.model.call import Call
from synaptic.model.decision import Decision, Failure, Fault, Kind, Verdict, advise, allow, ask, deny, rewrite
from synaptic.model.grant import RefusedAct
from synaptic.model.hook import Builtin, Command, Hook, OutsidePolicy
from synaptic.pipeline.lifting import (
    GrantLook,
    Refusal,
    digest_options,
    digest_stakes,
    find_shape,
    is_liftable,
    lift_verdict,
    show_call,
    write_act,
)
from synaptic.policies.base import load_policies
from tests.pipeline.chains import Outcome, TableRuntime, call, decide, hook

NAMES = ("a", "b", "c", "d")
COMMANDS = ("ls", "ls -a", "rm x")
SAID = ("kind", "by", "reason", "input", "allowed", "context", "messages", "feedback", "warnings", "extras", "effects")


class GrantRuntime(TableRuntime):
    """A table of hooks, and exceptions by what they lift: a hook's word on any call, or on one."""

    lifted: frozenset[str] = frozenset()
    acts: frozenset[str] = frozenset()

    def look_for_grant(self, refusal: Refusal) -> GrantLook:
        act = RefusedAct(policy=refusal.hook.id, options="", fingerprint=write_act(refusal, "/p").decode())
        name = f"{act.policy} {act.fingerprint}"
        return GrantLook(act, "g" if refusal.hook.id in self.lifted or name in self.acts else "", "lifted")


def make_refusal(given: Hook, about: Call, seen: Call | None = None) -> Refusal:
    return Refusal(given, None, about, seen or about, deny("no"))


def say(kind: str) -> Any:
    """A hook that says the same about every command, or about one only."""
    name, _, only = kind.partition(" ")
    said: dict[str, Outcome] = {
        "none": None,
        "deny": Verdict(says=Kind.DENY, reason="no", context=("d",), messages=("m",)),
        "ask": ask("sure?"),
        "rewriting ask": Verdict(says=Kind.ASK, reason="sure?", input={"command": "ls -a"}),
        "allow": allow("yes"),
        "advise": advise("know"),
        "rewrite": rewrite({"command": "rm x"}, "better"),
        "fail": Failure(Fault.CRASH, "broke"),
        "guard": Failure(Fault.CRASH, "broke", asks=True),
    }
    verdict = said[name.replace("-", " ")]
    return lambda given: verdict if not only or given.get("command") == only else None


KINDS = st.sampled_from(
    ["none", "deny", "ask", "rewriting-ask", "allow", "advise", "rewrite", "fail", "guard"]
    + [f"{kind} {command}" for kind in ("deny", "ask", "rewrite") for command in COMMANDS]
)
CHAINS = st.lists(st.tuples(KINDS, st.sampled_from(["allow", "deny"])), min_size=1, max_size=len(NAMES))
Chain = Sequence[tuple[str, str]]


def run(chain: Chain, runtime: TableRuntime, command: str) -> Decision:
    named = enumerate(zip(NAMES, chain, strict=False))
    hooks = [hook(name, place, on_error=on_error) for place, (name, (_, on_error)) in named]
    return decide(hooks, runtime, call(tool_input={"command": command}))


def table(chain: Chain) -> dict[str, Any]:
    return {name: say(kind) for name, (kind, _) in zip(NAMES, chain, strict=False)}


def compare(decision: Decision) -> dict[str, object]:
    return {name: getattr(decision, name) for name in SAID}


@given(chain=CHAINS, command=st.sampled_from(COMMANDS), who=st.sets(st.sampled_from(NAMES)))
def test_a_decision_with_grants_is_that_of_the_same_hooks_without_these_refusals(
    chain: Chain, command: str, who: set[str]
) -> None:
    says = table(chain)
    with_grants = GrantRuntime(says)
    with_grants.lifted = frozenset(who)

    def silence(name: str) -> Any:
        def answer(given: Mapping[str, object]) -> Outcome:
            said = says[name](given)
            refuses = isinstance(said, Verdict) and said.says in (Kind.DENY, Kind.ASK)
            return lift_verdict(said) if refuses else said

        return answer

    without_them = GrantRuntime({name: silence(name) if name in who else said for name, said in says.items()})
    decided, expected = run(chain, with_grants, command), run(chain, without_them, command)
    assert compare(decided) == compare(expected)
    assert with_grants.saw == without_them.saw
    assert decided.refused == expected.refused
    assert not {act.policy for act in decided.refused} & who


@given(chain=CHAINS, command=st.sampled_from(COMMANDS), other=st.sampled_from(COMMANDS))
def test_lifting_all_that_was_said_about_one_call_changes_nothing_about_another(
    chain: Chain, command: str, other: str
) -> None:
    """Also not for one that is rewritten to it, or that it is rewritten to."""
    acts: set[str] = set()
    for _ in range(20):
        runtime = GrantRuntime(table(chain))
        runtime.acts = frozenset(acts)
        refused = run(chain, runtime, other).refused
        if not refused:
            break
        acts.update(f"{act.policy} {act.fingerprint}" for act in refused)
    granted, plain = GrantRuntime(table(chain)), GrantRuntime(table(chain))
    granted.acts = frozenset(acts)
    if command != other:
        decided, expected = run(chain, granted, command), run(chain, plain, command)
        assert compare(decided) == compare(expected)
        assert (decided.grants, decided.refused) == ((), expected.refused)


@given(chain=CHAINS, command=st.sampled_from(COMMANDS), who=st.sets(st.sampled_from(NAMES)))
def test_a_refusal_that_nobody_can_lift_leaves_no_handle(chain: Chain, command: str, who: set[str]) -> None:
    runtime = GrantRuntime(table(chain))
    runtime.lifted = frozenset(who)
    decided = run(chain, runtime, command)
    against = [step for step in decided.trace if step.kind in (Kind.DENY, Kind.ASK) and step.phase != "lifted"]
    if any(step.fault for step in against):
        assert decided.refused == ()
    assert bool(decided.grants) == any(step.phase == "lifted" for step in decided.trace)


def test_after_the_act_there_is_nothing_to_lift() -> None:
    runtime = GrantRuntime({"a": deny("no")})
    runtime.lifted = frozenset({"a"})
    after = call("PostToolUse", tool_response={})
    decided = decide([hook("a", events=("PostToolUse",))], runtime, after)
    assert decided.feedback == ("no",)
    assert decided.grants == ()


# What makes a call this one


def act_of(**fields: Any) -> bytes:
    return write_act(make_refusal(hook("a"), call(**fields)), "/p")


@pytest.mark.parametrize(
    "fields",
    [
        {"tool_input": {"command": "ls "}},
        {"tool_input": {"command": "ls", "run_in_background": True}},
        {"tool_input": {"command": "ls", "cwd": "/"}},
        {"tool_input": {"command": ["ls"]}},
        {"tool_input": {"cmd": "ls"}},
        {"tool_name": "PowerShell"},
        {"tool_name": "Write"},
        {"cwd": "/q"},
    ],
)
def test_any_difference_makes_it_another_call(fields: dict[str, Any]) -> None:
    assert act_of(**fields) != act_of()


def test_where_the_folder_really_is_belongs_to_it() -> None:
    refusal = make_refusal(hook("a"), call())
    assert write_act(refusal, "/p") != write_act(refusal, "/q")


def test_what_a_shell_tool_is_told_beside_does_not() -> None:
    assert act_of(tool_input={"timeout": 3, "description": "x", "command": "ls"}) == act_of()


def test_of_another_tool_everything_counts() -> None:
    first = {"tool_name": "Deploy", "tool_input": {"description": "a"}}
    assert act_of(**first) != act_of(tool_name="Deploy", tool_input={"description": "b"})


def test_the_same_input_in_another_order_is_the_same_call() -> None:
    first = {"tool_name": "Write", "tool_input": {"file_path": "a", "content": "b"}}
    assert act_of(**first) == act_of(tool_name="Write", tool_input={"content": "b", "file_path": "a"})


def test_a_rewritten_call_is_another_one_than_either_of_both() -> None:
    one, two = call(), call(tool_input={"command": "ls -a"})
    acts = [write_act(make_refusal(hook("a"), first, seen), "") for first in (one, two) for seen in (one, two)]
    assert len(set(acts)) == 4


TEXT = st.text(max_size=5)
VALUE = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | TEXT,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXT, inner, max_size=2),
    max_leaves=4,
)


@given(one=st.dictionaries(TEXT, VALUE, max_size=3), two=st.dictionaries(TEXT, VALUE, max_size=3))
def test_two_inputs_are_written_alike_only_if_they_are_alike(one: dict[str, Any], two: dict[str, Any]) -> None:
    same = msgspec.json.encode(one, order="sorted") == msgspec.json.encode(two, order="sorted")
    written = [act_of(tool_name="Deploy", tool_input=given) for given in (one, two)]
    assert (written[0] == written[1]) is same


@pytest.mark.parametrize("given", [{"command": "ls \ud800"}, {"command": "ls", 5: 6}, {"command": "ls", "x": object}])
def test_any_input_can_be_written(given: dict[Any, Any]) -> None:
    assert act_of(tool_input=given) == act_of(tool_input=dict(given))
    assert act_of(tool_input=given) != act_of()


# How a policy is set


def options_of(**changes: Any) -> str:
    return digest_options(hook("a", **changes))


def test_another_script_matcher_scope_or_folder_is_another_hook() -> None:
    found = {
        options_of(), options_of(handler=Command(shell="b")), options_of(matcher="Bash"), options_of(scope="project"),
        options_of(root="/p"), digest_options(hook("b")),
    }  # fmt: skip
    assert len(found) == 6


def test_an_option_makes_it_another_policy_and_its_place_does_not() -> None:
    kind = load_policies()["git.force-push"]
    made = [
        digest_options(hook("git.force-push", place, handler=Builtin(kind(**options))))
        for place, options in enumerate(({}, {}, {"protected": ("x",)}))
    ]
    assert made[0] == made[1] != made[2]


def test_every_policy_has_a_digest_that_does_not_depend_on_the_process() -> None:
    for name, kind in load_policies().items():
        one, other = (hook(name, handler=Builtin(kind())) for _ in range(2))
        assert digest_options(one) == digest_options(other)


def test_a_policy_from_outside_is_the_one_of_this_file_with_these_options() -> None:
    first = OutsidePolicy(file="/p/a.py", policy="x.y", digest="1", needs=frozenset({"a", "b", "c"}))
    changed = (
        msgspec.structs.replace(first, digest="2"),
        msgspec.structs.replace(first, options=b'{"a":1}'),
        msgspec.structs.replace(first, file="/q/a.py"),
    )
    found = {digest_options(hook("x.y", handler=one)) for one in (first, *changed)}
    assert len(found) == 4


# What it says to people


@pytest.mark.parametrize(
    ("name", "may"),
    [
        ("git.reset-hard", True), ("self.engine-files", False), ("self.anything", False), ("devices.raw-write", False),
        ("system.fork-bomb", False), ("selfish.x", True), ("paths.system", False), ("infra.provisioning", False),
    ],
)  # fmt: skip
def test_whether_a_person_may_lift_a_policy(name: str, may: bool) -> None:
    assert is_liftable(name, ("paths.system", "infra.*")) is may


def test_all_that_nobody_may_lift_is_there() -> None:
    known = [name for name in load_policies() if not is_liftable(name, ())]
    assert {"devices.raw-write", "system.fork-bomb"} < set(known)
    assert all(name.startswith("self.") for name in set(known) - {"devices.raw-write", "system.fork-bomb"})


def test_what_would_be_lost_counts_where_a_policy_looks_at_it() -> None:
    policies = load_policies()
    reset, force = policies["git.reset-hard"](), policies["git.force-push"]()
    about = call()
    made = [Refusal(hook("a"), reset, about, about, deny(reason)) for reason in ("1 file", "2 files", "1 file")]
    first, second, third = map(digest_stakes, made)
    assert first == third != second
    assert digest_stakes(msgspec.structs.replace(made[0], policy=force)) == ""
    assert digest_stakes(msgspec.structs.replace(made[0], policy=None)) == ""


@pytest.mark.parametrize(
    ("fields", "shape"),
    [
        ({"tool_input": {"command": "git push --force origin main"}}, "git push"),
        ({"tool_input": {"command": "rm -rf /x"}}, "rm"),
        ({"tool_input": {"command": "/opt/secret/tool x"}}, "a command"),
        ({"tool_input": {"command": "x" * 500}}, "a command"),
        ({"tool_name": "Edit", "tool_input": {"file_path": "/p/a.py"}}, "Edit *.py"),
        ({"tool_name": "Edit", "tool_input": {"file_path": "/p.d/Makefile"}}, "Edit"),
        ({"tool_name": "WebFetch", "tool_input": {"url": "http://x"}}, "WebFetch"),
    ],
)
def test_the_shape_of_a_call_names_what_is_done_and_nothing_it_is_done_to(fields: dict[str, Any], shape: str) -> None:
    assert find_shape(call(**fields)) == shape


def test_a_call_is_shown_as_a_person_would_say_it() -> None:
    assert show_call(call()) == "ls"
    assert show_call(call(tool_name="Edit", tool_input={"file_path": "/p/a.py"})) == "/p/a.py"
    assert show_call(call(tool_name="WebFetch", tool_input={"url": "http://x"})) == '{"url":"http://x"}'
    assert show_call(call("UserPromptSubmit", prompt="x")) == "UserPromptSubmit"
    assert len(show_call(call(tool_input={"command": "x " * 9000}))) < 2100


def test_a_lifted_question_leaves_its_rewrite_and_a_lifted_refusal_nothing() -> None:
    assert lift_verdict(Verdict(says=Kind.ASK, reason="r", input={"a": 1}, context=("c",))) == Verdict(input={"a": 1})
    assert lift_verdict(Verdict(says=Kind.DENY, reason="r", input={"a": 1}, messages=("m",))) == Verdict()
