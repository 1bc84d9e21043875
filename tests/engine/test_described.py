"""The same facts are the same texts again, and only those."""

from typing import Any

import pytest

from synaptic.engine.described import MOST_BYTES, MOST_OF_PLACE, MOST_PLACES, DescribedTexts, SeenFacts
from synaptic.model.sane import MirroredFiles
from synaptic.model.state import State
from synaptic.store.basis import seal_text

PLACE = ("catalog", "project", "session")
TEXTS = (seal_text(b"{}"),)
OWNER = object()


def see(mirror: str = "missing", tables: bytes = b"[{}]", state: State = State()) -> SeenFacts:  # noqa: B008 - frozen
    look: Any = mirror
    return SeenFacts((MirroredFiles(look), {}), tables, state, OWNER)


@pytest.fixture
def described() -> DescribedTexts:
    found = DescribedTexts()
    found.keep(PLACE, see(), TEXTS)
    return found


def test_equal_facts_are_the_same_texts(described: DescribedTexts):
    assert described.find(PLACE, see()) is TEXTS


@pytest.mark.parametrize("other", [see("forged"), see(tables=b"[1]"), see(state=State({"project:a": {}}))])
def test_other_facts_are_not(described: DescribedTexts, other: SeenFacts):
    assert described.find(PLACE, other) is None
    assert described.find((*PLACE, "more"), see()) is None


def test_a_section_is_the_same_while_it_is_the_same_object(described: DescribedTexts):
    """What is equal may be another text: 1 and true."""
    section = {"count": 1}
    described.keep(PLACE, see(state=State({"project:a": section})), TEXTS)
    assert described.find(PLACE, see(state=State({"project:a": section}))) is TEXTS
    assert described.find(PLACE, see(state=State({"project:a": {"count": True}}))) is None
    assert described.find(PLACE, see(state=State({"project:b": section}))) is None
    assert described.find(PLACE, see(state=State({"project:a": section}, frozenset({"project:b"})))) is None
    assert described.find(PLACE, see(state=State({"project:a": section}, known=False))) is None


def test_a_few_are_kept_for_each_place_and_none_of_a_state_that_is_over(described: DescribedTexts):
    for number in range(MOST_OF_PLACE):
        described.keep(PLACE, see(tables=b"[%d]" % number), TEXTS)
    assert described.find(PLACE, see()) is None
    assert all(described.find(PLACE, see(tables=b"[%d]" % number)) for number in range(MOST_OF_PLACE))
    newer = State({"project:a": {}})
    described.keep(PLACE, see(state=newer), TEXTS)
    assert described.find(PLACE, see(tables=b"[0]")) is None
    assert described.find(PLACE, see(state=newer)) is TEXTS


def test_places_that_were_not_needed_for_long_are_forgotten_and_large_texts_never_kept(described: DescribedTexts):
    for number in range(MOST_PLACES):
        described.keep(number, see(), TEXTS)
    assert described.find(PLACE, see()) is None
    assert described.find(MOST_PLACES - 1, see()) is TEXTS
    described.keep(PLACE, see(), (seal_text(b'"%s"' % (b"a" * MOST_BYTES)),))
    assert described.find(PLACE, see()) is None
