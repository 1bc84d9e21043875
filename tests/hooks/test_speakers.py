"""Policies that name the programs they speak about are asked only about those, and would say nothing else."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from synaptic.hooks.speakers import PolicySpeakers
from synaptic.model.event import PreToolUse
from synaptic.model.project import Git
from synaptic.policies.base import Policy, load_policies
from synaptic.policies.cases import load_cases
from synaptic.policies.facts import Facts, with_command
from synaptic.shell.reading import CommandReading

CORPUS = Path(__file__).parents[1] / "corpus"
ROOT = "/home/dev/app"
FACTS = Facts(root=ROOT, home="/home/dev", repositories={ROOT: Git(branch="main", main=ROOT)})
NAMED = tuple(kind() for kind in load_policies().values() if kind.speaks_of is not None)
SPEAKERS = PolicySpeakers(NAMED)


def make_event(command: str) -> PreToolUse:
    return PreToolUse(hook_event_name="PreToolUse", cwd=ROOT, tool_name="Bash", tool_input={"command": command})


def iter_commands() -> Iterator[str]:
    """The corpora, and whatever makes any policy speak."""
    for name in ("commands", "examined"):
        for line in (CORPUS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
            yield json.loads(line)["cmd"]
    for kind in load_policies().values():
        yield from (case.bash for case in load_cases(kind) if case.bash)


def find_unasked(command: str) -> list[str]:
    """The policies that would have spoken about a command and are not asked."""
    event = make_event(command)
    facts = with_command(FACTS, event)
    asked = SPEAKERS.find_speakers(event, facts)
    return [policy.id for place, policy in enumerate(NAMED) if place not in asked and policy.check(event, facts)]


def test_nobody_who_would_speak_is_left_out() -> None:
    """Issue 14: the speed lines stay, and no verdict with them changes."""
    found = {command: unasked for command in iter_commands() if (unasked := find_unasked(command))}
    assert found == {}


@pytest.mark.parametrize("policy", NAMED, ids=lambda policy: policy.id)
def test_a_call_without_a_command_is_none_of_their_business(policy: Policy) -> None:
    event = PreToolUse(hook_event_name="PreToolUse", cwd=ROOT, tool_name="Write", tool_input={"file_path": "/etc/x"})
    assert policy.check(event, FACTS) is None
    assert list(SPEAKERS.find_speakers(event, FACTS)) == []


def test_a_command_that_no_reader_understands_is_put_to_everybody(monkeypatch: pytest.MonkeyPatch) -> None:
    """A guard that fails is a question, so it has to be asked."""

    def fail(reading: CommandReading) -> frozenset[str]:
        raise RecursionError

    monkeypatch.setattr(CommandReading, "git_verbs", property(fail))
    event = make_event("git push")
    asked = SPEAKERS.find_speakers(event, with_command(FACTS, event))
    assert list(asked) == list(range(len(NAMED)))


def test_few_words_select_few_policies() -> None:
    def ask(command: str) -> set[str]:
        event = make_event(command)
        return {NAMED[place].id for place in SPEAKERS.find_speakers(event, with_command(FACTS, event))}

    assert ask("ls -l") == set()
    assert ask("git push -f") >= {"git.force-push", "git.remote-deletion", "git.hidden-alias"}
    assert "git.stash-loss" not in ask("git push -f")
    assert ask("git stash drop; rm -rf x") >= {"git.stash-loss", "files.recursive-deletion"}
    assert "infra.publishing" in ask("python3 -m twine upload dist/x")
    assert "infra.publishing" not in ask("python3 -m pytest")


def test_what_a_script_calls_its_functions_makes_no_new_set() -> None:
    speakers = PolicySpeakers(NAMED)
    seen = []
    for number in (1, 2):
        event = PreToolUse(
            tool_name="Bash", tool_input={"command": f"step{number}() {{ ls; }}; step{number}"}, cwd=ROOT
        )
        seen.append(speakers.find_speakers(event, with_command(Facts(root=ROOT), event)))
    assert seen[0] is seen[1]
