"""One real registry for all attempts of a module, and a fresh victim for each."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import user
from tests.security.packages.market import Market, Victim

__all__ = ["user"]


@pytest.fixture(scope="module")
def market(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Market]:
    made = Market(tmp_path_factory.mktemp("market"))
    yield made
    made.source.close()


@pytest.fixture
def victim(tmp_path: Path, market: Market) -> Victim:
    return Victim(tmp_path, market)
