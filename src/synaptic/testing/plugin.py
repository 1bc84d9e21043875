"""The pytest plugin: fixtures for policies of one's own. Nothing of the engine is imported before one is used."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from synaptic.testing.outcome import Outcome
    from synaptic.testing.session import EngineSession

    Check = Callable[..., Outcome]
    Replay = Callable[[str], Outcome]


@pytest.fixture
def synaptic_policies(request: pytest.FixtureRequest) -> tuple[Path, ...]:
    """The files under test, those beside the test: override it in a conftest.py or a test file for others."""
    from synaptic.hooks.policy_files import holds_policies  # noqa: PLC0415 - as said above

    return tuple(file for file in sorted(request.path.parent.glob("*.py")) if holds_policies(file.name))


@pytest.fixture
def synaptic_session(tmp_path: Path, synaptic_policies: tuple[Path, ...]) -> "Iterator[EngineSession]":
    """A session of an agent before a real engine, with the policies under test."""
    from synaptic.testing.session import EngineSession  # noqa: PLC0415 - as said above

    made = EngineSession(tmp_path / "synaptic", synaptic_policies)
    yield made
    made.close()


@pytest.fixture
def synaptic_check(synaptic_session: "EngineSession") -> "Check":
    """`synaptic_check("git push -f").denied_by("acme.x")`: what happens when an agent is about to run a command."""
    return synaptic_session.check


@pytest.fixture
def synaptic_replay(synaptic_session: "EngineSession", request: pytest.FixtureRequest) -> "Replay":
    """`synaptic_replay("payloads/push.json")`: a recorded payload, in a file named from the test's folder."""
    return lambda name: synaptic_session.replay(request.path.parent / name)
