"""Hooks of somebody else in the settings: what can be taken over, and a text from which only they are gone."""

import json

import pytest
from hypothesis import given

from synaptic.cli.foreign import ForeignHook, cut_hooks, explain_refusal, find_foreign_hooks, translate_hook
from tests.agents import layouts

DISPATCH = "/home/me/.synaptic/bin/dispatch"


def one(hook: object, event: str = "PreToolUse", matcher: object = None) -> ForeignHook:
    return ForeignHook(event, 0, 0, matcher, hook)


@given(layouts.settings())
def test_what_is_cut_is_gone_and_everything_else_is_as_it_was(text: str):
    taken = [hook for hook in find_foreign_hooks(text, DISPATCH) if not explain_refusal(hook)]
    after = cut_hooks(text, taken)
    left = [(hook.event, hook.hook) for hook in find_foreign_hooks(after, DISPATCH)]
    assert left == [(hook.event, hook.hook) for hook in find_foreign_hooks(text, DISPATCH) if explain_refusal(hook)]
    before_rest, after_rest = (json.loads(document.removeprefix("\ufeff")) for document in (text, after))
    before_rest.pop("hooks", None)
    after_rest.pop("hooks", None)
    assert before_rest == after_rest


@given(layouts.settings())
def test_taking_nothing_changes_no_byte(text: str):
    assert cut_hooks(text, []) == text


@pytest.mark.parametrize(
    ("hook", "why"),
    [
        ({"type": "prompt", "prompt": "good?"}, "type 'prompt'"),
        ({"type": "agent", "prompt": "good?"}, "type 'agent'"),
        ({"type": "mcp_tool", "server": "s", "tool": "t"}, "type 'mcp_tool'"),
        ({"type": "command", "command": "x", "if": "Bash(git *)"}, "`if`"),
        ({"type": "command", "command": "x", "asyncRewake": True}, "`asyncRewake`"),
        ({"type": "command", "command": "x", "shell": "powershell"}, "powershell"),
        ({"type": "command", "command": "${CLAUDE_PLUGIN_ROOT}/x", "args": []}, "${...}"),
        ({"type": "http", "url": "https://example.com/hook"}, "not on this machine"),
        ({"type": "http", "url": "http://127.0.0.1:1/", "headers": {"a": "b"}}, "`headers`"),
        ("nonsense", "type None"),
    ],
)
def test_what_only_the_agent_can_run_stays_and_is_named(hook: object, why: str):
    assert why in explain_refusal(one(hook))


def test_events_that_never_reach_the_dispatcher_stay():
    hook = {"type": "command", "command": "x"}
    assert "dispatcher" in explain_refusal(one(hook, event="WorktreeCreate"))
    assert "watch" in explain_refusal(one(hook, event="FileChanged"))
    assert "regular expression" in explain_refusal(one(hook, matcher="("))


def test_a_command_becomes_a_native_hook():
    """S4-043, S4-044: matcher, timeout in seconds, async."""
    hook = {"type": "command", "command": "jq . | tee log", "timeout": 5, "async": True, "statusMessage": "..."}
    assert translate_hook(one(hook, matcher="Write|Edit"), "imported:PreToolUse:1") == {
        "id": "imported:PreToolUse:1",
        "event": "PreToolUse",
        "matcher": "Write|Edit",
        "skill": "imported",
        "command": "jq . | tee log",
        "blocking": False,
        "timeout": 5,
        "protocol": "native",
    }


@pytest.mark.parametrize(
    ("event", "matcher", "ours"),
    [
        ("PreToolUse", None, ".*"),
        ("PreToolUse", "*", ".*"),
        ("PreToolUse", "Write|Edit", "Write|Edit"),
        ("PreToolUse", "^mcp__", ".*(?:^mcp__).*"),
        ("Stop", "ignored there", ".*"),
    ],
)
def test_the_agent_searches_and_we_compare_the_whole(event: str, matcher: object, ours: str):
    assert translate_hook(one({"type": "command", "command": "x"}, event, matcher), "x")["matcher"] == ours


def test_words_of_the_exec_form_are_quoted():
    hook = {
        "type": "command",
        "command": "${CLAUDE_PROJECT_DIR}/a b.sh",
        "args": ["it's", "$HOME"],
        "onFailure": "block",
    }
    entry = translate_hook(one(hook), "x")
    assert entry["command"] == """''"${CLAUDE_PROJECT_DIR}"'/a b.sh' 'it'"'"'s' '$HOME'"""
    assert entry["on_error"] == "deny"
    assert entry["timeout"] == 600
