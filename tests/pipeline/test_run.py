import time

from hypothesis import given
from hypothesis import strategies as st

from synaptic.model.call import Call
from synaptic.model.decision import Failure, Fault, Kind, Verdict, advise, allow, ask, deny, rewrite
from synaptic.model.event import PreToolUse
from synaptic.model.hook import Builtin, Match
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from tests.pipeline.chains import Outcome, Says, TableRuntime, call, decide, hook

NOT_AWAITED = {"blocking": False, "awaited": False}


def append(word: str) -> Says:
    """A script that is not idempotent: it adds its word each time it is asked."""
    return lambda seen: rewrite({**seen, "command": f"{seen['command']} {word}"}, f"adds {word}")


def forbid(word: str) -> Says:
    return lambda seen: deny(f"{word} is forbidden") if word in str(seen["command"]) else None


def test_a_deny_ends_the_chain_and_later_hooks_do_not_run() -> None:
    """S0-033, S0-034, S4-041"""
    runtime = TableRuntime({"guard": deny("no")})
    decision = decide([hook("first", 10), hook("guard", 20), hook("late", 30)], runtime)
    assert runtime.ran == ["first", "guard"]
    assert (decision.kind, decision.by, decision.reason) == (Kind.DENY, "guard", "no")
    assert [step.phase for step in decision.trace] == ["run", "run", "skipped"]


def test_each_hook_sees_the_input_as_rewritten_so_far() -> None:
    """S0-037"""
    runtime = TableRuntime({"colour": append("-a")})
    decision = decide([hook("colour", 10), hook("spy", 20)], runtime)
    assert runtime.saw == [("colour", {"command": "ls"}), ("spy", {"command": "ls -a"})]
    assert decision.input == {"command": "ls -a"}


def test_two_rewrites_compose_and_a_script_rewrites_once() -> None:
    runtime = TableRuntime({"one": append("-a"), "two": append("-l")})
    decision = decide([hook("one", 10), hook("two", 20)], runtime)
    assert decision.input == {"command": "ls -a -l"}
    assert runtime.ran == ["one", "two", "one"]


def test_a_guard_sees_the_final_input_once_more() -> None:
    """Law: rewrites compose, and nothing can be smuggled past an earlier guard."""
    runtime = TableRuntime({"guard": forbid("evil"), "later": append("evil")})
    decision = decide([hook("guard", 20), hook("later", 50)], runtime)
    assert (decision.kind, decision.by) == (Kind.DENY, "guard")
    assert decision.trace[-1].phase == "recheck"


def test_a_rewrite_never_hides_a_later_deny() -> None:
    runtime = TableRuntime({"tmp": append("-a"), "guard": deny("reset --hard discards work")})
    assert decide([hook("tmp", 20), hook("guard", 30)], runtime).kind is Kind.DENY


def test_advice_and_rewrites_do_not_stop_the_chain() -> None:
    """S4-042"""
    runtime = TableRuntime({"advice": advise("careful"), "guard": deny("not on main")})
    decision = decide([hook("advice", 10), hook("guard", 20)], runtime)
    assert decision.kind is Kind.DENY
    assert decision.context == ("careful",)


def test_a_crash_of_one_hook_does_not_stop_another() -> None:
    """S0-038, S0-049, S4-002"""
    runtime = TableRuntime({"broken": Failure(Fault.CRASH, "exit code 1"), "guard": deny("no")})
    decision = decide([hook("broken", 10), hook("guard", 20)], runtime)
    assert decision.by == "guard"
    assert any("broken" in warning and "exit code 1" in warning for warning in decision.warnings)


def test_a_failing_hook_that_is_set_to_deny_denies() -> None:
    runtime = TableRuntime({"strict": Failure(Fault.TIMEOUT, "no answer after 1 s")})
    decision = decide([hook("strict", 10, on_error="deny"), hook("late", 20)], runtime)
    assert decision.kind is Kind.DENY
    assert "strict" in decision.reason
    assert runtime.ran == ["strict"]


def test_hooks_nobody_waits_for_are_started_in_their_place() -> None:
    """S0-040, S0-041"""
    runtime = TableRuntime({"guard": deny("no")})
    hooks = [hook("early", 10, **NOT_AWAITED), hook("guard", 20), hook("late", 50, **NOT_AWAITED)]
    decide(hooks, runtime)
    assert runtime.started == ["early"]


def test_a_refused_hook_is_skipped_and_named() -> None:
    runtime = TableRuntime({"foreign": deny("no")}, refused={"foreign": "not trusted"})
    decision = decide([hook("foreign")], runtime)
    assert decision.kind is Kind.NONE
    assert (decision.trace[0].phase, decision.trace[0].note) == ("skipped", "not trusted")


def test_a_hook_after_the_deadline_counts_as_failed() -> None:
    runtime = TableRuntime({"late": deny("no")})
    runtime.deadline = time.monotonic() - 1
    decision = decide([hook("late")], runtime)
    assert decision.kind is Kind.NONE
    assert "deadline" in decision.warnings[0]


def test_after_the_act_every_hook_runs_and_a_block_is_feedback() -> None:
    """S2-035"""
    runtime = TableRuntime({"lint": deny("line 3: unused"), "track": advise("noted")})
    hooks = [hook("lint", 10, events=("PostToolUse",)), hook("track", 20, events=("PostToolUse",))]
    decision = decide(hooks, runtime, call("PostToolUse"))
    assert runtime.ran == ["lint", "track"]
    assert decision.feedback == ("line 3: unused",)
    assert decision.context == ("noted",)


def test_hooks_that_rewrite_each_other_for_ever_are_denied() -> None:
    flip = FlipA(), FlipB()
    hooks = [hook(policy.id, 20 + number, handler=Builtin(policy)) for number, policy in enumerate(flip)]
    decision = decide(hooks, TableRuntime({}))
    assert decision.kind is Kind.DENY
    assert "test.flip-a" in decision.reason


def test_silent_policies_share_one_step() -> None:
    quiet = [hook(f"test.quiet-{number}", number, handler=Builtin(Quiet())) for number in range(40)]
    decision = decide([*quiet, hook("spy", 90)], TableRuntime({}))
    assert [(step.hook, step.phase) for step in decision.trace] == [("policies", "quiet"), ("spy", "run")]
    assert decision.trace[0].note.split() == [one.id for one in quiet]


def test_many_policies_look_again_at_one_rewrite() -> None:
    quiet = [hook(f"test.quiet-{number}", number, handler=Builtin(Quiet())) for number in range(40)]
    decision = decide([*quiet, hook("colour", 50)], TableRuntime({"colour": append("-a")}))
    assert decision.kind is Kind.REWRITE
    assert decision.input == {"command": "ls -a"}


def test_a_guard_that_breaks_is_a_question_and_every_other_hook_is_asked() -> None:
    runtime = TableRuntime({"spy": None})
    decision = decide([hook("test.broken", handler=Builtin(Broken())), hook("spy", 90)], runtime)
    assert decision.kind is Kind.ASK
    assert "ZeroDivisionError" in decision.reason
    assert "ZeroDivisionError" in decision.warnings[0]
    assert runtime.ran == ["spy"]


def test_a_policy_that_is_no_guard_and_breaks_is_a_failure_like_any_other() -> None:
    decision = decide([hook("test.broken-audit", handler=Builtin(BrokenAudit()))], TableRuntime({}))
    assert decision.kind is Kind.NONE
    assert "ZeroDivisionError" in decision.warnings[0]


class FactsOfInput(TableRuntime):
    """A runtime whose facts tell which command they are about."""

    def __init__(self, says: dict[str, Says]) -> None:
        super().__init__(says)
        self.gathered: list[str] = []

    async def gather_facts(self, call: Call, needs: frozenset[str]) -> Facts:
        self.gathered.append(call.event.tool.command)
        return Facts(root=call.event.tool.command)


def test_facts_are_about_the_call_as_it_is_when_a_policy_looks() -> None:
    runtime = FactsOfInput({"turns": lambda seen: rewrite({"command": "rm"}, "x") if seen["command"] == "ls" else None})
    policy = Builtin(WantsOwnFacts())
    hooks = [
        hook("test.own-facts", 10, handler=policy),
        hook("turns", 20),
        hook("test.own-facts#2", 30, handler=policy),
    ]
    assert decide(hooks, runtime).kind is Kind.REWRITE
    assert runtime.gathered == ["ls", "rm"]


def test_facts_are_not_gathered_again_when_no_policy_looks_any_more() -> None:
    runtime = FactsOfInput({"turns": append("-a")})
    once = hook("test.own-facts", 10, handler=Builtin(WantsOwnFacts()), recheck=False)
    decide([once, hook("turns", 20)], runtime)
    assert runtime.gathered == ["ls"]


def test_a_permission_for_an_older_input_is_none_for_what_became_of_it() -> None:
    """Law: the verdict on a rewritten call is at least as strict as on the same call made directly."""
    kind: Says = lambda seen: allow("harmless") if seen["command"] == "ls" else None  # noqa: E731
    runtime = TableRuntime({"kind": kind, "turns": append("-a")})
    decision = decide([hook("kind", 10), hook("turns", 20)], runtime)
    assert (decision.kind, decision.allowed) == (Kind.REWRITE, False)
    again = TableRuntime({"kind": allow("all is well"), "turns": append("-a")})
    assert decide([hook("kind", 10), hook("turns", 20)], again).allowed


def test_a_hook_whose_conditions_hold_for_the_rewritten_input_only_is_asked_too() -> None:
    """Law: as above."""
    concerned = hook("notes", 10, matcher="Read", match=Match(file_patterns=("*.key",)))
    turns: Says = lambda seen: rewrite({"file_path": "/p/a.key"}, "x") if seen["file_path"] != "/p/a.key" else None  # noqa: E731
    runtime = TableRuntime({"notes": deny("keys are private"), "turns": turns})
    about = call(tool_name="Read", tool_input={"file_path": "/p/a.txt"})
    decision = decide([concerned, hook("turns", 20, matcher="Read")], runtime, about)
    assert (decision.kind, decision.by) == (Kind.DENY, "notes")
    assert runtime.ran == ["turns", "notes"]


choices: st.SearchStrategy[Outcome] = st.sampled_from(
    [None, deny("no"), ask("?"), allow(), advise("x"), Failure(Fault.CRASH, "crash"), Verdict()]
)


@given(st.lists(choices, max_size=6))
def test_deny_wins_in_any_chain(outcomes: list[Outcome]) -> None:
    """Law: deny wins."""
    names = [f"h{number}" for number in range(len(outcomes))]
    runtime = TableRuntime(dict(zip(names, outcomes, strict=True)))
    decision = decide([hook(name, number) for number, name in enumerate(names)], runtime)
    denies = [
        name for name, said in zip(names, outcomes, strict=True) if isinstance(said, Verdict) and said.says is Kind.DENY
    ]
    assert (decision.kind is Kind.DENY) == bool(denies)
    if denies:
        assert runtime.ran == names[: names.index(denies[0]) + 1]


@given(st.lists(st.tuples(st.sampled_from(["append", "forbid"]), st.sampled_from("abc")), max_size=5))
def test_no_order_of_rewrites_gets_a_forbidden_word_out(chain: list[tuple[str, str]]) -> None:
    """Law: whatever was rewritten by whom, no guard's forbidden word is in the input that leaves."""
    behaviours = {
        f"h{number}": (append if verb == "append" else forbid)(word) for number, (verb, word) in enumerate(chain)
    }
    decision = decide([hook(name, number) for number, name in enumerate(behaviours)], TableRuntime(behaviours))
    forbidden = {word for verb, word in chain if verb == "forbid"}
    if decision.kind is not Kind.DENY and decision.input:
        assert not forbidden & set(str(decision.input["command"]).split()[1:])


class _Flip(Policy):
    """Rewrites for ever.

    ## What it does
    Nothing good.
    ## Why
    To be stopped.
    """

    id = "test.flip"
    events = (PreToolUse,)

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        return rewrite({"command": f"{event.tool.command}{self.id[-1]}"}, "flip")


class FlipA(_Flip):
    """Adds an a.

    ## What it does
    Nothing good.
    ## Why
    To be stopped.
    """

    id = "test.flip-a"


class FlipB(_Flip):
    """Adds a b.

    ## What it does
    Nothing good.
    ## Why
    To be stopped.
    """

    id = "test.flip-b"


class Broken(Policy):
    """Always fails.

    ## What it does
    Divides by zero.
    ## Why
    To be survived.
    """

    id = "test.broken"
    events = (PreToolUse,)

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        raise ZeroDivisionError("on purpose")


class BrokenAudit(Broken):
    """Always fails, and guards nothing.

    ## What it does
    Divides by zero.
    ## Why
    To be survived.
    """

    id = "test.broken-audit"
    priority = 45


class Quiet(Policy):
    """Never says anything.

    ## What it does
    Nothing.
    ## Why
    To cost nothing.
    """

    id = "test.quiet"
    events = (PreToolUse,)

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        return None


class WantsOwnFacts(Policy):
    """Denies when the facts are about another command.

    ## What it does
    Compares.
    ## Why
    To see whose facts it is given.
    """

    id = "test.own-facts"
    events = (PreToolUse,)

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        return deny(f"facts about {facts.root}") if facts.root != event.tool.command else None


def test_hooks_that_observe_are_asked_after_a_deny_and_change_nothing() -> None:
    """S2-035"""
    says: dict[str, Says] = {
        "guard": deny("no"),
        "rewriter": append("-a"),
        "denier": deny("me too"),
        "spy": allow("yes"),
    }
    runtime = TableRuntime(says)
    names = ("rewriter", "denier", "spy")
    hooks = [hook("guard", 20), *(hook(name, 30, blocking=False) for name in names), hook("late", 50)]
    decision = decide(hooks, runtime)
    assert runtime.ran == ["guard", "denier", "rewriter", "spy"]
    assert (decision.kind, decision.by, decision.reason, decision.input) == (Kind.DENY, "guard", "no", None)
    assert [step.phase for step in decision.trace] == ["run", "run", "run", "run", "skipped"]


def test_a_decision_counts_from_every_hook_that_is_awaited() -> None:
    """S2-035: `blocking` says what a failure means, nothing else."""
    decision = decide([hook("spy", blocking=False)], TableRuntime({"spy": deny("no")}))
    assert (decision.kind, decision.by) == (Kind.DENY, "spy")
    failed = decide([hook("spy", blocking=False)], TableRuntime({"spy": Failure(Fault.CRASH, "exit code 1")}))
    assert failed.kind is Kind.NONE and "went on without it" in failed.warnings[0]


def test_a_hook_that_observes_leaves_time_for_those_that_decide() -> None:
    """Law: no slow hook turns a deny into anything else."""
    runtime = TableRuntime({})
    runtime.deadline = time.monotonic() + 1000
    watching = [hook(name, number, blocking=False, timeout=3600) for name, number in (("before", 10), ("after", 30))]
    decide([*watching, hook("guard", 20, timeout=3600)], runtime)
    assert 300 < runtime.timeouts["before"] <= 500 < runtime.timeouts["guard"] <= 1000
    assert 500 < runtime.timeouts["after"] <= 1000
