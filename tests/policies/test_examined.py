"""Commands that were written by people who had not seen the policies: what every user wants stopped, and daily work."""

import json
from pathlib import Path

import pytest

from synaptic.model.decision import Kind
from synaptic.model.event import PreToolUse
from synaptic.model.project import Git
from synaptic.policies.base import load_policies
from synaptic.policies.facts import Facts, with_command

CORPUS = Path(__file__).parents[1] / "corpus" / "examined.jsonl"
ROOT = "/home/dev/app"
FACTS = Facts(root=ROOT, home="/home/dev", repositories={ROOT: Git(branch="feature", main=ROOT)})
GUARDS = [
    kind()
    for kind in load_policies().values()
    if PreToolUse in kind.events and kind.preset == "essentials" and (not kind.tools or "Bash" in kind.tools)
]
ROWS = [json.loads(line) for line in CORPUS.read_text(encoding="utf-8").splitlines()]
TOPICS = sorted({row["topic"] for row in ROWS})


def said(command: str) -> dict[str, Kind]:
    event = PreToolUse(hook_event_name="PreToolUse", cwd=ROOT, tool_name="Bash", tool_input={"command": command})
    facts = with_command(FACTS, event)
    verdicts = ((policy.id, policy.check(event, facts)) for policy in GUARDS)
    return {name: verdict.kind for name, verdict in verdicts if verdict is not None}


@pytest.mark.parametrize("topic", TOPICS)
def test_what_everybody_wants_stopped_is_stopped(topic: str):
    rows = [row["cmd"] for row in ROWS if row["topic"] == topic and row["expect"] == "block"]
    assert [command for command in rows if not said(command)] == []


@pytest.mark.parametrize("topic", TOPICS)
def test_daily_work_is_left_alone(topic: str):
    rows = [row["cmd"] for row in ROWS if row["topic"] == topic and row["expect"] == "allow"]
    stopped = {command: said(command) for command in rows}
    assert {command: found for command, found in stopped.items() if set(found.values()) - {Kind.REWRITE}} == {}
