"""The fleet in a real tmux: it looks like what the agents do, and afterwards as if nothing had been."""

import json
import os
import shlex
import signal
import subprocess
from pathlib import Path

import pytest

from synaptic.fleet.paint import PANE_BACKGROUNDS, STATUS_MARKS, TITLE_COLOURS
from synaptic.store import layers
from tests.fleet.conftest import says
from tests.fleet.hosts import SYNAPTIC, Fleet, until
from tests.fleet.server import Server

EVENTS = {
    "working": ("UserPromptSubmit", {"prompt": "go"}),
    "attention": ("Notification", {"message": "may I?", "notification_type": "permission_prompt"}),
    "error": (
        "PostToolUseFailure",
        {"tool_name": "Bash", "tool_input": {"command": "x"}, "tool_use_id": "t", "error": "exit 1"},
    ),
    "done": ("Stop", {"stop_hook_active": False}),
}


class Wall:
    """Agents in panes, by name."""

    def __init__(self, fleet: Fleet, server: Server) -> None:
        self.fleet, self.server = fleet, server
        self.panes: dict[str, str] = {}
        self.programs: dict[str, str] = {}

    def fills(self, agent: str, window: str, *options: str) -> None:
        """A pane with a supervised agent, in a window of that name."""
        words = [*SYNAPTIC, "run", "--agent", agent, *options, "--", self.fleet.program(), agent]
        command = f"STARTS={self.fleet.starts_file(agent)} exec {shlex.join(words)}"
        if window in self.server.tmux("list-windows", "-a", "-F", "#{window_name}").split("\n"):
            made = ("split-window", "-d", "-h", "-t", f"work:{window}")
        else:
            made = ("new-window", "-d", "-t", "work:", "-n", window)
        where = str(self.fleet.project)
        self.panes[agent] = self.server.tmux(*made, "-c", where, "-P", "-F", "#{pane_id}", command)

    def style(self, agent: str) -> str:
        return self.server.shows(self.panes[agent], "#{window-style}")

    def looks(self, agent: str, status: str, seconds: float = 15.0) -> bool:
        return until(lambda: self.style(agent) == f"bg={PANE_BACKGROUNDS[status]}", seconds)  # type: ignore[index]

    def window(self, agent: str) -> str:
        return self.server.shows(self.panes[agent], "#{window_name}")

    def json(self) -> dict[str, str]:
        shown = json.loads(self.fleet.types("fleet", "--json").stdout)
        return {one["agent"]: one["status"] for one in shown["agents"]}


@pytest.fixture
def wall(fleet: Fleet, server: Server) -> Wall:
    return Wall(fleet, server)


def display(fleet: Fleet, server: Server) -> subprocess.Popen[bytes]:
    return fleet.shows("tmux", TMUX=server.variable)


def stopped(process: subprocess.Popen[bytes], number: int = signal.SIGINT) -> int:
    process.send_signal(number)
    return process.wait(20)


def test_eight_supervised_agents_are_shown_as_they_are(fleet: Fleet, server: Server, wall: Wall):
    """S3-014, S3-120, S3-230, S3-231, S3-233: events write the database, tmux shows it, and `fleet` says the same."""
    fleet.arms()
    agents = [f"a{number}" for number in range(8)]
    for number, agent in enumerate(agents):
        wall.fills(agent, f"w{number // 2}")
    for agent in agents:
        fleet.started(agent)
    shown, watched = display(fleet, server), fleet.shows("--json", "--watch")
    for agent in agents:
        assert wall.looks(agent, "working"), agent
    wanted = dict(
        zip(agents, ("working", "attention", "error", "done", "done", "done", "attention", "error"), strict=True)
    )
    for agent, status in wanted.items():
        event, fields = EVENTS[status]
        fleet.happens(agent, event, **fields)
        assert wall.looks(agent, status), (agent, status, wall.style(agent))
    assert wall.json() == wanted
    assert [wall.window(agent) for agent in agents[::2]] == ["! w0", "✗ w1", "w2", "✗ w3"]
    assert server.own("-w", wall.panes["a0"], "@synaptic_status") == "attention"
    assert server.own("-w", wall.panes["a0"], "window-status-style") == f"fg={TITLE_COLOURS['attention']}"
    fleet.types("fleet", "focus", "a1")
    assert wall.looks("a1", "checked")
    assert until(lambda: wall.window("a0") == f"{STATUS_MARKS['working']}w0")

    os.kill(fleet.starts("a4")[0]["pid"], signal.SIGKILL)
    assert wall.looks("a4", "error")
    assert until(lambda: wall.window("a4") == "✗ w2")
    assert wall.json() == {**wanted, "a1": "checked", "a4": "error"}
    assert len(fleet.started("a4", 2)) == 2
    event, fields = EVENTS["working"]
    fleet.happens("a4", event, **fields)
    assert wall.looks("a4", "working")

    watched.terminate()
    lines = [json.loads(line) for line in watched.communicate(timeout=90)[0].splitlines()]
    assert {line["agent"]: line["status"] for line in lines} == wall.json()
    assert [line["status"] for line in lines if line["agent"] == "a4"] == ["working", "done", "error", "working"]
    assert stopped(shown) == 130
    for agent in agents:
        assert server.own("-p", wall.panes[agent], "window-style") == ""
        assert "@synaptic" not in server.tmux("show-options", "-p", "-t", wall.panes[agent])
        assert "@synaptic" not in server.tmux("show-options", "-w", "-t", wall.panes[agent])
    assert [wall.window(agent) for agent in agents[::2]] == ["w0", "w1", "w2", "w3"]


def placed(fleet: Fleet, server: Server, agent: str, pane: str, status: str = "error") -> None:
    """An agent that says it is in a pane, without a supervisor."""
    says(fleet.store, agent, status)  # type: ignore[arg-type]
    where = f"{Path(server.socket).resolve()},{server.shows('work', '#{pid}')}:{pane}"
    sql = "UPDATE agents SET pane = ? WHERE id = ?"
    fleet.store.write(lambda connection: connection.execute(sql, (where, agent)))


def test_colours_and_names_that_a_person_chose_come_back(fleet: Fleet, server: Server):
    pane = server.shows("work", "#{pane_id}")
    server.tmux("set-option", "-p", "-t", pane, "window-style", "bg=#123456")
    server.tmux("set-option", "-w", "-t", pane, "window-status-style", "fg=red")
    server.tmux("set-option", "-g", "@fleet_theme_error", "colour52")
    assert server.shows(pane, "#{automatic-rename}") == "1"
    name = server.shows(pane, "#{window_name}")
    placed(fleet, server, "a", pane)
    shown = display(fleet, server)
    assert until(lambda: server.shows(pane, "#{window-style}") == "bg=colour52")
    assert until(lambda: server.shows(pane, "#{window_name}") == f"✗ {name}")
    assert server.own("-p", pane, "@synaptic_agent") == "a"
    assert stopped(shown, signal.SIGTERM) == 143
    assert server.own("-p", pane, "window-style") == "bg=#123456"
    assert server.own("-w", pane, "window-status-style") == "fg=red"
    assert server.own("-w", pane, "automatic-rename") == "", "tmux names it again"
    assert not server.shows(pane, "#{window_name}").startswith("✗")


def test_a_window_that_is_renamed_meanwhile_keeps_its_new_name(fleet: Fleet, server: Server):
    pane = server.shows("work", "#{pane_id}")
    placed(fleet, server, "a", pane)
    shown = display(fleet, server)
    assert until(lambda: server.shows(pane, "#{window_name}").startswith("✗ "))
    server.tmux("rename-window", "-t", pane, "--", r"-x ##S größer\;")
    assert until(lambda: server.shows(pane, "#{window_name}") == "✗ -x #S größer;")
    stopped(shown)
    assert server.shows(pane, "#{window_name}") == "-x #S größer;"
    assert server.own("-w", pane, "automatic-rename") == "off"


def test_after_a_display_that_was_killed_the_next_one_puts_everything_back(fleet: Fleet, server: Server):
    pane = server.shows("work", "#{pane_id}")
    server.tmux("rename-window", "-t", pane, "mine")
    placed(fleet, server, "a", pane)
    first = display(fleet, server)
    assert until(lambda: server.shows(pane, "#{window_name}") == "✗ mine")
    stopped(first, signal.SIGKILL)
    assert server.own("-p", pane, "window-style") == f"bg={PANE_BACKGROUNDS['error']}"
    second = display(fleet, server)
    says(fleet.store, "a", "attention")
    assert until(lambda: server.shows(pane, "#{window_name}") == "! mine")
    stopped(second)
    assert server.shows(pane, "#{window_name}") == "mine"
    assert server.own("-p", pane, "window-style") == ""


def test_panes_that_are_gone_and_servers_that_are_others_are_forgotten(fleet: Fleet, server: Server):
    pane = server.shows("work", "#{pane_id}")
    other = server.tmux("split-window", "-d", "-t", pane, "-P", "-F", "#{pane_id}", "cat")
    placed(fleet, server, "a", other)
    placed(fleet, server, "b", "%999")
    placed(fleet, server, "c", pane, "working")
    sql = "UPDATE agents SET pane = replace(pane, ',', ',9') WHERE id = 'c'"
    fleet.store.write(lambda connection: connection.execute(sql))
    shown = display(fleet, server)
    assert until(lambda: server.own("-p", other, "window-style") != "")
    assert server.own("-p", pane, "window-style") == ""
    assert server.shows(pane, "#{window_name}").startswith("✗ ")
    server.tmux("kill-pane", "-t", other)
    assert until(lambda: not server.shows(pane, "#{window_name}").startswith("✗ "))
    assert shown.poll() is None
    server.tmux("kill-server")
    assert shown.wait(20) == 0
    assert b"the tmux server has ended" in (shown.stdout.read() if shown.stdout else b"")


def test_a_display_writes_nothing_but_tmux(fleet: Fleet, server: Server):
    """S3-014"""
    pane = server.shows("work", "#{pane_id}")
    placed(fleet, server, "a", pane)
    sql = "SELECT * FROM agents"
    before = fleet.store.read(lambda connection: connection.execute(sql).fetchall())
    version = fleet.store.read(lambda connection: connection.execute("PRAGMA data_version").fetchone())
    shown = display(fleet, server)
    assert until(lambda: server.own("-p", pane, "window-style") != "")
    stopped(shown)
    assert fleet.store.read(lambda connection: connection.execute(sql).fetchall()) == before
    assert fleet.store.read(lambda connection: connection.execute("PRAGMA data_version").fetchone()) == version


def test_an_agent_without_a_name_is_called_after_its_pane_and_gives_it_back(fleet: Fleet, server: Server):
    """S3-007: the pane is the identity"""
    command = f"STARTS={fleet.starts_file('x')} exec {shlex.join([*SYNAPTIC, 'run', '--', fleet.program()])}"
    pane = server.tmux("split-window", "-d", "-t", "work:0", "-P", "-F", "#{pane_id}", command)
    (line,) = fleet.started("x")
    assert line["agent"] == "work:0.1"
    found = layers.find_agent(fleet.store, "work:0.1")
    assert found is not None
    assert found.pane.endswith(f":{pane}")
    shown = display(fleet, server)
    assert until(lambda: server.own("-p", pane, "@synaptic_agent") == "work:0.1")
    stopped(shown)
    server.tmux("kill-pane", "-t", pane)
    assert fleet.is_("work:0.1", "done")
    assert fleet.member("work:0.1").pane == ""


def test_looking_at_a_pane_checks_the_agent_in_it(fleet: Fleet, server: Server):
    """S3-232"""
    pane = server.shows("work", "#{pane_id}")
    placed(fleet, server, "a", pane, "attention")
    assert fleet.types("fleet", "focus", "%77", env={"TMUX": server.variable}).returncode == 1
    assert fleet.types("fleet", "focus", pane).returncode == 1, "not inside tmux there is no such pane"
    looked = shlex.join([*SYNAPTIC, "fleet", "focus"])
    server.tmux("set-option", "-g", "focus-events", "on")
    server.tmux("run-shell", f"{looked} '#{{pane_id}}'")
    assert fleet.is_("a", "checked")
