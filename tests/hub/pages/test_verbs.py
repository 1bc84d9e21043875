"""`--hub` in a terminal, before a real hub."""

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest

from tests.hub.pages.site import HubProcess
from tests.hub.pages.story import tell


class Shown(NamedTuple):
    code: int
    out: str
    err: str


class Person:
    """Somebody with a home of their own."""

    def __init__(self, home: Path) -> None:
        self.home = home

    def types(self, *words: str, stdin: str = "", **env: str) -> Shown:
        given = {"HOME": str(self.home), "PATH": os.environ["PATH"], "TZ": "UTC", **env}
        done = subprocess.run(
            [sys.executable, "-m", "synaptic.cli.main", *words], input=stdin, capture_output=True, text=True, env=given,
            cwd=self.home, timeout=60, check=False,
        )  # fmt: skip
        return Shown(done.returncode, done.stdout, done.stderr)


@pytest.fixture
def person(tmp_path: Path) -> Person:
    return Person(tmp_path)


@pytest.mark.parametrize("line", ["fleet --hub", "search x --hub", "sessions --hub", "tail --hub"])
def test_without_a_hub_it_says_what_to_type(person: Person, line: str) -> None:
    shown = person.types(*line.split())
    assert shown.code == 1
    assert "no hub is set up for you here" in shown.err
    assert "synaptic hub login URL" in shown.err


def test_a_person_asks_the_hub(site: HubProcess, person: Person) -> None:
    hosts, token = tell(site), site.token()
    wrong = person.types("hub", "login", site.address, stdin="synhub_wrong\n")
    assert wrong.code == 1
    assert "does not know your token" in wrong.err
    assert not (person.home / ".synaptic/hub/access.json").exists()
    done = person.types("hub", "login", site.address, stdin=f"{token}\n")
    assert done.code == 0, done.err
    assert token not in done.out + done.err

    fleet = person.types("fleet", "--hub")
    assert fleet.code == 0, fleet.err
    assert fleet.out.splitlines()[0].split() == ["HOST", "SEEN", "BEHIND", "VERSION", "BUNDLE", "AGENTS", "TROUBLE"]
    assert "12,345" in fleet.out
    assert "api working, codex attention" in fleet.out
    assert "the signature is of an unknown key" in fleet.out
    found = msgspec.json.decode(person.types("fleet", "--hub", "--json").out)
    assert [one["id"] for one in found["hosts"]] == [one.id for one in hosts]

    search = person.types("search", "push", "force", "--hub", "-n", "3")
    assert search.code == 0
    assert len(search.out.splitlines()) == 3
    assert "git push --force origin main" in search.out
    assert "nothing found on any host" in person.types("search", "nowhere", "--hub").out

    tail = person.types("tail", "--hub", "--denied", "-n", "50")
    lines = tail.out.splitlines()
    assert len(lines) == 15
    assert all(" -> deny by git.force-push" in line for line in lines)
    assert any("Bash (its host keeps the command) -> deny" in line for line in lines)
    times = [" ".join(line.split()[2:4]) for line in lines]
    assert times == sorted(times), "the newest last"
    quiet = person.types("tail", "--hub", "-n", "500")
    assert "-> none" not in quiet.out
    every = person.types("tail", "--hub", "-n", "600", "--json")
    assert len(every.out.splitlines()) == 320, "page by page"
    assert msgspec.json.decode(every.out.splitlines()[0])["host"] in [one.id for one in hosts]
    refused = person.types("tail", "--hub", "--denied", "--asked", "--agent", "claude", "--project", "~/work/app")
    assert refused.code == 0, refused.err
    assert "deny by" in refused.out
    assert "ask by" in refused.out

    sessions = person.types("sessions", "--hub", "--denied")
    assert sessions.out.splitlines()[0].split()[:3] == ["SESSION", "HOST", "AGENT"]
    assert hosts[0].id in sessions.out
    for line in ("tail --hub --failed", "tail --hub --denied --rewritten", "tail --hub --tool Bash --tool Edit",
                 "tail --hub --policy git.*", "sessions --hub --rewritten"):  # fmt: skip
        shown = person.types(*line.split())
        assert (shown.code, shown.out) == (1, ""), line
    for line in ("fleet --hub --watch", "search --hub"):
        assert person.types(*line.split()).code == 2, line

    site.stop()
    away = person.types("fleet", "--hub")
    assert away.code == 1
    assert "cannot be reached" in away.err
    assert msgspec.json.decode(person.types("tail", "--hub", "--json").out)["ok"] is False
    assert "forgotten" in person.types("hub", "logout").out
    assert "no hub is set up" in person.types("tail", "--hub").err


def test_lines_of_hosts_cannot_drive_a_terminal(site: HubProcess, person: Person) -> None:
    from tests.hub.pages.site import ShippingHost

    text = "x\x1b[31m\x07\n\u202ey"
    host = ShippingHost(site, text)
    host.ships(
        dict.fromkeys(("agent", "tool", "project", "by", "subject", "reason", "session"), text) | {"kind": "deny"}
    )
    host.says(version=text, bundle=text, problems=(text,))
    env = {"SYNAPTIC_HUB_URL": site.address, "SYNAPTIC_HUB_TOKEN": site.token()}
    for line in ("fleet --hub", "tail --hub", "search x --hub", "sessions --hub"):
        shown = person.types(*line.split(), **env)
        assert shown.code == 0, shown.err
        assert not any(sign in shown.out for sign in "\x1b\x07\u202e"), line
        assert len(shown.out.splitlines()) <= 2, line
