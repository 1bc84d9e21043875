"""One policy file in front of every agent: the true clients, each in all situations."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from synaptic.model.decision import Kind
from tests.clients.client import NoClient
from tests.clients.kit.agents import AGENTS, driver
from tests.clients.kit.everyone import everyone
from tests.clients.kit.expected import DIFFERENT, SUGGESTED, expected
from tests.clients.kit.row import row
from tests.clients.kit.situation import LEASED

pytestmark = pytest.mark.client

SLOW_FIRST = ("opencode", "qwen", "cline", "gemini", "copilot", "claude", "droid", "codex")
"""So that two workers are done at about the same time."""


def test_every_agent_of_the_kit_is_tested() -> None:
    assert sorted(SLOW_FIRST) == sorted(AGENTS)


@contextmanager
def installed(what: str) -> Iterator[None]:
    """A client that is not to be had is a visible skip, or a failure where everything must be there."""
    try:
        yield
    except NoClient as error:
        if os.environ.get("SYNAPTIC_TEST_ALL") == "1":
            pytest.fail(f"no {what}: {error}")
        pytest.skip(f"no {what}: {error}")


def test_the_same_forced_push_is_journalled_under_each_agent_of_one_user() -> None:
    """S4-055"""
    with installed("agent"):
        found = everyone(AGENTS)
    rewriting = {agent for agent in AGENTS if not SUGGESTED.items() <= DIFFERENT.get(agent, {}).items()}
    assert [push.agent for push in found.pushes] == list(AGENTS)
    assert {push.agent for push in found.pushes if push.decision == Kind.REWRITE and push.runs == LEASED} == rewriting
    assert all(LEASED in push.told for push in found.pushes if push.agent not in rewriting)
    assert found.taken_out == "as before"
    assert found.replayed == "as decided"


@pytest.mark.parametrize("agent", SLOW_FIRST)
def test_one_policy_file_holds_in_the_true_client(agent: str) -> None:
    """S0-038, S0-047, S4-055, S4-056"""
    with installed(agent):
        found = row(driver(agent))
    assert found == expected(agent)
