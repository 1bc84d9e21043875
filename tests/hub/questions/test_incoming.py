"""Answers that came from a hub: what counts, and everything that does not."""

import json
import os
import time
from collections.abc import Callable

import msgspec
import pytest

from synaptic.hooks.bundle_seal import BundlePlace, KeptBundle, locate_home_key, seal_bundle
from synaptic.hub.keys import SecretKey
from synaptic.hub.place import HubPlace
from synaptic.hub.questions import incoming
from synaptic.hub.questions.book import list_answer_troubles, read_book
from synaptic.hub.questions.incoming import take_answer
from synaptic.hub.questions.seal import digest_acts, encode_answer
from synaptic.hub.wire import SignedAnswer
from synaptic.model.errors import StoreError, SynapticError
from synaptic.store import refused
from synaptic.store.refused import RefusedCall
from tests.hub.questions.kit import CONFIG, POLICY, AskedHost, change

Forgery = Callable[[AskedHost, RefusedCall], SignedAnswer]


def test_a_yes_of_a_person_is_an_exception_as_they_have_signed_it(host: AskedHost) -> None:
    one = host.ask(POLICY)
    signed = host.answer(one)
    assert take_answer(host.home, signed) == ""
    (kept,) = host.grants
    grant, act = kept.grant, one.subject.acts[0]
    assert (grant.policy, grant.fingerprint, grant.options, grant.stakes) == (POLICY, act.fingerprint, "o", "s")
    assert (grant.scope, grant.root, grant.because) == ("once", host.root, "agreed in the channel")
    assert grant.granted_by == f"ada at the hub, key {host.organisation.people['ada'][0].id.hex()}"
    assert grant.expires <= time.time() + 600
    assert host.again(one).answer == "allowed"
    assert list_answer_troubles(host.home) == ()


def test_one_exception_for_each_policy(host: AskedHost) -> None:
    host.organisation.add("ada", "cloud.*", "git.clean")
    host.install()
    one = host.ask(POLICY, "git.clean")
    assert take_answer(host.home, host.answer(one)) == ""
    assert {kept.grant.policy for kept in host.grants} == {POLICY, "git.clean"}
    assert len({kept.grant.id for kept in host.grants}) == 2


def test_a_no_upholds(host: AskedHost) -> None:
    one = host.ask()
    assert take_answer(host.home, host.answer(one, says="no")) == ""
    assert host.again(one).answer == "upheld"
    assert host.grants == []


@pytest.mark.parametrize(("says", "where"), [("session", ("s1", True)), ("here", ("", True))])
def test_every_reach_ends_with_the_answer(host: AskedHost, says: str, where: tuple[str, bool]) -> None:
    one = host.ask()
    until = time.time() + 500
    assert take_answer(host.home, host.answer(one, says=says, expires=until)) == ""
    (kept,) = host.grants
    assert (kept.grant.session, bool(kept.grant.root)) == where
    assert kept.grant.expires == until


def test_the_host_says_how_long_an_exception_may_last(host: AskedHost) -> None:
    host.home.config.write_text(f"{CONFIG}longest = 60\n")
    one = host.ask()
    assert take_answer(host.home, host.answer(one, says="here", expires=time.time() + 7 * 86400)) == ""
    assert host.grants[0].grant.expires <= time.time() + 60


def _flip(signed: SignedAnswer) -> SignedAnswer:
    text = bytearray(signed.text)
    text[-3] ^= 1
    return change(signed, text=bytes(text))


def _move(host: AskedHost, one: RefusedCall) -> SignedAnswer:
    other = host.ask(POLICY, fingerprint="other", code="abcde")
    return host.answer(other, mark=one.mark)


def _write_otherwise(host: AskedHost, one: RefusedCall) -> SignedAnswer:
    """Signed by the right person, but a text that says one thing to one reader and another to the next."""
    text = encode_answer(host.text(one, says="no"))[:-1] + b',"says":"once"}'
    return SignedAnswer(1, text, host.organisation.people["ada"][0].sign(text, "x"))


def _drop_comment(signed: SignedAnswer) -> SignedAnswer:
    lines = signed.signature.split("\n")
    return change(signed, signature="\n".join((*lines[:2], "trusted comment: other", *lines[3:])))


FORGERIES: dict[str, tuple[Forgery, str]] = {
    "signed by nobody": (lambda host, one: change(host.answer(one), signature=""), "no signature"),
    "signed by a key that nobody knows": (lambda host, one: host.sign(host.text(one), SecretKey.make()), "another key"),
    "the id of the right key and another key": (
        lambda host, one: host.sign(host.text(one), SecretKey(host.organisation.people["ada"][0].id, os.urandom(32))),
        "signature is wrong",
    ),
    "signed by another enrolled person in this one's name": (
        lambda host, one: host.sign(host.text(one), host.organisation.people["bob"][0]),
        "another key",
    ),
    "signed by the host's own key": (lambda host, one: host.sign(host.text(one), host.key), "another key"),
    "signed by the organisation's key": (
        lambda host, one: host.sign(host.text(one), host.organisation.key),
        "another key",
    ),
    "one bit changed": (lambda host, one: _flip(host.answer(one)), ""),
    "another comment under the signature": (lambda host, one: _drop_comment(host.answer(one)), "signature is wrong"),
    "a No made a Yes": (
        lambda host, one: change(
            host.answer(one, says="no"), text=encode_answer(host.text(one)), signature=host.answer(one).signature
        ),
        "signature is wrong",
    ),
    "a name that is in no bundle": (
        lambda host, one: host.sign(host.text(one, person="mallory"), SecretKey.make()),
        "names nobody",
    ),
    "a person whose reach is elsewhere": (lambda host, one: host.answer(one, person="eve"), "does not let eve"),
    "for another machine": (lambda host, one: host.answer(one, host="build-8"), "another machine"),
    "of another question": (_move, "something else"),
    "of a question that is not here": (lambda host, one: host.answer(one, mark="0" * 32), "no such question"),
    "its time is over": (lambda host, one: host.answer(one, expires=time.time() - 1), "time is over"),
    "held back for longer than it may count": (
        lambda host, one: host.answer(one, at=time.time() - 3700, expires=time.time() + 86400),
        "time is over",
    ),
    "signed in the future": (
        lambda host, one: host.answer(one, at=time.time() + 4000, expires=time.time() + 9000),
        "future",
    ),
    "a reach that nobody may give from outside": (lambda host, one: host.answer(one, says="always"), "nothing that"),
    "for another session": (lambda host, one: host.answer(one, says="session", session="s2"), "another session"),
    "a text with a key twice": (_write_otherwise, "otherwise"),
    "no answer at all": (lambda host, one: SignedAnswer(1, b"\xff\x00{", "x"), "no answer"),
    "far too long": (lambda host, one: host.answer(one, because="x" * 40_000), "not signed"),
    "a signature that is no ASCII": (
        lambda host, one: change(host.answer(one), signature="trusted comment: \ud800é"),
        "not signed",
    ),
    "a name that drives a terminal": (
        lambda host, one: host.sign(host.text(one, person="\x1b[2J\u202eadm"), SecretKey.make()),
        "names nobody",
    ),
    "no number at all": (lambda host, one: host.answer(one, at=-1e300, expires=1e300), "time is over"),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forgery_changes_nothing_and_is_told(host: AskedHost, name: str) -> None:
    forge, why = FORGERIES[name]
    one = host.ask()
    signed = forge(host, one)
    before = host.look(one)
    told = take_answer(host.home, signed)
    assert told
    assert why in told
    assert host.look(one) == before
    (trouble,) = list_answer_troubles(host.home)
    assert "\x1b" not in trouble
    assert "\u202e" not in trouble


def test_by_default_nobody_outside_may_say_yes(host: AskedHost) -> None:
    host.home.config.write_text("")
    one = host.ask()
    for says in ("once", "no"):
        assert "[hub] grants" in take_answer(host.home, host.answer(one, says=says))
    assert host.grants == []
    assert host.again(one).answer == ""


def test_every_policy_of_the_question_has_to_be_covered(host: AskedHost) -> None:
    one = host.ask(POLICY, "git.force-push")
    assert "git.force-push" in take_answer(host.home, host.answer(one))
    assert host.grants == []


@pytest.mark.parametrize(
    ("policy", "config"),
    [
        ("self.engine-files", '[hub]\ngrants = ["*"]\n'),
        ("system.fork-bomb", '[hub]\ngrants = ["system.*"]\n'),
        (POLICY, f'{CONFIG}[grants]\nnever = ["cloud.*"]\n'),
    ],
)
def test_what_nobody_may_lift_is_not_lifted_from_outside(host: AskedHost, policy: str, config: str) -> None:
    host.home.config.write_text(config)
    host.organisation.add("ada", "*")
    host.install()
    one = host.ask(policy)
    assert "nobody can make an exception" in take_answer(host.home, host.answer(one))
    assert host.grants == []


def test_the_same_text_never_counts_twice(host: AskedHost) -> None:
    one = host.ask(POLICY, fingerprint="f")
    signed = host.answer(one, at=time.time() + 200)  # a clock that runs ahead
    assert take_answer(host.home, signed) == ""
    host.ask(POLICY, fingerprint="f")  # the agent tries again: it is a question once more
    assert host.again(one).is_open
    before = host.look(one)
    assert "taken in before" in take_answer(host.home, change(signed, number=99))
    assert take_answer(host.home, signed) == ""  # the same delivery, which nobody could note
    HubPlace.of(host.home).answers.unlink()
    assert "taken in before" in take_answer(host.home, change(signed, number=100))
    assert host.look(one) == before


def test_after_the_database_is_lost_an_old_answer_makes_nothing(host: AskedHost) -> None:
    one = host.ask(POLICY, fingerprint="f")
    signed = host.answer(one)
    assert take_answer(host.home, signed) == ""
    host.store.write(lambda connection: connection.execute("DELETE FROM grants"))
    host.store.write(lambda connection: connection.execute("DELETE FROM refused"))
    host.ask(POLICY, fingerprint="f")
    assert "taken in before" in take_answer(host.home, change(signed, number=7))
    assert host.grants == []


def test_of_two_people_the_first_counts(host: AskedHost) -> None:
    one = host.ask()
    first, second = host.answer(one, person="ada"), host.answer(one, person="bob", says="no")
    assert take_answer(host.home, first) == ""
    assert "answered already" in take_answer(host.home, second)
    assert host.again(one).answer == "allowed"
    assert len(host.grants) == 1


def test_an_answer_from_before_another_one_does_not_count_for_the_next_try(host: AskedHost) -> None:
    one = host.ask(POLICY, fingerprint="f")
    first, held_back = host.answer(one, person="ada"), host.answer(one, person="bob")
    assert take_answer(host.home, first) == ""
    host.ask(POLICY, fingerprint="f")
    assert "since it was signed" in take_answer(host.home, held_back)
    assert take_answer(host.home, host.answer(one, person="bob")) == ""


def test_somebody_who_left_the_bundle_counts_no_more(host: AskedHost) -> None:
    one = host.ask()
    signed = host.answer(one)
    del host.organisation.people["ada"]
    host.install()
    assert "names nobody" in take_answer(host.home, signed)
    assert host.grants == []


def test_a_bundle_that_only_the_homes_own_seal_vouches_for_names_nobody(host: AskedHost) -> None:
    """Whoever can write the seal can write no organisation's signature."""
    place, mallory = BundlePlace.of(host.home), SecretKey.make()
    kept = msgspec.json.decode(place.current.read_bytes(), type=KeptBundle)
    text = kept.text.replace(host.organisation.people["ada"][0].public.text, mallory.public.text)
    forged = seal_bundle(msgspec.structs.replace(kept, text=text), locate_home_key(host.home).read_bytes())
    place.current.write_bytes(forged)
    place.accepted.write_bytes(forged)
    one = host.ask()
    assert "signature is wrong" in take_answer(host.home, host.sign(host.text(one), mallory))
    assert host.grants == []


def test_without_a_bundle_nobody_counts(host: AskedHost) -> None:
    one = host.ask()
    signed = host.answer(one)
    for file in (BundlePlace.of(host.home).current, BundlePlace.of(host.home).accepted):
        file.unlink()
    assert "no bundle is in force" in take_answer(host.home, signed)


def test_a_setting_that_cannot_be_read_lets_nobody_in(host: AskedHost) -> None:
    one = host.ask()
    host.home.config.write_text(f"{CONFIG}[grants]\nnever = 7\n")
    assert take_answer(host.home, host.answer(one))
    host.home.config.write_text("[hub\n")
    assert take_answer(host.home, host.answer(one))
    assert host.grants == []


def test_a_list_of_taken_answers_that_is_damaged_stops_all_answers(host: AskedHost) -> None:
    one = host.ask()
    HubPlace.of(host.home).answers.write_text("{")
    with pytest.raises(SynapticError):
        take_answer(host.home, host.answer(one))
    assert host.grants == []
    assert "answers" in list_answer_troubles(host.home)[0]


def test_a_disk_that_takes_nothing_leaves_the_answer_for_later(
    host: AskedHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = host.ask()
    signed = host.answer(one)

    def refuse(*_: object) -> None:
        raise StoreError("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(incoming, "keep_grants", refuse)
        with pytest.raises(StoreError):
            take_answer(host.home, signed)
    assert read_book(host.home).refused == ()
    assert take_answer(host.home, signed) == ""
    assert len(host.grants) == 1


def test_what_is_remembered_is_bounded(host: AskedHost) -> None:
    one = host.ask()
    for _ in range(50):
        take_answer(host.home, host.answer(one, host="other"))
    assert len(read_book(host.home).refused) == 20
    take_answer(host.home, host.answer(one, expires=1e18))
    (taken,) = read_book(host.home).taken.values()
    assert taken.expires < time.time() + 9 * 86400


def test_other_options_are_another_question(host: AskedHost) -> None:
    one = host.ask()
    other = msgspec.structs.replace(
        one,
        subject=msgspec.structs.replace(
            one.subject, acts=tuple(msgspec.structs.replace(act, options="looser") for act in one.subject.acts)
        ),
    )
    assert digest_acts(one) != digest_acts(other)
    assert "something else" in take_answer(host.home, host.answer(one, acts=digest_acts(other)))


def test_the_answer_travels_as_it_was_signed(host: AskedHost) -> None:
    signed = host.answer(host.ask(), because="Grüße \N{SNOWMAN}")
    names = list(json.loads(signed.text))
    assert names == sorted(names)
    assert refused.list_refused(host.store)


def test_one_that_was_refused_and_comes_again_is_told_once(host: AskedHost) -> None:
    signed = host.answer(host.ask(), host="another")
    why = take_answer(host.home, signed)
    assert take_answer(host.home, signed) == why
    assert len(read_book(host.home).refused) == 1


def test_a_wrong_signature_that_comes_first_takes_nothing_from_the_right_one(host: AskedHost) -> None:
    signed = host.answer(host.ask())
    assert take_answer(host.home, change(signed, signature="x"))
    assert take_answer(host.home, signed) == ""
