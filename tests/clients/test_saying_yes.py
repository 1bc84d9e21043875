"""From a refusal to the exception: one line that a person types, and the same call of the true client runs once."""

import re
import time
from types import SimpleNamespace
from typing import Any, cast

import pytest

from synaptic.store import grants, refused
from synaptic.store.db import Store
from tests.clients.granting.harness import FORBIDDEN, RULE
from tests.clients.kit.agents import driver
from tests.clients.kit.driver import User
from tests.clients.script import DONE, Do
from tests.clients.test_conformance import installed
from tests.security.agent.terminals import Window

pytestmark = pytest.mark.client
COLUMNS = 80
CLOCK_TICK = 0.03
"""What begins within one tick of the system's clock cannot be told apart by age."""
PROMPT = re.compile(r"[$#] (\x1b\[[0-9;?]*[a-zA-Z])*$")
CONTROL = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")


class Person:
    """Somebody who has opened a terminal window before their agent, and types there."""

    def __init__(self, user: User) -> None:
        self.user = user
        # The window asks for two folders only.
        self.window = Window(cast("Any", SimpleNamespace(user=user.home, project=user.project)))
        self.typed = ""
        self.seen: list[str] = []
        self.window.read(PROMPT)
        time.sleep(CLOCK_TICK)

    def type(self, line: str) -> str:
        """What stands on the terminal after a line, and the prompt with it."""
        self.typed += f"{line}\n"
        self.window.send(f"{line}\n")
        said = CONTROL.sub("", self.window.read(PROMPT)).replace("\r", "")
        self.seen += said.split("\n")
        return said

    def allow(self) -> None:
        """The code stands in what the agent was told; nothing else has to be known."""
        store = Store.open(self.user.session.synaptic_home)
        (one,) = refused.list_refused(store)
        store.close()
        self.type(f"synaptic allow {one.code}")
        self.code = one.code

    def look_around(self) -> None:
        """Whatever they type next about it."""
        (revoking,) = [line for line in self.seen if line.startswith("take it back: ")]
        id = revoking.rpartition(" ")[2]
        like = f"allow {self.code} --here --like 'touch *' --yes"
        for words in ("grants list --all", f"grants show {id}", f"inbox show {self.code}", like, "grants revoke --all"):
            self.type(f"synaptic {words}")


@pytest.mark.parametrize("agent", ["claude", "codex"])
def test_a_false_refusal_is_lifted_by_one_line_and_the_call_runs_once(agent: str) -> None:
    with installed(agent):
        user = User(driver(agent))
    try:
        home = user.session.synaptic_home
        user.session.synaptic("bootstrap", *user.driver.bootstrap)
        before = home.config.read_text() if home.config.exists() else ""
        home.config.write_text(f"{before}\n{RULE}")
        person = Person(user)
        file = user.project / "forbidden"
        found: list[bool] = []

        def look() -> None:
            found.append(file.exists())
            file.unlink(missing_ok=True)

        call = user.driver.shell(FORBIDDEN)
        run = user.run((call,), (Do(look), Do(person.allow), call), (Do(look), call), (Do(person.look_around), *DONE))
        look()
        typed = person.typed.splitlines(keepends=True)[0]

        assert found == [False, True, False], (person.seen, run.output[-1000:])
        first, second, third = run.results
        assert re.search(r"synaptic allow \w{5}\b", first)
        assert "synaptic allow" not in second
        assert "synaptic allow" in third
        assert re.fullmatch(r"synaptic allow \w{5}\n", typed)
        assert len(typed) == len("synaptic allow k7qmd") + 1 == 21
        assert "allowed once" in " ".join(person.seen)
        store = Store.open(home)
        known, *_ = (one for one in grants.list_grants(store) if one.grant.scope == "once")
        store.close()
        assert known.uses == 1
        assert known.grant.granted_by.endswith("in xterm")

        assert "taken back" in " ".join(person.seen)
        assert [line for line in person.seen if len(line.rpartition("# ")[2]) > COLUMNS] == []
    finally:
        user.close()
