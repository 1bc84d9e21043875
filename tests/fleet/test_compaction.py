"""A full context, from the agent's event to its next process: the hook asks, the supervisor ends and starts."""

import json
import time

import pytest

from tests.fleet.hosts import Fleet

AGENT = """
import json, os, subprocess, sys, time
def event(name, **fields):
    session = f"host-{os.getpid()}"
    payload = {"session_id": session, "cwd": os.getcwd(), "hook_event_name": name, **fields}
    done = subprocess.run([os.environ["DISPATCH"], name], input=json.dumps(payload).encode(), capture_output=True)
    return done.stdout.decode()
heard = event("SessionStart", source="startup")
with open(os.environ["STARTS"], "a") as file:
    file.write(json.dumps({"pid": os.getpid(), "argv": sys.argv[1:], "heard": heard}) + "\\n")
if len(sys.argv) == 2:
    if left := os.environ.get("LEAVES"):
        shell = {**os.environ, "CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": f"host-{os.getpid()}"}
        words = [sys.executable, "-m", "synaptic.cli.main", "effort", "dehydrate"]
        subprocess.run(words, input=left.encode(), env=shell, check=True, stdout=subprocess.DEVNULL)
    event(os.environ.get("THEN", "PreCompact"), trigger=sys.argv[1], custom_instructions="", stop_hook_active=False)
time.sleep(60)
"""
PAYLOAD = json.dumps({"summary": "half of the cart", "lastAction": "cart.py", "nextSteps": ["tests"]})


@pytest.fixture
def at_work(fleet: Fleet) -> Fleet:
    fleet.arms()
    fleet.host.write_text(AGENT)
    started = fleet.types("effort", "start", "cart", "--skill", "implement", env={"AGENT_ID": "a"})
    assert started.returncode == 0, started.stderr
    return fleet


def run(fleet: Fleet, trigger: str) -> None:
    fleet.run("a", fleet.program(), trigger, DISPATCH=str(fleet.home.dispatch))


def test_without_a_hand_over_the_next_process_is_told_of_the_effort(at_work: Fleet):
    """S3-109, S3-191, S3-245: the hook's process kills nobody, the supervisor does."""
    run(at_work, "auto")
    first, second = at_work.started("a", 2)
    assert first["argv"] == ["auto"]
    assert len(second["argv"]) == 2
    assert "implement" in second["argv"][1]
    assert "implement" in second["heard"]
    time.sleep(0.5)
    assert len(at_work.starts("a")) == 2


@pytest.mark.parametrize("then", ["PreCompact", "Stop"])
def test_with_one_the_next_process_is_told_what_it_says(at_work: Fleet, then: str):
    """S3-190, S3-191, S3-240: left by the first process from its own shell; told to the second, and to no third."""
    at_work.run("a", at_work.program(), "auto", DISPATCH=str(at_work.home.dispatch), LEAVES=PAYLOAD, THEN=then)
    first, second = at_work.started("a", 2)
    assert "half of the cart" not in first["heard"]
    assert "half of the cart" in second["heard"]
    assert "implement" in second["argv"][1]
    one = "SELECT count(*) FROM sessions WHERE dehydration_payload IS NOT NULL AND handed_over_at IS NOT NULL"
    assert at_work.store.read(lambda connection: connection.execute(one).fetchone()[0]) == 1
    time.sleep(0.5)
    assert len(at_work.starts("a")) == 2


def test_a_compaction_that_the_user_asked_for_ends_nothing(at_work: Fleet):
    """S3-109"""
    run(at_work, "manual")
    at_work.started("a")
    time.sleep(1.0)
    assert len(at_work.starts("a")) == 1
