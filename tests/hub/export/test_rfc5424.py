import pytest

from synaptic.hub.export.rfc5424 import format_message
from synaptic.hub.export.source import ExportSource
from synaptic.hub.wire import HookRun
from tests.hub.export.kit import HOSTILE, SOURCE, make_event
from tests.hub.export.strict import read_message


def test_a_refusal_is_a_warning_with_its_parts_as_structured_data():
    found = read_message(format_message(make_event(7, runs=()), SOURCE, 2048))
    assert (found.facility, found.severity, found.host, found.id) == (16, 4, "laptop-7", "PreToolUse")
    assert found.time == "2023-11-14T22:13:27.250000Z"
    assert found.element == "synaptic@32473"
    assert found.values["seq"] == "7"
    assert found.values["toolUse"] == "toolu_7"
    assert found.values["policy"] == "git.force-push"
    assert found.text == "deny Bash by git.force-push in ~/work/shop"


@pytest.mark.parametrize(
    ("kind", "fault", "severity"),
    [
        ("deny", "", 4),
        ("deny", "crash", 3),
        ("none", "timeout", 3),
        ("ask", "", 5),
        ("rewrite", "", 5),
        ("none", "", 6),
    ],
)
def test_severity_follows_the_verdict(kind, fault, severity):
    event = make_event(kind=kind, runs=(HookRun("h", kind, 1, fault),))
    assert read_message(format_message(event, SOURCE, 2048)).severity == severity


@pytest.mark.parametrize("size", [1024, 2048, 8192])
@pytest.mark.parametrize("text", [HOSTILE, HOSTILE * 2000, "]" * 9000, "é" * 9000, '"\\' * 5000, "\udc80\ud800", ""])
def test_no_text_breaks_out_or_makes_it_too_long(size, text):
    names = ("call", "agent", "event", "session", "agent_id", "tool", "project", "by", "code", "tool_use", "subject")
    event = make_event(
        **dict.fromkeys(names, text), reason=text, grants=(text,) * 9, runs=(HookRun(text, text, 1, text),)
    )
    raw = format_message(event, ExportSource(text[:300], "id"), size)
    assert len(raw) <= size
    assert read_message(raw).values["seq"] == "1"


def test_what_does_not_fit_is_left_out_and_told():
    found = read_message(format_message(make_event(subject="x" * 250, session="s" * 500, call="c" * 400), SOURCE, 600))
    assert found.values["cut"] == "1"
    assert "subject" not in found.values


@pytest.mark.parametrize("at", [float("nan"), float("inf"), -1e30, 1e300])
def test_a_moment_that_no_calendar_has_is_left_out(at):
    assert read_message(format_message(make_event(at=at), SOURCE, 2048)).time == "-"
