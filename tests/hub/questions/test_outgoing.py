"""The process that ships, and a hub that it tells of questions: also one that brings nonsense."""

import os
import subprocess
import sys
import time

from synaptic.hub.wire import HubNews, SignedAnswer
from synaptic.model.decision import Decision, Kind
from synaptic.model.grant import RefusedAct, RefusedNews, RefusedSubject
from synaptic.store import grants, refused
from synaptic.store.record import EventRecord
from tests.hub.shipping.conftest import Shipping, hub, shipping, wait_until

__all__ = ["hub", "shipping"]


def ask(shipping: Shipping, fingerprint: str) -> str:
    """A question that is written down; its mark."""
    act = RefusedAct(policy="git.clean", options="o", fingerprint=fingerprint)
    subject = RefusedSubject(
        code="k7qmd", acts=(act,), asks=True, tool="Bash", shown="git clean -xfd", root="/p", cwd="/p"
    )
    record = EventRecord(
        call=f"call-{os.urandom(4).hex()}", at=time.time(), agent="codex", event="PreToolUse",
        decision=Decision(kind=Kind.DENY), refused=RefusedNews(subject),
    )  # fmt: skip
    refused.put_refused(shipping.store, record)
    found = refused.find_by_call(shipping.store, record.call)
    assert found
    return found.mark


def last_marks(shipping: Shipping) -> set[str]:
    with shipping.hub.lock:
        return {one["mark"] for one in shipping.hub.questions[-1]} if shipping.hub.questions else {"nothing yet"}


def test_the_hub_hears_at_once_what_waits_and_what_does_not_any_more(shipping: Shipping) -> None:
    first = ask(shipping, "f1")
    shipping.start()
    wait_until(lambda: last_marks(shipping) == {first}, 20, shipping.describe)
    second = ask(shipping, "f2")
    wait_until(lambda: last_marks(shipping) == {first, second}, 10, shipping.describe)
    refused.answer_refused(shipping.store, [first], "upheld", time.time())
    wait_until(lambda: last_marks(shipping) == {second}, 10, shipping.describe)
    with shipping.hub.lock:
        told = len(shipping.hub.questions)
    shipping.add(3)  # something else is written
    shipping.wait_until_all_arrived()
    time.sleep(1)
    with shipping.hub.lock:
        assert len(shipping.hub.questions) == told


def test_a_hub_that_was_away_hears_everything_afterwards(shipping: Shipping) -> None:
    shipping.start()
    wait_until(lambda: last_marks(shipping) == set(), 20, shipping.describe)
    with shipping.hub.away():
        mark = ask(shipping, "f1")
        time.sleep(1.5)
    wait_until(lambda: last_marks(shipping) == {mark}, 40, shipping.describe)


def test_a_hub_that_brings_nonsense_stops_nothing_and_is_told(shipping: Shipping) -> None:
    ask(shipping, "f1")
    junk = [b"", b"{}", b"\xff" * 100, b'{"host":' * 5000, b"null", b'{"host":"\\ud800"}', b"x" * (1 << 18)]
    answers = tuple(
        SignedAnswer(number, text, signature)
        for number, (text, signature) in enumerate([(text, "\x1b[2J\u202e" * 100) for text in junk], 1)
    )
    shipping.hub.news = HubNews((*answers, SignedAnswer(1 << 62, b"{}", "trusted comment: \n" * 500)))
    shipping.start()
    shipping.add(20)
    shipping.wait_until_all_arrived()
    wait_until(
        lambda: any("was refused" in problem for one in shipping.hub.statuses for problem in one["problems"]),
        30,
        shipping.describe,
    )
    shipping.add(20)
    shipping.wait_until_all_arrived()
    assert "\x1b" not in shipping.home.shipper_log.read_text()
    assert grants.list_grants(shipping.store) == ()


def test_the_daemon_loads_nothing_of_all_this() -> None:
    """What people answer from elsewhere is looked at in the process that ships."""
    code = (
        "import sys, synaptic.daemon.server; from synaptic.work.command import find_commands; find_commands();"
        "print([one for one in ('cryptography', 'httpx', 'synaptic.hub.keys') if one in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == "[]\n"
