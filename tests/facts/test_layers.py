"""Where an event belongs, and what a new window can take over."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from synaptic.facts import layers as facts
from synaptic.facts.gather import EngineMeans
from synaptic.model.call import Call
from synaptic.model.event import EVENTS
from synaptic.model.home import Home
from synaptic.model.layers import Discovered, HandOver, Layers, SetStatus
from synaptic.runners.execute import HookRunners
from synaptic.store import lease
from tests.store.layered import Layered


@pytest.fixture
def layered(tmp_path: Path):
    root = tmp_path / "shop"
    root.mkdir()
    made = Layered(Home(tmp_path / "home"), str(root))
    made.means = EngineMeans(made.store, HookRunners(tmp_path / "spool"))
    yield made
    made.store.close()


def ask(
    gather: Any, layered: Layered, event: str = "PreToolUse", id: str = "c1", env: Any = None, **fields: Any
) -> Any:
    fields = {"hook_event_name": event, "cwd": layered.root, "session_id": "w", **fields}
    about = Call(id, "claude", EVENTS[event](**fields), fields, root=layered.root, at=1000.0, env=env or {})
    return asyncio.run(gather(about, layered.means))


def test_calls_that_are_being_decided_are_counted_in(layered):
    """No tenth call slips through beside the ninth."""
    layered.open(layered.effort(), host="w")
    counts = [ask(facts.gather_layers, layered, id=f"c{number}").session.heartbeat for number in range(3)]
    assert counts == [0, 1, 2]
    for number in range(3):
        layered.means.reservations.release(f"c{number}")
    assert ask(facts.gather_layers, layered, id="c9").session.heartbeat == 0


def test_facts_that_are_gathered_again_count_nothing_twice(layered):
    """After a rewrite: neither the call itself nor those that came after it are ahead of it."""
    layered.open(layered.effort(), host="w")
    counts = [ask(facts.gather_layers, layered, id=id).session.heartbeat for id in ("a", "b", "c", "b", "a")]
    assert counts == [0, 1, 2, 1, 0]
    layered.means.reservations.release("a")
    assert ask(facts.gather_layers, layered, id="b").session.heartbeat == 0
    log = {"tool_name": "Bash", "tool_input": {"command": "synaptic effort log x"}}
    ask(facts.gather_layers, layered, id="b", **log)
    assert ask(facts.gather_layers, layered, id="c").session.heartbeat == 0, "b has become a call that is not counted"


def test_only_calls_of_the_same_session_are_counted_in(layered):
    effort = layered.effort()
    layered.open(effort, host="w")
    layered.open(effort, host="w", subagent="s1")
    ask(facts.gather_layers, layered, id="main")
    assert ask(facts.gather_layers, layered, id="own", agent_id="s1").session.heartbeat == 0
    assert ask(facts.gather_layers, layered, "PostToolUse", id="post").session.heartbeat == 0


def test_the_name_of_an_agent_comes_from_its_environment(layered):
    """S3-046"""
    assert ask(facts.gather_agent_name, layered, env={"AGENT_ID": "A"}) == "A"
    assert ask(facts.gather_agent_name, layered, env={"AGENT_ID": "default"}) == ""
    first = layered.effort("a")
    layered.effort("b")
    layered.bind("A", first)
    assert ask(facts.gather_layers, layered, env={"AGENT_ID": "A"}).effort.id == first


def test_a_database_that_cannot_be_read_is_no_reason_to_fail(layered):
    """S3-070"""
    layered.store.close()
    assert ask(facts.gather_layers, layered) == Layers()
    assert ask(facts.gather_hand_over, layered, "SessionStart") == HandOver()
    assert ask(facts.gather_directives, layered, "PostToolUse") == ()
    assert ask(facts.gather_teammate, layered, "TeammateIdle", teammate_name="x") == ""


def finished(layered: Layered, payload: dict[str, object]) -> int:
    session = layered.open(layered.effort(), host="before")
    sql = "UPDATE sessions SET dehydration_payload = ?, ended_at = 1 WHERE id = ?"
    layered.write(sql, json.dumps(payload), session)
    return session


def test_what_the_window_before_left_is_there_with_the_files_it_needs(layered):
    """S3-104, S3-191, S3-193"""
    root = Path(layered.root)
    (root / "src").mkdir()
    (root / "src" / "a.py").write_text("x = 1\n")
    session = finished(layered, {"summary": "s", "requiredFiles": ["src/a.py", "gone.md"]})
    found = ask(facts.gather_hand_over, layered, "SessionStart")
    assert found.previous.id == session
    assert json.loads(found.payload)["summary"] == "s"
    assert found.files == {"src/a.py": "x = 1\n", "gone.md": None}
    layered.open(1, follows=session)
    assert ask(facts.gather_hand_over, layered, "SessionStart").payload is None


def test_required_files_are_few_and_short(layered):
    """S3-192, S3-193"""
    root = Path(layered.root)
    (root / "long.md").write_text("y" * 60_000)
    names = ["long.md", *(f"f{number}" for number in range(12))]
    finished(layered, {"requiredFiles": names})
    found = ask(facts.gather_hand_over, layered, "SessionStart").files
    assert len(found) == 8
    assert len(found["long.md"]) == 50_000


def test_a_required_file_that_leads_to_a_secret_by_now_is_not_read(layered, tmp_path):
    """S3-192: policies were asked about the file when it was handed over, and a link can be made after that."""
    root, key = Path(layered.root), tmp_path / ".ssh" / "id_ed25519"
    key.parent.mkdir()
    key.write_text("the key of the user")
    (root / "notes.md").write_text("plain")
    (root / "token.md").write_text("ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2)
    finished(layered, {"requiredFiles": ["notes.md", "token.md"]})
    assert ask(facts.gather_hand_over, layered, "SessionStart").files["notes.md"] == "plain"
    (root / "notes.md").unlink()
    (root / "notes.md").symlink_to(key)
    found = ask(facts.gather_hand_over, layered, "SessionStart").files
    assert found["notes.md"] is None
    assert found["token.md"] == "ghp_[redacted:github-token]"


@pytest.mark.parametrize("payload", ["not json", "[]", '{"requiredFiles": 7}', '{"requiredFiles": [1, null]}'])
def test_a_payload_that_makes_no_sense_needs_no_files(layered, payload):
    session = layered.open(layered.effort())
    layered.write("UPDATE sessions SET dehydration_payload = ? WHERE id = ?", payload, session)
    assert ask(facts.gather_hand_over, layered, "SessionStart").files == {}


def test_artifacts_are_the_efforts_and_debriefs_those_before_it(layered):
    """S3-012, S3-195"""
    layered.finish(layered.effort("cart", "brainstorm"))
    layered.effort("cart", "implement")
    folder = Path(layered.root) / ".tasks" / "cart"
    folder.mkdir(parents=True)
    for name in (
        "1_BRAINSTORM.md",
        "1_BRAINSTORM_LOG.md",
        "2_IMPLEMENT_LOG.md",
        "2_IMPLEMENT_PLAN.md",
        ".hidden.md",
        "x",
    ):
        (folder / name).write_text("x")
    found = ask(facts.gather_hand_over, layered, "SessionStart")
    assert [Path(path).name for path in found.artifacts] == ["2_IMPLEMENT_LOG.md", "2_IMPLEMENT_PLAN.md"]
    assert [Path(path).name for path in found.debriefs] == ["1_BRAINSTORM.md"]


def read(layered: Layered, gather: Any, path: str) -> Any:
    return ask(gather, layered, "PostToolUse", tool_name="Read", tool_input={"file_path": path})


def test_directives_are_found_from_the_file_upwards_once(layered):
    """S3-160, S3-161, S3-162"""
    root = Path(layered.root)
    (root / "src" / ".directives").mkdir(parents=True)
    (root / "src" / ".directives" / "PITFALLS.md").write_text("x")
    (root / "src" / "AGENTS.md").write_text("x")
    (root / "AGENTS.md").write_text("x")
    (root / "node_modules" / "m").mkdir(parents=True)
    (root / "node_modules" / "m" / "AGENTS.md").write_text("x")
    effort = layered.effort()
    path = f"{root}/src/a.py"
    found = read(layered, facts.gather_directives, path)
    assert [str(Path(one).relative_to(root)) for one in found] == [
        "src/AGENTS.md",
        "src/.directives/PITFALLS.md",
        "AGENTS.md",
    ]
    folders = read(layered, facts.gather_directive_folders, path)
    assert folders == (f"{root}/src", str(root))
    layered.do(Discovered(effort=effort, directives=found, directories=folders))
    assert read(layered, facts.gather_directives, path) == ()
    assert read(layered, facts.gather_directives, f"{root}/node_modules/m/x.js") == ()
    assert read(layered, facts.gather_directives, "/etc/passwd") == ()


def test_an_agent_is_supervised_while_somebody_holds_its_lease(layered):
    """S3-109"""
    home = layered.store.path.parent
    env = {"AGENT_ID": "A"}
    assert not ask(facts.gather_supervised, layered, "PreCompact", env=env)
    held = lease.take_lease(home, "A")
    assert held is not None
    assert ask(facts.gather_supervised, layered, "PreCompact", env=env)
    assert not ask(facts.gather_supervised, layered, "PreCompact", env={"AGENT_ID": "B"})
    assert not ask(facts.gather_supervised, layered, "PreCompact")


def test_a_teammate_is_known_by_its_label_and_works_for_its_parent(layered):
    """S3-126"""
    layered.do(SetStatus(agent="pane-2", status="working", label="W2"))
    layered.write("UPDATE agents SET parent = 'boss'")
    assert ask(facts.gather_teammate, layered, "TeammateIdle", teammate_name="W2") == "pane-2"
    assert ask(facts.gather_coordinator, layered, "TeammateIdle", teammate_name="W2") == "boss"
    assert (
        ask(facts.gather_coordinator, layered, "TeammateIdle", teammate_name="W9", env={"AGENT_PARENT": "lead"})
        == "lead"
    )
    assert ask(facts.gather_teammate, layered, "TeammateIdle") == ""
