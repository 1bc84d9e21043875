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
def console(setting: Setting) -> Iterator[WebConsole]:
    """A console with one event in the journal; beside a daemon in tests that ask for `running`, too."""
    record(setting)
    made = WebConsole(setting)
    yield made
    made.stop()
