"""A call that is held on one machine and answered at the hub: real daemon, real shipper, real hub, real PostgreSQL."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import msgspec
import pytest

from synaptic.hub.bundles.install import install_bundle
from synaptic.hub.client import HubAccess, keep_access
from synaptic.hub.keys import SecretKey
from synaptic.hub.place import HubPlace, Membership
from synaptic.hub.questions.book import list_answer_troubles, read_book
from synaptic.hub.questions.person import PersonKey, check_words, make_person_key, remember_host
from synaptic.hub.questions.reader import AskedQuestion, HubReader
from synaptic.hub.questions.seal import sign_answer
from synaptic.hub.shipping.plan import write_membership
from synaptic.hub.wire import AnswerText, JoinRequest
from synaptic.model.errors import SynapticError
from synaptic.model.home import Home
from synaptic.store import grants, refused
from synaptic.store import pin as pins
from synaptic.store.db import Store
from tests.cli.inbox_terminal import InboxTerminal
from tests.daemon.setting import Setting
from tests.hub.questions.kit import Organisation
from tests.hub.shipping.conftest import wait_until
from tests.hub.shipping.test_with_hub import RealHub, real_hub  # noqa: F401 - a fixture

COMMAND = "terraform destroy -auto-approve"
CONFIG = 'trust = "all"\n[ask]\nwait = 300\n[ship]\ncontents = "full"\n'
GRANTS = '[hub]\ngrants = ["*"]\n'


class Team:
    """One machine whose agent is held, and people who can read the hub."""

    def __init__(self, setting: Setting, hub: RealHub, folder: Path) -> None:
        self.setting, self.hub, self.home = setting, hub, setting.home
        self.organisation = Organisation()
        self.people = {name: self._enrol(name, folder) for name in ("ada", "bob")}
        self.token = json.loads(hub.run("token", "add", "people", "--json"))["token"]
        self.host = ""
        self._shipper: subprocess.Popen[bytes] | None = None

    def _enrol(self, name: str, folder: Path) -> tuple[Home, PersonKey]:
        home = Home(folder / name / ".synaptic")
        home.root.mkdir(parents=True)
        made = make_person_key(home, name)
        self.organisation.people[name] = (made.key, ("*",))
        return home, made

    def start(self, config: str = CONFIG + GRANTS) -> None:
        self.setting.config(config)
        self._join()
        assert install_bundle(self.home, self.organisation.make_bundle()).state == "installed"
        self.ship()
        self.setting.install()
        self.setting.start()

    def ship(self) -> None:
        line = (sys.executable, "-m", "synaptic.hub.shipping.process", str(self.home.root))
        self._shipper = subprocess.Popen(line, stdin=subprocess.DEVNULL)

    def kill_shipper(self) -> None:
        if self._shipper:
            self._shipper.kill()
            self._shipper.wait()

    def _join(self) -> None:
        import asyncio

        from synaptic.hub.shipping.hub_client import HubClient

        code = json.loads(self.hub.run("invite", "--json"))["code"]
        key, member = SecretKey.make(), Membership(url=self.hub.url, host="build")
        key.write(HubPlace.of(self.home).host_key)

        async def ask() -> str:
            client = HubClient(member)
            try:
                return (await client.join(JoinRequest(code=code, name="build", key=key.public.text, version="1"))).host
            finally:
                await client.close()

        self.host = asyncio.run(ask())
        pinned = self.organisation.key.public.text
        write_membership(self.home, Membership(url=self.hub.url, host=self.host, organisation_key=pinned))

    def read(self) -> HubReader:
        return HubReader(HubAccess(url=self.hub.url, token=self.token))

    def see(self, seconds: float = 30.0) -> AskedQuestion:
        """The question, as somebody at the hub sees it."""
        found: list[AskedQuestion] = []

        def is_there() -> bool:
            with suppress(SynapticError), self.read() as reader:
                found[:] = reader.list_questions()
            return bool(found)

        wait_until(is_there, seconds)
        assert len(found) == 1
        return found[0]

    def send(self, asked: AskedQuestion, name: str = "ada", **changes: object) -> None:
        now = time.time()
        usual = {"host": asked.host, "mark": asked.question.mark, "acts": asked.question.acts, "says": "once",
                 "person": name, "at": now, "expires": now + 600}  # fmt: skip
        signed = sign_answer(AnswerText(**{**usual, **changes}), self.people[name][1].key)
        with self.read() as reader:
            reader.post_answer(*signed)

    @property
    def grants(self) -> list[grants.StoredGrant]:
        with closing(Store.open(self.home)) as store:
            return list(grants.list_grants(store))

    def troubles(self) -> str:
        return " ".join(list_answer_troubles(self.home))

    def close(self) -> None:
        self.setting.close()
        self.kill_shipper()


@contextmanager
def held(setting: Setting) -> Iterator[subprocess.Popen[bytes]]:
    """The installed program, as an agent runs it, while it has not answered."""
    payload = json.dumps(setting.payload(tool_input={"command": COMMAND})).encode()
    env = {"HOME": str(setting.user), "PATH": os.environ["PATH"]}
    process = subprocess.Popen(
        [str(setting.home.dispatch), "codex", "PreToolUse"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env, cwd=setting.project,
    )  # fmt: skip
    assert process.stdin
    process.stdin.write(payload)
    process.stdin.close()
    process.stdin = None
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


@pytest.fixture
def team(setting: Setting, real_hub: RealHub, tmp_path: Path) -> Iterator[Team]:  # noqa: F811
    made = Team(setting, real_hub, tmp_path)
    yield made
    made.close()


def test_a_held_call_runs_after_a_person_at_the_hub_has_said_yes(team: Team) -> None:
    team.start()
    with held(team.setting) as process:
        asked = team.see()
        assert (asked.host, asked.question.is_held, asked.question.is_grantable) == (team.host, True, True)
        assert asked.question.shown == COMMAND
        team.send(asked)
        assert process.communicate(timeout=30)[0] == b""
    (made,) = team.grants
    assert made.grant.used_by == team.setting.last().call
    assert made.grant.granted_by.startswith("ada at the hub, key ")


def test_a_no_ends_the_wait(team: Team) -> None:
    team.start()
    with held(team.setting) as process:
        team.send(team.see(), says="no")
        assert b"has said no" in process.communicate(timeout=30)[0]
    assert team.grants == []


def test_without_a_word_in_its_own_config_a_machine_takes_no_yes(team: Team) -> None:
    team.start(CONFIG)
    with held(team.setting) as process:
        asked = team.see()
        assert not asked.question.is_grantable
        team.send(asked)
        wait_until(lambda: "[hub] grants" in team.troubles(), 30)
        assert process.poll() is None
    assert team.grants == []


def test_a_hub_that_dies_between_answer_and_delivery_brings_it_later(team: Team) -> None:
    team.start()
    with held(team.setting) as process:
        asked = team.see()
        team.kill_shipper()
        team.send(asked)
        team.hub.kill()
        team.ship()
        time.sleep(1)
        assert process.poll() is None
        team.hub.start()
        assert process.communicate(timeout=60)[0] == b""
    assert len(team.grants) == 1


def test_an_answer_whose_time_is_over_when_it_comes_does_not_count(team: Team) -> None:
    team.start()
    with held(team.setting) as process:
        asked = team.see()
        team.kill_shipper()
        team.send(asked, expires=time.time() + 2)
        time.sleep(2.5)
        team.ship()
        time.sleep(3)
        assert process.poll() is None
        team.send(asked)  # the next one is not kept back by it
        assert process.communicate(timeout=30)[0] == b""
    assert len(team.grants) == 1


def test_two_people_answer_at_once_and_one_of_them_counts(team: Team) -> None:
    team.start()
    with held(team.setting) as process:
        asked = team.see()
        team.kill_shipper()
        team.send(asked, "ada")
        team.send(asked, "bob")
        team.ship()
        assert process.communicate(timeout=30)[0] == b""
    wait_until(lambda: "answered already" in team.troubles(), 30)
    assert len(team.grants) == 1
    assert len(read_book(team.home).taken) == 1


def test_an_answer_arrives_although_nobody_listens(team: Team) -> None:
    """The connection that is told of answers is ended, and what it was told is lost."""
    import psycopg

    team.start()
    with held(team.setting) as process:
        asked = team.see()
        with psycopg.connect(team.hub.database, autocommit=True) as connection:
            ended = connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'"
                " AND datname = current_database()"
            ).fetchall()
            assert ended == [(True,)]
            team.send(asked)
        assert process.communicate(timeout=60)[0] == b""


def test_a_hub_that_brings_a_used_answer_once_more_lets_nothing_run(team: Team) -> None:
    """Under another number and with another comment that nobody has signed: to the hub it is another row."""
    import psycopg

    team.start()
    with held(team.setting) as process:
        team.send(team.see())
        assert process.communicate(timeout=30)[0] == b""
    with held(team.setting) as again:
        wait_until(lambda: team.see().question.is_held, 30)
        with psycopg.connect(team.hub.database, autocommit=True) as connection:
            connection.execute(
                "INSERT INTO answers (host, mark, says, person, at, expires, text, signature) SELECT host, mark, says,"
                " person, at, expires, text, replace(signature, 'comment: signature', 'comment: x') FROM answers"
            )
            connection.execute("SELECT pg_notify('synaptic_news', '*')")
        wait_until(lambda: "taken in before" in team.troubles(), 30)
        assert again.poll() is None
    assert len(team.grants) == 1


def test_a_hub_that_shows_other_words_is_found_out(team: Team) -> None:
    import psycopg

    team.start()
    home = team.people["ada"][0]
    with held(team.setting):
        asked = team.see()
        assert not check_words(home, team.hub.url, asked.host, asked.question)
        remember_host(home, team.hub.url, asked.host, asked.question.key)
        assert check_words(home, team.hub.url, asked.host, asked.question)
        team.kill_shipper()
        with psycopg.connect(team.hub.database, autocommit=True) as connection:
            connection.execute("UPDATE questions SET body = replace(body::text, 'terraform destroy', 'ls')::json")
        lie = team.see()
        assert lie.question.shown.startswith("ls")
        with pytest.raises(SynapticError, match="signature is wrong"):
            check_words(home, team.hub.url, lie.host, lie.question)
        other = SecretKey.make()
        resigned = msgspec.structs.replace(asked.question, key=other.public.text)
        with pytest.raises(SynapticError):
            check_words(home, team.hub.url, asked.host, resigned)


def test_a_person_answers_with_the_verb(team: Team) -> None:
    team.start()
    home, _ = team.people["ada"]
    keep_access(home, HubAccess(url=team.hub.url, token=team.token))
    with closing(Store.open(home)) as store:
        pins.write_pin(store, "4711", time.time())
    env = {"HOME": str(home.root.parent), "COLUMNS": "120"}
    with held(team.setting) as process:
        code = team.see().question.code
        listed = InboxTerminal(["inbox", "--hub"], **env)
        listed.shows(COMMAND)
        assert listed.ends() == 0
        terminal = InboxTerminal(["inbox", "allow", code, "--hub", "--because", "agreed", "--pin"], **env)
        terminal.shows("never seen from here")
        terminal.shows("Allow this?")
        terminal.types("y\n")
        terminal.shows("PIN")
        terminal.types("4711\n")
        terminal.shows("signed and sent")
        assert terminal.ends() == 0
        assert process.communicate(timeout=30)[0] == b""
    assert team.grants[0].grant.because == "agreed"
    with closing(Store.open(team.home)) as store:
        assert refused.list_refused(store)[0].answer == "allowed"
