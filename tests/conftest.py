from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.daemon.setting import Setting


@pytest.fixture
def setting(tmp_path: Path) -> Iterator[Setting]:
    made = Setting(tmp_path)
    yield made
    made.close()


@pytest.fixture
def running(setting: Setting) -> Setting:
    """The same with a daemon."""
    setting.install()
    setting.start()
    return setting
