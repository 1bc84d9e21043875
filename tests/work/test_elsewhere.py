"""A person's word for another machine: who may give it."""

import time

import msgspec
import pytest

from synaptic.model.authority import Authority
from synaptic.store import pin as pins
from synaptic.work.elsewhere import GiveWord
from tests.work.desk import Desk, code

UNSURE = Authority(standing="unsure", why="nobody sits here")


@pytest.mark.parametrize(
    ("authority", "pin", "found"),
    [
        (Authority(standing="agent", why="process 4711 above it is claude"), "", "FOR_PEOPLE"),
        (Authority(standing="agent", why="process 4711 above it is claude"), "4711", "FOR_PEOPLE"),
        (UNSURE, "", "PIN_NEEDED"),
        (UNSURE, "1234", "PIN_WRONG"),
    ],
)
def test_nobody_else_gives_it(desk: Desk, authority: Authority, pin: str, found: str) -> None:
    pins.write_pin(desk.store, "4711", time.time())
    context = msgspec.structs.replace(desk.context(), authority=authority)
    assert code(lambda: GiveWord(pin=pin).run(context)) == found


def test_a_person_at_a_terminal_or_with_the_pin_gives_it(desk: Desk) -> None:
    pins.write_pin(desk.store, "4711", time.time())
    sure = msgspec.structs.replace(desk.context(), authority=Authority(standing="sure", who="pts/3"))
    assert GiveWord().run(sure).by == "pts/3"
    unsure = msgspec.structs.replace(desk.context(), authority=UNSURE)
    assert GiveWord(pin="4711").run(unsure).by.startswith("the PIN")
