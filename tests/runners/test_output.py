"""What is said about failures."""

from synaptic.runners.output import Output, crashed, event_name, overdue, snippet
from tests.runners.making import make_event, make_hook


def test_a_failure_names_hook_skill_and_ending():
    """S0-038"""
    hook = make_hook(skill="audit", source="registry.toml [hooks.1]")
    assert crashed(hook, Output(b"", b"a\nb", 3)).message == "hook skill.guard (skill audit) exited with 3: a b"
    assert "SIGTERM" in crashed(hook, Output(exit=-15)).message
    assert "signal 99" in crashed(hook, Output(exit=-99)).message
    assert "registry.toml [hooks.1]" in overdue(hook, 30).message


def test_long_text_is_cut_to_one_line():
    assert len(snippet("a\n" * 500)) == 203


def test_an_unknown_event_keeps_its_name():
    assert event_name(make_event("Brandnew")) == "Brandnew"
    assert event_name(make_event("SubagentStop")) == "SubagentStop"
