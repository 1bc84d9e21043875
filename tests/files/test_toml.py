"""A document costs what its length costs, however its keys are written."""

import time

import pytest

from synaptic.files.toml import parse_toml

MANY = 20_000


@pytest.mark.parametrize(
    "text",
    [
        "a." * MANY + "a = 1",
        "[" + "a." * MANY + "a]",
        "[[" + "a." * MANY + "a]]",
        "x = {" + "a." * MANY + "a = 1}",
        '"a".' * MANY + "a = 1",
        "'a'." * MANY + "a = 1",
        '"\\"".' * MANY + "a = 1",
        "a . " * MANY + "a = 1",
        'x = {y = "z", ' + "a." * MANY + "a = 1}",
        'x = {y = """\nz""", ' + "a." * MANY + "a = 1}",
        'x = {y = """\nz"""", ' + "a." * MANY + "a = 1}",
        "x = {y = '''\n# z''', " + "a." * MANY + "a = 1}",
        'x = {y = """\n# z""", ' + "a." * MANY + "a = 1}",
        "x = " + "[" * MANY,
        "x = " + "{a = " * MANY,
        "[a]\n" * 2,
        '"' * MANY,
        '"\\"' * MANY,
        "\\" * MANY,
    ],
    ids=lambda text: text[:12],
)
def test_what_would_take_long_or_is_none_is_an_error_at_once(text: str) -> None:
    start = time.process_time()
    with pytest.raises(ValueError, match=r"\S"):
        parse_toml(text)
    assert time.process_time() - start < 2


@pytest.mark.parametrize(
    "text",
    [
        'a.b.c = "' + "." * 500 + '"',
        "x = '" + "a." * 500 + "'  # " + "." * 500,
        "# " + "a." * 500 + "\nx = 1",
        'x = ["' + '", "'.join(["a.b"] * 200) + '"]',
        "x = [" + "1.5, " * 10 + "]",
        'x = """\na. b. c.\n"""',
    ],
    ids=lambda text: text[:12],
)
def test_dots_in_strings_and_comments_are_no_keys(text: str) -> None:
    assert parse_toml(text)
