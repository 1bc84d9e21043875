"""A machine that has joined a hub, with people of its organisation."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hub.questions.kit import AskedHost, Organisation, make_home


@pytest.fixture
def organisation() -> Organisation:
    return Organisation()


@pytest.fixture
def host(tmp_path: Path, organisation: Organisation) -> Iterator[AskedHost]:
    made = AskedHost(make_home(tmp_path), organisation)
    yield made
    made.close()
