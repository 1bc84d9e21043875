"""What the hooks of the layers are given and what they answer, clause by clause."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from synaptic.work.beginnings import StartEffort
from synaptic.work.command import Caller, CommandContext
from synaptic.work.efforts import MoveToPhase
from tests.daemon.fleet import HOOKS, Fleet
from tests.daemon.one_engine import OneEngine, one_engine
from tests.daemon.setting import Setting, specific
from tests.daemon.test_skill_starts import describe

OPTIONAL: Mapping[str, Mapping[str, Any]] = {
    "sessionStart": {"model": "claude-x", "agent_type": "planner"},
    "preCompact": {"custom_instructions": "keep the plan"},
    "postToolUseFailure": {"is_interrupt": True},
    "notification": {"title": "Look"},
    "permissionRequest": {"permission_suggestions": [{"type": "addRules"}]},
    "taskCompleted": {"task_description": "all of it", "teammate_name": "W2", "team_name": "shop"},
    "configChange": {"file_path": "/s/fix/SKILL.md"},
}
"""What an event may have beyond what it must."""
BASE = {"transcript_path": "/t.jsonl", "permission_mode": "plan"}
STARTED = {"found", "effortId", "sessionId", "skill", "phase", "filesToPreload", "dehydratedContext", "skillConfig"}


@pytest.fixture
def fleet(setting: Setting) -> Iterator[Fleet]:
    made = Fleet(setting)
    yield made
    made.store.close()


@pytest.fixture
def engine(fleet: Fleet) -> Iterator[OneEngine]:
    with one_engine(fleet) as made:
        yield made


def to_camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(part.capitalize() for part in rest)


@pytest.mark.parametrize("name", HOOKS)
def test_every_field_arrives_by_the_agents_spelling_of_it(fleet: Fleet, engine: OneEngine, name: str) -> None:
    """S3-060, S3-061, S3-101: the five of all events and its own, optional ones too; an input's own stay."""
    fleet.open(fleet.effort(), host="h1")
    sent = fleet.params(name, **BASE, **OPTIONAL.get(name, {}))
    if "tool_input" in sent:
        sent["tool_input"] = {"file_path": "/x", "filePath": "/y"}
    engine.send(name, sent)
    engine.send(name, {to_camel(key): value for key, value in sent.items()})
    known = {key: value for key, value in sent.items() if value is not None}
    for entry in fleet.setting.entries(2):
        assert entry.payload is not None
        kept = json.loads(entry.payload)
        assert {key: kept.get(key) for key in known} == known
        assert (entry.session, entry.event) == ("h1", sent["hook_event_name"])


@pytest.mark.parametrize("source", ["startup", "resume", "clear", "compact"])
def test_a_window_is_new_whatever_it_was_opened_by(fleet: Fleet, engine: OneEngine, source: str) -> None:
    """S3-002, S3-101, S3-103: also one that its agent calls resumed, under the id that it had."""
    effort = fleet.effort()
    first = engine.call("sessionStart")["sessionId"]
    second = engine.call("sessionStart", source=source, model="claude-x", agent_type="planner")["sessionId"]
    sql = "SELECT json_array(effort_id, prev_session_id, model, heartbeat_counter, ended_at) FROM sessions WHERE id = ?"
    assert json.loads(fleet.one(sql, second)) == [effort, first, "claude-x", 0, None]
    assert fleet.ended(first)
    assert fleet.one("SELECT count(*) FROM sessions") == 2


def test_a_start_tells_all_that_the_effort_has(fleet: Fleet, engine: OneEngine) -> None:
    """S3-102, S3-195: phase, skill, and the files with their text."""
    folder = describe(fleet)
    context = CommandContext(fleet.store, Caller(root=fleet.root, cwd=fleet.root))
    effort = StartEffort(task="cart", skill="implement").run(context).effort
    MoveToPhase(effort_id=effort.id, phase="0: Plan").run(context)
    answer = engine.call("sessionStart")
    assert answer.keys() >= STARTED
    assert (answer["found"], answer["effortId"], answer["skill"]) == (True, effort.id, "implement")
    assert (answer["phase"], answer["dehydratedContext"]) == ("0: Plan", None)
    assert answer["filesToPreload"] == [str(folder / "LOG.md")]
    assert answer["skillConfig"]["phases"] == ["0: Plan", "1: Build"]
    told = answer["hookSpecificOutput"]["additionalContext"]
    assert "Phase: 0: Plan" in told
    assert f"[Preloaded: {folder}/LOG.md]\n## [time] What" in told
    assert engine.call("userPrompt")["phase"] == "0: Plan"


def test_a_skill_whose_file_has_changed_is_told_as_it_is_now(fleet: Fleet, engine: OneEngine) -> None:
    """S3-102, S3-128, S3-131: what was known of it is dropped, and the effort goes on with the file's new words."""
    folder = describe(fleet)
    StartEffort(task="cart", skill="implement").run(
        CommandContext(fleet.store, Caller(root=fleet.root, cwd=fleet.root))
    )
    file = folder / "SKILL.md"
    file.write_text(file.read_text().replace("TESTING", "CHECKLIST").replace('"test"', '"deploy"'))
    engine.call("sessionStart")
    engine.event("configChange", source="skills", file_path=str(file))
    assert fleet.count("skills") == 0
    for name in ("CHECKLIST.md", "TESTING.md"):
        Path(fleet.root, name).write_text("x")
    found = engine.call("postToolUse", tool_input={"file_path": f"{fleet.root}/a.py"})["discoveredDirectives"]
    assert [Path(path).name for path in found] == ["CHECKLIST.md"]
    assert engine.call("subagentStart")["logTemplate"] == str(folder / "LOG.md")
    after = engine.call("sessionStart", session_id="h2")
    assert (after["skillConfig"]["nextSkills"], after["skillConfig"]["directives"]) == (["deploy"], ["CHECKLIST"])
    assert str(folder / "LOG.md") in after["filesToPreload"]
    assert "Next skills: deploy" in after["hookSpecificOutput"]["additionalContext"]


@pytest.mark.parametrize("text", ["```json\n{broken\n```\n", None])
def test_a_skill_whose_file_is_broken_or_gone_keeps_no_window_from_opening(
    fleet: Fleet, engine: OneEngine, text: str | None
) -> None:
    """S3-009, S3-131"""
    file = describe(fleet) / "SKILL.md"
    StartEffort(task="cart", skill="implement").run(
        CommandContext(fleet.store, Caller(root=fleet.root, cwd=fleet.root))
    )
    file.unlink() if text is None else file.write_text(text)
    engine.event("configChange", source="skills", file_path=str(file))
    answer = engine.call("sessionStart")
    assert (answer["found"], answer["skillConfig"]) == (True, None)
    assert answer["sessionId"] is not None


def test_a_call_is_judged_in_the_seeds_order(fleet: Fleet, engine: OneEngine) -> None:
    """S3-110, S3-140, S3-141, S3-146, S3-149: bypass, count, limit, overflow, rules."""
    rule = {"ruleId": "often", "condition": {"field": "heartbeat_counter", "op": "gte", "value": 1}, "payload": "slow"}
    metadata = {"guards": [rule], "blockAfter": 2, "pendingPreloads": ["/docs/rules.md"]}
    session = fleet.open(fleet.effort(metadata=json.dumps(metadata)), host="h1")
    fleet.write("UPDATE sessions SET context_usage = 0.93 WHERE id = ?", session)
    show = {"tool_name": "Bash", "tool_input": {"command": "engine session show"}}
    bypassed, first, second = engine.call("preToolUse", **show), engine.call("preToolUse"), engine.call("preToolUse")
    assert (bypassed["allow"], bypassed["heartbeatCount"], bypassed["firedRules"]) == (True, 0, [])
    told = first.pop("hookSpecificOutput")["additionalContext"]
    assert first == {
        "allow": True,
        "heartbeatCount": 1,
        "contextUsage": 0.93,
        "overflowWarning": True,
        "pendingPreloads": ["/docs/rules.md"],
        "firedRules": [{"ruleId": "often", "payload": "slow"}],
    }
    assert told.index("synaptic effort dehydrate") < told.index("/docs/rules.md") < told.index("[Guard: often]")
    assert (second["allow"], second["heartbeatCount"], second["firedRules"]) == (False, 2, [])
    assert second["reason"].startswith("heartbeat-block")


def test_a_sub_agent_is_told_template_directives_and_metadata_of_the_effort(fleet: Fleet, engine: OneEngine) -> None:
    """S3-011, S3-128: in its own event, from what is stored."""
    describe(fleet)
    context = CommandContext(fleet.store, Caller(root=fleet.root, cwd=fleet.root))
    effort = StartEffort(task="cart", skill="implement").run(context).effort
    sql = "UPDATE efforts SET discovered_directives = ?, metadata = ? WHERE id = ?"
    fleet.write(sql, '["/p/src/PITFALLS.md"]', '{"ticket": "SHOP-7"}', effort.id)
    told = specific(engine.event("subagentStart"))["additionalContext"]
    assert f"Its entries look as in {fleet.root}/.claude/skills/implement/LOG.md" in told
    assert f"Its log is {fleet.root}/.tasks/cart/1_IMPLEMENT_LOG.md" in told
    assert "- /p/src/PITFALLS.md" in told
    assert '"ticket":"SHOP-7"' in told
    sql = "SELECT count(*) FROM sessions WHERE effort_id = ? AND subagent = 'sub1' AND ended_at IS NULL"
    assert fleet.one(sql, effort.id) == 1
