"""A desk of its own for every test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.daemon.setting import Setting
from tests.work.desk import Desk


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    setting = Setting(tmp_path)
    monkeypatch.setenv("HOME", str(setting.user))
    made = Desk(setting)
    yield made
    made.store.close()
