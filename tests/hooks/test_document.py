import pytest

from synaptic.hooks.document import load_yaml
from synaptic.model.errors import DeclarationError


def test_plain_data_is_loaded():
    assert load_yaml(b"a: [1, x]\nb: {c: true}\n", "f") == {"a": [1, "x"], "b": {"c": True}}


def test_an_empty_document_is_nothing():
    assert load_yaml(b"", "f") is None
    assert load_yaml(b"# only a comment\n", "f") is None


BOMB = "a: &a [x, x]\n" + "".join(f"{chr(98 + n)}: &{chr(98 + n)} [{f'*{chr(97 + n)}, ' * 9}]\n" for n in range(9))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (BOMB, "uses the alias `*a`"),
        ("a: &a [*a]", "uses the alias"),
        ("a: " + "[" * 200_000, "nested more than 16 levels"),
        ("\n".join(" " * n + "a:" for n in range(300)), "nested more than 16 levels"),
        ("a: 1\na: 2", "`a` is there twice"),
        ("a: {b: 1, b: 2}", "`b` is there twice"),
        ("a: !!python/object/apply:os.system [echo]", "is no valid YAML"),
        ("a: !custom x", "is no valid YAML"),
        ("a: 1\n---\nb: 2", "is no valid YAML"),
        ("a: [", "is no valid YAML"),
        ("a: 2024-99-99", "is no valid YAML"),
        ("\x00", "is no valid YAML"),
        ("{[1]: x}", "is no valid YAML"),
    ],
)
def test_a_document_that_is_unsafe_or_broken_is_an_error_with_its_file(text: str, message: str):
    with pytest.raises(DeclarationError) as error:
        load_yaml(text.encode(), "hooks/a.yaml")
    assert str(error.value).startswith("hooks/a.yaml: ")
    assert message in str(error.value)
