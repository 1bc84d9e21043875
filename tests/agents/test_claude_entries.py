import pytest

from synaptic.agents.claude.entries import build_entries
from synaptic.agents.shared.ours import EntryPlan, is_ours
from synaptic.model.errors import SettingsError
from synaptic.model.event import CLAUDE_EVENTS
from synaptic.model.hook import HttpEndpoint

DISPATCH = "/home/ann/.synaptic/bin/dispatch"
TOKEN = "0123456789abcdef" * 2
PLAN = EntryPlan(DISPATCH, TOKEN)
TOOL_EVENTS = {"PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionRequest", "PermissionDenied"}


def hook_of(event, plan=PLAN):
    (hook,) = build_entries(plan)[event]["hooks"]
    return hook


def test_every_event_but_the_worktree_ones_gets_one_entry():
    """S0-001, C-10: registering WorktreeCreate would break every worktree."""
    names = {kind.__name__ for kind in CLAUDE_EVENTS}
    assert set(build_entries(PLAN)) == names - {"WorktreeCreate", "WorktreeRemove"}
    assert len(build_entries(PLAN)) == 31


@pytest.mark.parametrize("event", ["PreToolUse", "PostToolUse"])
def test_a_tool_event_matches_all_and_calls_the_dispatcher_with_its_name(event):
    """S0-001, S0-015, S4-043, C-09: an absolute path, because nothing expands `~` in the exec form."""
    assert build_entries(PLAN)[event] == {
        "matcher": ".*",
        "hooks": [{"type": "command", "command": DISPATCH, "args": [event, f"--entry={TOKEN}"], "timeout": 600}],
    }


def test_only_tool_events_have_a_matcher():
    """S4-043; a matcher on FileChanged would define which files are watched."""
    assert {event for event, group in build_entries(PLAN).items() if "matcher" in group} == TOOL_EVENTS


def test_timeouts_are_seconds_and_short_where_a_person_waits():
    """S4-043"""
    short = {event: hook_of(event)["timeout"] for event in build_entries(PLAN) if hook_of(event)["timeout"] != 600}
    assert short == {
        "SessionEnd": 10, "UserPromptSubmit": 30, "MessageDisplay": 10, "PreModelSwitch": 30, "PostModelSwitch": 30,
    }  # fmt: skip


def test_fail_closed_blocks_on_guard_events_only():
    closed = build_entries(EntryPlan(DISPATCH, TOKEN, True))
    blocking = {event for event, group in closed.items() if group["hooks"][0].get("onFailure") == "block"}
    assert {"PreToolUse", "PermissionRequest", "UserPromptSubmit", "PreCompact", "ConfigChange"} <= blocking
    assert not blocking & {"PostToolUse", "Stop", "SessionStart", "SessionEnd", "Notification", "MessageDisplay"}
    assert not any("onFailure" in hook_of(event) for event in build_entries(PLAN))


def test_http_entries_carry_the_token_and_leave_two_events_to_the_dispatcher():
    endpoint = HttpEndpoint("http://127.0.0.1:7/hook/claude", {"Authorization": "Bearer t"})
    plan = EntryPlan(DISPATCH, TOKEN, http=endpoint)
    kinds = {event: hook_of(event, plan)["type"] for event in build_entries(plan)}
    assert [event for event, kind in kinds.items() if kind == "command"] == ["SessionStart", "Setup"]
    assert hook_of("Stop", plan) == {
        "type": "http",
        "url": f"http://127.0.0.1:7/hook/claude/Stop?synaptic-entry={TOKEN}",
        "headers": {"Authorization": "Bearer t"},
        "timeout": 600,
    }
    assert all(is_ours(hook_of(event, plan), DISPATCH) for event in build_entries(plan))


@pytest.mark.parametrize(
    "plan",
    [
        EntryPlan("bin/dispatch", TOKEN),
        EntryPlan("/x/${CLAUDE_PROJECT_DIR}/bin/dispatch", TOKEN),
        EntryPlan("/x/\udcff/bin/dispatch", TOKEN),
        EntryPlan(DISPATCH, "guessable"),
        EntryPlan(DISPATCH, TOKEN, http=HttpEndpoint("http://example.com/hook")),
        EntryPlan(DISPATCH, TOKEN, http=HttpEndpoint("http://127.0.0.1.example.com/hook")),
    ],
)
def test_an_entry_that_would_void_the_file_or_leave_the_machine_is_refused(plan):
    with pytest.raises(SettingsError):
        build_entries(plan)


@pytest.mark.parametrize(
    "hook",
    [
        {"type": "command", "command": DISPATCH, "args": ["Stop", "--entry=other"]},
        {"type": "command", "command": "/old/home/.synaptic/bin/dispatch", "args": ["Stop", "--entry=x"]},
        {"type": "command", "command": "~/.synaptic/bin/dispatch PreToolUse --entry=abc"},
        {"type": "command", "command": f"{DISPATCH} claude PreToolUse --entry=abc", "async": True},
        {"type": "command", "command": '"/a b/.synaptic/bin/dispatch" PreToolUse --entry=abc'},
        {"type": "http", "url": "http://127.0.0.1:9/hook/claude/Stop?synaptic-entry=abc"},
    ],
)
def test_older_sets_are_recognised(hook):
    assert is_ours(hook, DISPATCH)


@pytest.mark.parametrize(
    "hook",
    [
        None,
        "dispatch",
        {},
        {"type": "command", "command": 7},
        {"type": "command", "command": DISPATCH},
        {"type": "command", "command": f"{DISPATCH} PreToolUse"},
        {"type": "command", "command": DISPATCH, "args": ["Stop"]},
        {"type": "command", "command": "/usr/bin/dispatch", "args": ["Stop", "--entry=x"]},
        {"type": "command", "command": f"lint && {DISPATCH} PreToolUse --entry=abc"},
        {"type": "command", "command": f"{DISPATCH} PreToolUse --entry=abc; rest"},
        {"type": "http", "url": "http://127.0.0.1:9/hook?entry=abc"},
    ],
)
def test_what_somebody_else_wrote_is_not_ours(hook):
    """S0-003"""
    assert not is_ours(hook, DISPATCH)


def test_a_home_that_is_called_otherwise_is_known_by_its_own_path():
    hook = {"type": "command", "command": "/srv/syn/bin/dispatch", "args": ["Stop", "--entry=x"]}
    assert is_ours(hook, "/srv/syn/bin/dispatch")
    assert not is_ours(hook, DISPATCH)


def test_a_daemon_that_is_away_is_never_an_allow_over_http() -> None:
    plan = EntryPlan("/h/.synaptic/bin/dispatch", "0" * 32, http=HttpEndpoint("http://127.0.0.1:8377/hook/claude"))
    made = {event: group["hooks"][0] for event, group in build_entries(plan).items()}
    assert made["PreToolUse"]["onFailure"] == "block"
    assert "onFailure" not in made["PostToolUse"]
    assert (made["SessionStart"]["type"], made["PreToolUse"]["type"]) == ("command", "http")
