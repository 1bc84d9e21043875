"""What is said about failures."""

from synaptic.runners.output import (
    ProcessOutput,
    get_event_name,
    make_crash_failure,
    make_timeout_failure,
    shorten_text,
)
from tests.runners.making import make_event, make_hook


def test_a_failure_names_hook_skill_and_ending():
    """S0-038"""
    hook = make_hook(skill="audit", source="registry.toml [hooks.1]")
    assert (
        make_crash_failure(hook, ProcessOutput(b"", b"a\nb", 3)).message
        == "hook skill.guard (skill audit) exited with 3: a b"
    )
    assert "SIGTERM" in make_crash_failure(hook, ProcessOutput(exit=-15)).message
    assert "signal 99" in make_crash_failure(hook, ProcessOutput(exit=-99)).message
    assert "registry.toml [hooks.1]" in make_timeout_failure(hook, 30).message


def test_long_text_is_cut_to_one_line():
    assert len(shorten_text("a\n" * 500)) == 203


def test_an_unknown_event_keeps_its_name():
    assert get_event_name(make_event("Brandnew")) == "Brandnew"
    assert get_event_name(make_event("SubagentStop")) == "SubagentStop"
