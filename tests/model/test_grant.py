"""When an exception counts, and the handle of a refusal."""

import msgspec
import pytest

from synaptic.model.grant import CODE_LENGTH, CODE_LETTERS, Grant, RefusedAct, make_code

GRANT = Grant(id="g", at=1.0, policy="git.reset-hard", options="o")
ACT = RefusedAct(policy="git.reset-hard", options="o", fingerprint="f")


@pytest.mark.parametrize(
    ("changes", "counts"),
    [
        ({}, True),
        ({"used_by": "c1"}, True),
        ({"used_by": "c2"}, False),
        ({"scope": "always", "used_by": "c2"}, True),
        ({"revoked": 5.0}, False),
        ({"revoked": 50.0}, False),
        ({"scope": "until", "expires": 10.5}, True),
        ({"scope": "until", "expires": 10.0}, False),
        ({"expires": 9.0, "used_by": "c1"}, False),
    ],
)
def test_a_grant_counts_until_it_is_used_up_taken_back_or_over(changes: dict[str, object], counts: bool) -> None:
    assert msgspec.structs.replace(GRANT, **changes).is_in_force(10.0, "c1") is counts


def test_one_that_was_used_up_is_in_force_for_nobody_who_names_no_call() -> None:
    assert not msgspec.structs.replace(GRANT, used_by="c1").is_in_force(10.0)


def test_a_handle_is_short_and_has_no_letter_that_looks_like_another() -> None:
    code = make_code([ACT], "/p")
    assert len(code) == CODE_LENGTH
    assert set(code) <= set(CODE_LETTERS)
    assert not set("01ilo") & set(CODE_LETTERS)


def test_a_handle_is_the_same_for_the_same_refusal_and_another_for_any_other() -> None:
    others = [
        make_code([msgspec.structs.replace(ACT, **{name: "x"})], "/p")
        for name in ("policy", "options", "fingerprint", "stakes")
    ]
    codes = [make_code([ACT], "/p"), *others, make_code([ACT], "/q"), make_code([ACT, ACT], "/p")]
    assert make_code([ACT], "/p") == codes[0]
    assert len(set(codes)) == len(codes)


def test_a_handle_can_be_made_of_any_text() -> None:
    assert make_code([msgspec.structs.replace(ACT, policy="\ud800")], "\udc00")


def test_handles_are_spread_evenly() -> None:
    codes = {make_code([msgspec.structs.replace(ACT, fingerprint=str(number))], "") for number in range(2000)}
    assert len(codes) > 1990
