from collections.abc import Iterator

import pytest

from tests.hub.pages.site import HubProcess
from tests.web.console import RealBrowser, find_chromium


@pytest.fixture(scope="session")
def browser() -> Iterator[RealBrowser]:
    made = RealBrowser(find_chromium())
    yield made
    made.close()


@pytest.fixture
def site(database: str) -> Iterator[HubProcess]:
    made = HubProcess(database, "--name", "acme")
    yield made
    made.stop()
