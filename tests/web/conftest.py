from collections.abc import Iterator

import pytest

from tests.daemon.setting import Setting
from tests.web.console import RealBrowser, WebConsole, find_chromium, record


@pytest.fixture(scope="session")
def browser() -> Iterator[RealBrowser]:
    made = RealBrowser(find_chromium())
    yield made
    made.close()


@pytest.fixture
def console(running: Setting) -> Iterator[WebConsole]:
    """A console beside a daemon, with one event in the journal."""
    record(running)
    made = WebConsole(running)
    yield made
    made.stop()
