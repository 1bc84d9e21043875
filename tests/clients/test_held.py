"""A question of a true client that nobody attends: allowed in time it runs, else it is refused and runs once later."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from synaptic.model.home import Home
from synaptic.store import grants, refused
from synaptic.store.db import Store
from tests.clients.kit.agents import driver
from tests.clients.kit.driver import User
from tests.clients.kit.situation import arrange
from tests.clients.test_conformance import SLOW_FIRST, installed
from tests.lib.grants import grant_for

pytestmark = pytest.mark.client


@contextmanager
def someone(agent: str, seconds: float) -> Iterator[tuple[User, Store]]:
    with installed(agent):
        user = User(driver(agent))
    try:
        arrange(user)
        home = Home(user.home / ".synaptic")
        home.root.mkdir(exist_ok=True)
        user.session.synaptic("bootstrap", *user.driver.bootstrap)
        before = home.config.read_text() if home.config.exists() else ""
        home.config.write_text(f"{before}\n[ask]\nwait = {seconds}\n")
        user.session.trust()
        store = Store.open(home)
        yield user, store
        store.close()
    finally:
        user.close()


def allow(store: Store, seconds: float = 40) -> refused.RefusedCall | None:
    """Say yes to the first question that comes."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := refused.list_refused(store):
            grants.add_grants(store, [grant_for(act) for act in found[0].subject.acts])
            return found[0]
        time.sleep(0.05)
    return None


@pytest.mark.parametrize("agent", SLOW_FIRST)
def test_what_is_allowed_while_it_waits_runs_in_the_true_client(agent: str) -> None:
    with someone(agent, 30) as (user, store):
        person = threading.Thread(target=allow, args=(store,))
        person.start()
        run = user.run((user.driver.shell("touch asked"),))
        person.join()
        assert (user.project / "asked").exists(), run.output[-1000:]
        (known,) = grants.list_grants(store)
        assert known.uses == 1


@pytest.mark.parametrize("agent", SLOW_FIRST)
def test_what_nobody_allows_is_refused_with_its_code_and_runs_once_when_it_comes_again(agent: str) -> None:
    with someone(agent, 1) as (user, store):
        first = user.run((user.driver.shell("touch asked"),))
        assert not (user.project / "asked").exists()
        (question,) = refused.list_refused(store)
        assert f"synaptic allow {question.code}" in first.heard
        allow(store)
        again = user.run((user.driver.shell("touch asked"),), (user.driver.shell("touch asked"),))
        assert (user.project / "asked").exists(), again.output[-1000:]
        (known,) = grants.list_grants(store)
        assert known.uses == 1
        assert f"synaptic allow {question.code}" in again.heard
