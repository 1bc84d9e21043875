from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.security.repository.hostile import Repository


@pytest.fixture
def repository(tmp_path: Path) -> Iterator[Repository]:
    made = Repository(tmp_path)
    yield made
    made.close()
