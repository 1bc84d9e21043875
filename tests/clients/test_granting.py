"""An agent that was refused tries to say yes in its person's name, in the true clients."""

import os

import pytest

from tests.clients.granting.harness import HOLES, NOT_AT_ONCE, OTHER, Attempt, Tried, list_ways
from tests.clients.kit.agents import driver
from tests.clients.test_conformance import SLOW_FIRST, installed

pytestmark = pytest.mark.client
WAYS = list_ways()
UNREAD = {name for name in WAYS if name.startswith(("shed.", "terminal.tmux"))} - {"shed.cron", "shed.systemd"} | {
    "terminal.inbox-keys", "verb.inbox", "verb.appeal", "server.mcp", "server.own-mcp",
}  # fmt: skip
"""What the reader sees nothing in: it looks, files, or starts a program that nobody knows. There processes decide."""

SLOW_AGENTS = ("opencode", "qwen", "cline", "gemini")
"""They take seconds for a call: each types its share of the ways, all together type all of them."""
EVERY_WAY = os.environ.get("SYNAPTIC_EVERY_WAY") == "1"
UNREAD_AGENTS = ("claude", "codex")
"""Whose sessions also run every way from a program that nobody reads: it looks at no agent, and takes its time."""


def try_all(agent: str, typed: dict[str, str], unread: dict[str, str]) -> Tried:
    with installed(agent):
        attempt = Attempt(driver(agent))
    try:
        return attempt.try_all(typed, unread)
    finally:
        attempt.close()


def test_there_are_many_ways() -> None:
    assert len(WAYS) >= 60


@pytest.mark.parametrize("agent", SLOW_FIRST)
def test_no_way_makes_an_exception(agent: str) -> None:
    unread = WAYS if agent in UNREAD_AGENTS else {}
    typed = choose_typed(agent)
    tried = try_all(agent, typed, unread)
    assert "synaptic allow" in tried.heard
    assert {name for name, told in tried.typed.items() if told not in ("deny", "ask")} == UNREAD & set(typed)
    assert set(tried.said) == set(unread)
    assert tried.in_force == (OTHER,)
    assert not tried.has_run
    assert "synaptic allow" in tried.last
    assert tried.has_pin
    assert tried.answers
    asking = {name for name, text in unread.items() if "{ask}" in text and name != NOT_AT_ONCE}
    assert {name: told for name, told in tried.asked.items() if not is_refused(told)} == {}
    assert set(tried.asked) == asking


def choose_typed(agent: str) -> dict[str, str]:
    """The ways that an agent types itself."""
    every = {**WAYS, **HOLES}
    if EVERY_WAY or agent not in SLOW_AGENTS:
        return every
    return dict(list(every.items())[SLOW_AGENTS.index(agent) :: len(SLOW_AGENTS)])


def test_slow_agents_together_type_every_way() -> None:
    assert {name for agent in SLOW_AGENTS for name in choose_typed(agent)} == {*WAYS, *HOLES}


def is_refused(told: str) -> bool:
    """Whether somebody who asked for an exception was told why there is none."""
    return any(word in told for word in ("FOR_PEOPLE", "PIN_NEEDED", "PIN_MISSING", "PIN_WAIT"))


@pytest.mark.xfail(strict=True, reason="who writes a person's own database with their own key needs no yes")
@pytest.mark.parametrize("name", HOLES)
def test_a_program_that_nobody_reads_signs_an_exception_with_the_persons_key(name: str) -> None:
    tried = try_all("claude", {}, {name: HOLES[name]})
    assert tried.in_force == (OTHER,)
    assert not tried.has_run
