import msgspec
import pytest

from synaptic.hooks.shape import convert_table, list_unknown_keys, refuse_typos
from synaptic.model.errors import DeclarationError


class Shape(msgspec.Struct):
    name: str
    sizes: tuple[int, ...] = ()


def test_known_keys_are_typed_and_others_left_out():
    assert convert_table({"name": "a", "sizes": [1], "more": 2}, Shape, "f") == Shape("a", (1,))
    assert list_unknown_keys({"name": "a", "more": 2, 7: 1}, Shape) == ["more", "7"]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"name": 1}, "f: `name`: expected `str`, got `int`"),
        ({"name": "a", "sizes": ["x"]}, "f: `sizes[0]`: expected `int`, got `str`"),
        ({}, "f: object missing required field `name`"),
        ([], "f: expected a table of keys and values"),
    ],
)
def test_the_error_names_file_and_key(table: object, message: str):
    with pytest.raises(DeclarationError) as error:
        convert_table(table, Shape, "f")
    assert str(error.value) == message


def test_a_key_like_a_known_one_is_refused_and_others_told():
    with pytest.raises(DeclarationError, match="did you mean `name`"):
        refuse_typos({"nam": 1}, Shape, "f")
    with pytest.raises(DeclarationError, match="has 21 unknown keys, `z0` first"):
        refuse_typos({f"z{number}": 1 for number in range(21)}, Shape, "f")
    assert refuse_typos({"zzz": 1}, Shape, "f") == ["f: unknown key `zzz` is ignored"]
