"""Hosts that are not who they say, over the wire to a real hub: nobody's rows but one's own are ever written."""

import base64
import time
from contextlib import closing
from http.client import HTTPConnection

import msgspec

from synaptic.hub.keys import SecretKey, make_request_text
from synaptic.hub.place import HubPlace
from synaptic.hub.shipping.board import read_state
from synaptic.hub.wire import API, EventBatch, HostStatus
from synaptic.model.home import Home
from synaptic.store import journal
from synaptic.store.db import Store
from tests.hub.server.kit import make_event
from tests.hub.whole.conftest import Team, wait_until
from tests.hub.whole.test_secrets import make_record

EVENTS, STATUS, QUESTIONS = f"{API}/events", f"{API}/status", f"{API}/questions"
ROWS = "SELECT h.id, e.call FROM events e JOIN hosts h ON h.number = e.host ORDER BY e.seq"


class Forger:
    """Signs with one key, and says what it likes."""

    def __init__(self, team: Team, home: Home, name: str) -> None:
        self.team, self.name = team, name
        self.key = SecretKey.read(HubPlace.of(home).host_key)

    def sign(self, method: str, target: str, body: bytes, at: float = 0.0) -> dict[str, str]:
        said = f"{at or time.time():.0f}"
        signature = self.key.sign_plain(make_request_text(method, target, said, body))
        return {
            "x-synaptic-host": self.name,
            "x-synaptic-at": said,
            "x-synaptic-signature": base64.b64encode(signature).decode(),
        }

    def send(self, method: str, target: str, body: bytes, headers: dict[str, str]) -> int:
        with closing(HTTPConnection("127.0.0.1", self.team.hub.port, timeout=30)) as connection:
            connection.request(method, target, body, headers)
            return connection.getresponse().status


def make_body(after: int, *seqs: int) -> bytes:
    return msgspec.json.encode(EventBatch(after, tuple(make_event(seq) for seq in seqs)))


def test_a_host_cannot_write_rows_of_another(team: Team):
    homes = [team.add_home(name) for name in ("ada", "eve")]
    names = [team.join(home, home.root.parent.name).host for home in homes]
    ada, eve = (Forger(team, home, name) for home, name in zip(homes, names, strict=True))
    for target, method, body in (
        (EVENTS, "POST", make_body(0, 1)),
        (STATUS, "PUT", msgspec.json.encode(HostStatus(version="666"))),
        (QUESTIONS, "PUT", b"[]"),
    ):
        signed = eve.sign(method, target, body)
        honest = ada.sign(method, target, body)
        changed = body.replace(b"1", b"2", 1) + b" "
        forged = {
            "another's name": (body, {**signed, "x-synaptic-host": ada.name}),
            "another's name in other letters": (body, {**signed, "x-synaptic-host": ada.name.upper()}),
            "a number for a name": (body, {**signed, "x-synaptic-host": "1"}),
            "two names": (body, {**signed, "x-synaptic-host": f"{eve.name},{ada.name}"}),
            "a body that was changed": (changed, honest),
            "another moment": (body, {**honest, "x-synaptic-at": f"{time.time() + 2:.0f}"}),
            "a signature of another address": (body, ada.sign(method, f"{target}?x", body)),
            "a signature of another method": (body, ada.sign("GET", target, body)),
            "an old one": (body, ada.sign(method, target, body, time.time() - 400)),
            "one from the future": (body, ada.sign(method, target, body, time.time() + 400)),
            "none": (body, {"x-synaptic-host": ada.name}),
        }
        for what, (sent, headers) in forged.items():
            assert ada.send(method, target, sent, headers) == 401, (target, what)
    assert team.rows(ROWS) == []
    assert team.rows("SELECT count(*) FROM statuses") == [(0,)]
    # Its own it may write; which host it is, the body has no say in.
    body = make_body(0, 1)
    signed = ada.sign("POST", EVENTS, body)
    assert ada.send("POST", EVENTS, body, signed) == 200
    assert eve.send("POST", EVENTS, body, signed) == 409, "sent again as it is: taken for what it is, and nothing twice"
    assert team.rows(ROWS) == [(ada.name, "c1")]
    assert team.find_mark(eve.name) == 0


def test_a_revoked_host_writes_nothing_more_and_is_told(team: Team):
    home = team.add_home("ada")
    name = team.join(home, "ada").host
    with closing(Store.open(home)) as store:
        journal.append_records(store, [make_record("first")])
        team.ship(home)
        team.wait_until_arrived(home, name)
        team.run_verb("revoke", name)
        before = team.rows("SELECT seq FROM hosts"), team.rows("SELECT said_at FROM statuses")
        journal.append_records(store, [make_record("second")])
        wait_until(lambda: "revoked" in tell_trouble(home), 30)
    ada = Forger(team, home, name)
    body = make_body(1, 2)
    assert ada.send("POST", EVENTS, body, ada.sign("POST", EVENTS, body)) == 403
    assert [call for _, call in team.rows(ROWS)] == ["first"]
    assert (team.rows("SELECT seq FROM hosts"), team.rows("SELECT said_at FROM statuses")) == before


def tell_trouble(home: Home) -> str:
    state = read_state(home)
    return state.destinations[0].trouble if state and state.destinations else ""
