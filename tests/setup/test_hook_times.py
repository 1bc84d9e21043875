"""`doctor` names hooks for which agents wait long."""

import time
from types import SimpleNamespace
from typing import Any, cast

from synaptic.hooks.catalog import HookCatalog
from synaptic.model.decision import Decision, TraceStep
from synaptic.model.home import Home
from synaptic.setup.hook_times import check_hook_times
from synaptic.store import hook_counts, journal
from synaptic.store.db import Store
from tests.store.conftest import make_record

ROOT = "/p"


def make_catalog(*names: str) -> HookCatalog:
    hooks: Any = [SimpleNamespace(id=name, is_policy=name == "git.slow") for name in names]
    return cast(HookCatalog, SimpleNamespace(hooks=hooks))


def find(home: Home, millis: int, calls: int = 3, hook: str = "demo:a.sh", age_days: int = 0) -> list[str]:
    store = Store.open(home)
    steps = (TraceStep(hook=hook, micros=millis * 1000),)
    at = time.time() - age_days * 86_400
    journal.append_records(store, [make_record(at=at, root=ROOT, decision=Decision(trace=steps)) for _ in range(calls)])
    hook_counts.count_journal(store)
    store.close()
    return [one.seen for one in check_hook_times(home, ROOT, make_catalog("demo:a.sh", "git.slow"))]


def test_a_hook_that_takes_long_is_named_with_what_it_takes(tmp_path):
    (seen,) = find(Home(tmp_path / "a"), 250)
    assert seen.startswith("took 250 ms a call (3 calls in 7 days, 95 of 100 within 255 ms)")


def test_a_quick_one_a_single_run_an_old_one_and_one_that_is_gone_are_not(tmp_path):
    assert find(Home(tmp_path / "a"), 150) == []
    assert find(Home(tmp_path / "b"), 900, calls=2) == []
    assert find(Home(tmp_path / "c"), 900, age_days=20) == []
    assert find(Home(tmp_path / "d"), 900, hook="other:gone.sh") == []
    assert find(Home(tmp_path / "e"), 900, hook="git.slow") == []


def test_without_a_journal_nothing_is_said(tmp_path):
    assert list(check_hook_times(Home(tmp_path / "none"), ROOT, make_catalog())) == []
    home = Home(tmp_path / "broken")
    home.root.mkdir()
    home.database.write_bytes(b"no database" * 500)
    assert list(check_hook_times(home, ROOT, make_catalog("demo:a.sh"))) == []
