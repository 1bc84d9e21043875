"""Values that are computed once."""

import msgspec
import pytest

from synaptic.model.once import computed_once, kept_beside


class Sample(msgspec.Struct, frozen=True, dict=True):
    text: str
    asked: list[str] = []

    @computed_once
    def size(self) -> int:
        """How long it is."""
        self.asked.append(self.text)
        if not self.text:
            raise ValueError("empty")
        return len(self.text)


def test_a_value_is_computed_when_it_is_first_asked_for_and_kept() -> None:
    one = Sample("abc", [])
    assert one.asked == []
    assert (one.size, one.size) == (3, 3)
    assert one.asked == ["abc"]


def test_what_fails_is_tried_again_and_never_kept() -> None:
    one = Sample("", [])
    for _ in range(2):
        with pytest.raises(ValueError, match="empty"):
            _ = one.size
    assert one.asked == ["", ""]


def test_kept_values_are_no_part_of_what_is_compared_and_copied() -> None:
    one, other = Sample("abc", []), Sample("abc", [])
    assert one.size == 3
    assert msgspec.structs.replace(one, text="ab").size == 2
    assert msgspec.structs.replace(one, asked=[]) == other
    assert Sample.size.__doc__ == "How long it is."


class Owner(msgspec.Struct, frozen=True, dict=True):
    text: str


def test_what_is_kept_beside_an_object_is_worked_out_again_only_for_other_arguments() -> None:
    asked: list[tuple[str, int]] = []

    @kept_beside
    def cut(one: Owner, size: int) -> str:
        asked.append((one.text, size))
        return one.text[:size]

    one, other = Owner("abc"), Owner("xyz")
    assert (cut(one, 2), cut(one, 2), cut(other, 2)) == ("ab", "ab", "xy")
    assert (cut(one, 1), cut(one, 2)) == ("a", "ab")
    assert asked == [("abc", 2), ("xyz", 2), ("abc", 1), ("abc", 2)]


def test_nothing_and_no_are_kept_as_well_and_a_failure_is_not() -> None:
    asked: list[str] = []

    @kept_beside
    def judge(one: Owner) -> None:
        asked.append(one.text)
        if not one.text:
            raise ValueError("empty")

    full, empty = Owner("abc"), Owner("")
    assert (judge(full), judge(full)) == (None, None)
    for _ in range(2):
        with pytest.raises(ValueError, match="empty"):
            judge(empty)
    assert asked == ["abc", "", ""]


def test_two_functions_about_one_object_keep_their_own() -> None:
    @kept_beside
    def size(one: Owner) -> int:
        return len(one.text)

    @kept_beside
    def last(one: Owner) -> str:
        return one.text[-1]

    one = Owner("abc")
    assert (size(one), last(one), size(one)) == (3, "c", 3)
