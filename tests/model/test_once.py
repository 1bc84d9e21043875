"""Values that are computed once."""

import msgspec
import pytest

from synaptic.model.once import computed_once


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
