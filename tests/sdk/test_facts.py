"""Facts of one's own, and what is remembered, as a policy reads them."""

import pytest

from synaptic.model.state import Change
from synaptic.sdk import Facts, State, add, fact, forget, keep


class Seen(State):
    """What was seen."""

    scope = "session"
    count: int = 0
    names: tuple[str, ...] = ()


@fact
def looks(event: object, facts: Facts) -> int:
    return 3


def test_a_fact_is_its_name_and_can_be_called():
    assert looks == "looks"
    assert looks(None, Facts()) == 3
    assert Facts(own={"looks": 4}).read(looks) == 4
    with pytest.raises(KeyError, match="is not named in `needs`"):
        Facts().read(looks)


def test_what_is_remembered_has_its_type_and_its_defaults():
    assert Facts().recall(Seen) == Seen()
    assert Facts(remembered={"Seen": {"count": 2, "names": ["a"]}}).recall(Seen) == Seen(count=2, names=("a",))
    assert Facts(remembered={"Seen": {"count": "x"}}).recall(Seen) == Seen()
    assert Facts(remembered={"Seen": {"gone": 1}}).recall(Seen) == Seen()


def test_changes_name_the_class_and_no_place():
    assert keep(Seen(count=1)) == Change(section="own:Seen", clear=True, put={"count": 1, "names": ()})
    assert add(Seen, count=2) == Change(section="own:Seen", add={"count": 2})
    assert forget(Seen) == Change(section="own:Seen", clear=True)
