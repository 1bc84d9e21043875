"""Ask the engine from inside a program that has an agent in itself: the daemon, or the same engine in this process."""

import json
import os
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path

import anyio
import anyio.to_thread

import synaptic
from synaptic.agents.shared.callers import HookCallers
from synaptic.agents.shared.discover import CLAUDE_NAME, find_adapter
from synaptic.agents.shared.processes import read_process
from synaptic.agents.shared.wired import list_wired_agents
from synaptic.daemon import early, fallback
from synaptic.daemon.client import find_own_folder, new_call_id, send_request
from synaptic.daemon.refuse import refuse_unheard
from synaptic.engine.arrivals import SDK_WAY
from synaptic.files.home import find_home
from synaptic.model.call import Answer, Request
from synaptic.model.environment import PLUGIN_VARIABLE
from synaptic.model.home import Home
from synaptic.setup.dispatcher import read_engine

OTHER_ENTRY_SECONDS = 0.3
"""How long the entry in the settings has to be first, where each of the two is a process of its own."""
WAIT_SHARE = 0.98
"""Of the agent's patience: an engine that has not answered by then is refused here, with words."""
TOO_LATE_TEXT = "the engine has not answered in time"


def choose_home(home: Home | Path | str | None) -> Home:
    """The engine's folder: the one that was named, else the user's."""
    if home is None:
        return find_home(os.environ)
    return home if isinstance(home, Home) else Home(Path(home).expanduser().absolute())


class EngineDoor:
    """The way to the engine of one home, for the program that runs here."""

    def __init__(self, home: Home) -> None:
        self.home = home
        self._callers = HookCallers(home)

    def build_request(self, named: tuple[str, str], payload: Mapping[str, object], project: str = "") -> Request:
        """The request about an event, `(agent, event)`, as the dispatcher would send it from this program."""
        # A session around this program may be about another project.
        env = {**os.environ, PLUGIN_VARIABLE: SDK_WAY, "CLAUDE_PROJECT_DIR": project}
        agent, event = named
        return Request(
            agent=agent, event=event, stdin=_write_json(payload), id=new_call_id(), env=env, cwd=find_own_folder()
        )

    def ask(self, request: Request) -> Answer:
        """What the engine says. Where our own code fails the guard has not spoken: that is no allow."""
        try:
            self._remember_host()
            return send_request(self.home, request) or self._answer_here(request)
        except Exception as error:  # noqa: BLE001 - our own defect must not become an allow
            return self.refuse((request.agent, request.event), f"{type(error).__name__}: {error}")

    def refuse(self, named: tuple[str, str], why: str) -> Answer:
        """The answer where there is none: before a tool a refusal, else what the fail policy says."""
        agent, event = named
        return refuse_unheard(self.home, event, why, agent)

    def _remember_host(self) -> None:
        """What this program starts may be a tool of its agent's: from its first event on, that is nobody's person."""
        if process := read_process(os.getpid()):
            self._callers.add_host(process)

    def _answer_here(self, request: Request) -> Answer:
        # Another copy of Synaptic must not become the user's daemon.
        is_installed = read_engine(self.home).python == sys.executable
        if is_installed:
            early.start_early(self.home)
        if request.agent == CLAUDE_NAME and CLAUDE_NAME in list_wired_agents(self.home):
            time.sleep(OTHER_ENTRY_SECONDS)
        given: list[Answer] = []
        if fallback.answer_in_turn(self.home, request, given.append) and is_installed:
            threading.Thread(target=fallback.leave_daemon, args=(self.home, synaptic.__version__), daemon=True).start()
        return given[0]


async def ask_in_thread(door: EngineDoor, request: Request) -> Answer:
    """The engine works in a thread: whatever it waits for, the program and its agent go on."""
    patience = find_adapter(request.agent).get_capability(request.event).timeout
    with anyio.move_on_after(patience * WAIT_SHARE):
        return await anyio.to_thread.run_sync(door.ask, request, abandon_on_cancel=True)
    return door.refuse((request.agent, request.event), TOO_LATE_TEXT)


def _write_json(payload: Mapping[str, object]) -> bytes:
    """As the agent itself writes it for a hook: an event that arrives by its settings too has the same bytes."""
    try:
        return json.dumps(payload, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
    except UnicodeEncodeError:  # half of a character: it can only be written as an escape
        return json.dumps(payload, separators=(",", ":")).encode() + b"\n"
