"""What is noted of a session, and what is not."""

from synaptic.hooks.rules.keeper import KEEPER_ID, make_keeper_hook
from synaptic.hooks.rules.marks import ENDED_WELL, MARKS
from synaptic.model.event import PostToolUse, PostToolUseFailure, UserPromptSubmit
from synaptic.model.hook import Builtin
from synaptic.policies.facts import Facts, read_command
from tests.hooks.rules.made import ROOT, make_rules

RULES = make_rules(
    {"run": "git commit", "before": ["tests ran", "ran make check"], "after": "edited src/**"},
    {"run": "git push", "after": ["read docs/**", "used WebSearch", "deleted *.py", "wrote out/**"]},
)


def note(event_type: type, tool: str, given: dict[str, object], **fields: object) -> set[str]:
    (hook,) = make_keeper_hook(RULES)
    assert isinstance(hook.handler, Builtin)
    event = event_type(hook_event_name=event_type.__name__, cwd=ROOT, tool_name=tool, tool_input=given, **fields)
    facts = Facts(root=ROOT, now=5.0, command=read_command(event, ROOT, "/home/dev"))
    verdict = hook.handler.policy.check(event, facts)
    if verdict is None:
        return set()
    (change,) = verdict.effects
    assert change.section == MARKS
    return {key.removeprefix(f"{ROOT}: ") for key in change.put}


def bash(command: str, event_type: type = PostToolUse, **fields: object) -> set[str]:
    return note(event_type, "Bash", {"command": command}, **fields)


def both(text: str) -> set[str]:
    return {text, text + ENDED_WELL}


def test_what_rules_ask_about_is_noted() -> None:
    assert bash("pytest") == both("tests ran")
    assert bash("make check") == both("ran make check") | both("tests ran")
    assert bash("echo x > src/a") == both("edited src/**")
    assert note(PostToolUse, "Edit", {"file_path": f"{ROOT}/src/a"}) == both("edited src/**")
    assert note(PostToolUse, "Read", {"file_path": f"{ROOT}/docs/a"}) == both("read docs/**")
    assert note(PostToolUse, "WebSearch", {"query": "x"}) == both("used WebSearch")
    assert bash("rm a.py; mkdir -p out/x") == both("deleted *.py") | both("wrote out/**")
    assert bash("ls") == set()


def test_what_failed_is_only_half_noted() -> None:
    assert bash("pytest", PostToolUseFailure, error="1") == {"tests ran"}
    assert bash("pytest", tool_response={"exit_code": 1}) == {"tests ran"}
    assert bash("pytest", tool_response={"interrupted": True}) == {"tests ran"}
    assert note(PostToolUse, "Bash", {"command": "pytest", "run_in_background": True}) == {"tests ran"}
    assert bash("echo x > src/a", PostToolUseFailure, error="1") == {"edited src/**"}


def test_there_is_no_keeper_where_no_rule_asks() -> None:
    assert make_keeper_hook(make_rules({"run": "git push"})) == ()
    (hook,) = make_keeper_hook(RULES)
    assert (hook.id, hook.events) == (KEEPER_ID, ("PostToolUse", "PostToolUseFailure"))


def test_prompts_are_noted_only_for_reminders_of_each_prompt() -> None:
    (hook,) = make_keeper_hook(make_rules({"run": "git push", "then": "remind", "once": "prompt"}))
    assert hook.events == ("UserPromptSubmit",)
    assert isinstance(hook.handler, Builtin)
    check = hook.handler.policy.check
    typed = UserPromptSubmit(prompt="go on")
    assert check(typed, Facts(now=1.0)).effects[0].put == {"prompted": 1.0}
    assert check(UserPromptSubmit(prompt="<task-notification>x"), Facts(now=1.0)) is None
