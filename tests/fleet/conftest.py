"""A home with a database, and somebody who writes to it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from synaptic.model.home import Home
from synaptic.model.layers import SetStatus, Status
from synaptic.store import layers
from synaptic.store.db import Store
from tests.fleet.hosts import Fleet
from tests.fleet.server import Server, required


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home" / ".synaptic")


@pytest.fixture
def store(home: Home) -> Iterator[Store]:
    opened = Store.open(home)
    yield opened
    opened.close()


@pytest.fixture
def fleet(tmp_path: Path) -> Iterator[Fleet]:
    made = Fleet(tmp_path)
    yield made
    made.close()


@pytest.fixture
def server(fleet: Fleet) -> Iterator[Server]:
    required()
    made = Server(fleet.environ, fleet.project)
    yield made
    made.close()


def says(store: Store, agent: str, status: Status, at: float = 1.0, **fields) -> None:
    """What an agent's event would do."""
    layers.write_layer_effects(store, (SetStatus(agent=agent, status=status, named=True, **fields),), at)
