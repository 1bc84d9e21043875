"""A machine with an organisation, people, and questions that wait; answers of every kind, right and forged."""

import itertools
import os
import time
from pathlib import Path

import msgspec

from synaptic.hub.bundles.check import make_normal
from synaptic.hub.bundles.install import install_bundle
from synaptic.hub.keys import SecretKey
from synaptic.hub.place import HubPlace, Membership
from synaptic.hub.questions.seal import digest_acts, sign_answer
from synaptic.hub.shipping.plan import write_membership
from synaptic.hub.wire import AnswerText, SignedAnswer, SignedBundle
from synaptic.model.decision import Decision, Kind
from synaptic.model.grant import RefusedAct, RefusedNews, RefusedSubject
from synaptic.model.home import Home
from synaptic.store import grants, refused
from synaptic.store.db import Store
from synaptic.store.record import EventRecord
from synaptic.store.refused import RefusedCall

HOST = "build-7"
POLICY = "cloud.infra-destroy"
CONFIG = '[hub]\ngrants = ["cloud.*", "git.clean"]\n'


class Organisation:
    """Who signs bundles, and the people that stand in them."""

    def __init__(self) -> None:
        self.key = SecretKey.make()
        self.people: dict[str, tuple[SecretKey, tuple[str, ...]]] = {}
        self.version = 0
        for name in ("ada", "bob"):
            self.add(name, "cloud.*")
        self.add("eve", "git.push")

    def add(self, name: str, *reach: str) -> None:
        self.people[name] = (SecretKey.make(), reach)

    def make_bundle(self) -> SignedBundle:
        self.version += 1
        lines = ['name = "acme"', f"version = {self.version}"]
        for name, (key, reach) in self.people.items():
            lines += [f"[people.{name}]", f'key = "{key.public.text}"', f"grants = {list(reach)!r}"]
        text = make_normal("\n".join(lines).encode()).decode()
        return SignedBundle(text, self.key.sign(text.encode(), "acme"))


class AskedHost:
    """One machine that has joined a hub."""

    def __init__(self, home: Home, organisation: Organisation, url: str = "http://127.0.0.1:1") -> None:
        self.home, self.organisation = home, organisation
        self.name = HOST
        self.root = str(home.root.parent / "project")
        home.root.mkdir(parents=True, exist_ok=True)
        home.config.write_text(CONFIG)
        self.key = SecretKey.make()
        self.key.write(HubPlace.of(home).host_key)
        write_membership(home, Membership(url=url, host=HOST, organisation_key=organisation.key.public.text))
        self.store = Store.open(home)
        self._numbers = itertools.count(1)
        self.install()

    def install(self) -> None:
        found = install_bundle(self.home, self.organisation.make_bundle())
        assert found.state == "installed", found

    def ask(self, *policies: str, fingerprint: str = "", code: str = "k7qmd", **changes: object) -> RefusedCall:
        """A call that waits, and was not decided."""
        mark = fingerprint or os.urandom(4).hex()
        acts = tuple(
            RefusedAct(policy=one, options="o", fingerprint=mark, stakes="s", asks=True)
            for one in policies or (POLICY,)
        )
        subject = RefusedSubject(
            code=code, acts=acts, asks=True, tool="Bash", shown="terraform destroy", root=self.root, cwd=self.root,
            **changes,
        )  # fmt: skip
        record = EventRecord(
            call=f"call-{os.urandom(4).hex()}", at=time.time(), agent="codex", event="PreToolUse", session="s1",
            decision=Decision(kind=Kind.DENY), refused=RefusedNews(subject, reason="It destroys what runs."),
        )  # fmt: skip
        refused.put_refused(self.store, record)
        found = refused.find_by_call(self.store, record.call)
        assert found
        return found

    def text(self, one: RefusedCall, **changes: object) -> AnswerText:
        now = time.time()
        usual = {"host": self.name, "mark": one.mark, "acts": digest_acts(one), "says": "once", "person": "ada",
                 "at": now, "expires": now + 600, "because": "agreed in the channel"}  # fmt: skip
        session = one.session if changes.get("says") == "session" else ""
        return AnswerText(**{**usual, "session": session, **changes})

    def sign(self, answer: AnswerText, key: SecretKey | None = None, number: int = 0) -> SignedAnswer:
        secret = key or self.organisation.people[answer.person][0]
        return SignedAnswer(number or next(self._numbers), *sign_answer(answer, secret))

    def answer(self, one: RefusedCall, **changes: object) -> SignedAnswer:
        return self.sign(self.text(one, **changes))

    def again(self, one: RefusedCall) -> RefusedCall:
        found = refused.find_by_mark(self.store, one.mark)
        assert found
        return found

    @property
    def grants(self) -> list[grants.StoredGrant]:
        return list(grants.list_grants(self.store))

    def look(self, one: RefusedCall) -> tuple[object, ...]:
        """Everything that an answer could change."""
        return self.grants, self.again(one).answer, self.again(one).answered_at

    def close(self) -> None:
        self.store.close()


def make_home(folder: Path) -> Home:
    return Home(folder / "home" / ".synaptic")


def change(signed: SignedAnswer, **changes: object) -> SignedAnswer:
    return msgspec.structs.replace(signed, **changes)
