"""What the tests of packages share."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.packages.authoring import Desk


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """A registry of one's own with nothing in it."""
    made = Desk(tmp_path)
    yield made
    made.source.close()
