import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from synaptic.agents.shared import lineage
from synaptic.agents.shared.callers import HookCallers
from synaptic.engine import senders
from synaptic.engine.collector import calm_collector
from tests.daemon.setting import Setting
from tests.leftovers import LeftoverCheck
from tests.slow_first import order_items

# How long an example takes says something about the machine, which other tests keep busy, and nothing about the law.
settings.register_profile("busy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy")
TESTED_SIGNALS = (signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGHUP)


def set_own_signals() -> None:
    """Ignore no signal, whoever started the tests: the programs that they start and send signals to inherit it.

    `make test &` in a script ignores the interrupt, and `nohup` the hang-up.
    """
    for number in TESTED_SIGNALS:
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)


set_own_signals()


def pytest_sessionstart(session: pytest.Session) -> None:
    """A worker answers for nothing: the process that it reports to looks when all of them have ended."""
    if not hasattr(session.config, "workerinput") and not session.config.option.collectonly:
        # A fixture would be asked by a worker.
        base = session.config._tmp_path_factory.getbasetemp()
        session.config.pluginmanager.register(LeftoverCheck(base))


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """The same order in each worker: they compare theirs before they begin."""
    if worker := getattr(config, "workerinput", None):
        items[:] = order_items(items, worker["workercount"])


def pytest_collection_finish() -> None:
    """Tens of thousands of tests stay until the end: garbage need not be looked for among them, again and again."""
    calm_collector()


@pytest.fixture(autouse=True)
def tests_are_run_by_a_person(monkeypatch: pytest.MonkeyPatch) -> None:
    """In this process nobody stands above a call, whoever started the tests. Processes of their own are looked at."""

    def find_agent_above(pid: int, callers: HookCallers) -> str:
        return "" if pid in (0, os.getpid()) else looked(pid, callers)

    def examine_sender(pid: int, callers: HookCallers) -> lineage.Sender:
        return lineage.Sender("person") if pid in (0, os.getpid()) else examined(pid, callers)

    looked, examined = lineage.find_agent_above, lineage.examine_sender
    for name in lineage.list_markers():
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(lineage, "find_agent_above", find_agent_above)
    monkeypatch.setattr(senders, "find_agent_above", find_agent_above)
    monkeypatch.setattr(senders, "examine_sender", examine_sender)


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
