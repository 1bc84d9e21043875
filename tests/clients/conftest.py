"""A client, found once, and a fresh session for every test."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.clients.claude import Session
from tests.clients.client import NoClient, find_client


@pytest.fixture(scope="session")
def client() -> Path:
    try:
        return find_client()
    except NoClient as error:
        if os.environ.get("SYNAPTIC_TEST_ALL") == "1":
            pytest.fail(f"no Claude Code: {error}")
        pytest.skip(f"no Claude Code: {error}")


@pytest.fixture
def session(client: Path) -> Iterator[Session]:
    session = Session(client)
    yield session
    session.close()


@pytest.fixture
def armed(session: Session) -> Session:
    """A session of a user who has run `synaptic bootstrap`."""
    session.bootstrap()
    return session
