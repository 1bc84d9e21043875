"""Whose event it is, and the status it leads to."""

from synaptic.model.event import Stop
from synaptic.model.layers import Effort, Layers
from synaptic.policies.facts import Facts
from synaptic.policies.fleet.context_line import format_context_line, format_heartbeat
from synaptic.policies.fleet.standing import build_status, find_agent_key, shorten_line

EFFORT = Effort(id=3, task="/p/.tasks/t", project=1, skill="fix", ordinal=1)


def test_an_agent_is_known_by_its_name_else_by_its_window() -> None:
    """S3-007"""
    assert find_agent_key(Stop(session_id="h1"), Facts(agent_name="A")) == "A"
    assert find_agent_key(Stop(session_id="h1"), Facts()) == "h1"


def test_nobody_is_registered_for_nothing() -> None:
    """S3-009"""
    known = Facts(layers=Layers(project=1))
    assert build_status(Stop(session_id="h1"), Facts(), "done") is None
    assert build_status(Stop(), known, "done") is None
    assert build_status(Stop(session_id="h1", agent_id="s"), known, "done") is None
    assert build_status(Stop(session_id="h1"), known, "done") is not None


def test_a_folder_of_a_known_project_does_not_become_one() -> None:
    """S3-075"""
    new = build_status(Stop(session_id="h1"), Facts(root="/p/sub", agent_name="A"), "done")
    known = build_status(Stop(session_id="h1"), Facts(root="/p/sub", layers=Layers(project=1, effort=EFFORT)), "done")
    assert new is not None
    assert known is not None
    assert (new.project, new.effort, known.project, known.effort) == ("/p/sub", None, "", 3)


def test_a_note_is_one_short_line() -> None:
    assert shorten_line("a\n\n b") == "a b"
    assert len(shorten_line("x" * 10_000)) == 200


def test_the_line_says_where_the_agent_is() -> None:
    """S3-106, S3-122"""
    line = format_context_line(EFFORT, None, 0.0)
    where = "Session: /p/.tasks/t | Skill: fix | Phase: none | Heartbeat: 0/10"
    assert line == f"[Session Context] Time: 1970-01-01T00:00:00Z | {where}"
    assert format_heartbeat(None, None) == "0/10"
