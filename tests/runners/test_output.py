"""What is said about failures."""

import pytest

from synaptic.runners.output import (
    ProcessOutput,
    get_event_name,
    make_crash_failure,
    make_timeout_failure,
    shorten_text,
)
from synaptic.store.redact import redact_text
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


@pytest.mark.parametrize(
    "said", ['{"url": "https://me:WORD@host/"}', "echo WORD | sudo -S make", "curl -H 'Authorization: Bearer WORD'"]
)
def test_no_cut_leaves_a_secret_that_nobody_knows_any_more(said):
    """A password in a URL is one because of what comes after it."""
    word = "c4naryW0rdThatN0bodyKeeps5e1f9a2b7d"
    for before in range(260):
        text = f"{'x' * before} {said.replace('WORD', word)} {'y ' * 200}"
        assert word[:8] not in redact_text(f"failed: {shorten_text(text)}"), before


def test_an_unknown_event_keeps_its_name():
    assert get_event_name(make_event("Brandnew")) == "Brandnew"
    assert get_event_name(make_event("SubagentStop")) == "SubagentStop"
