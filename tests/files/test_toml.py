"""A document costs what its length costs, however its keys are written."""

import time

import pytest

from synaptic.files.toml import parse_toml

MANY = 100_000
"""Parts: 200 KB and more, which `tomllib` alone would take minutes for."""


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
        "[" + '"\\""."\\"".' * MANY + "a]",
        '"".' * MANY + "a = 1",
        "\t.\t".join("a" * MANY) + " = 1",
        'x = """a\\"""" \n' + "a." * MANY + "a = 1",
        'x = """a"""""\n' + "a." * MANY + "a = 1",
        "x = '''a'''''\n" + "a." * MANY + "a = 1",
        "a . " * MANY + "a = 1",
        'x = {y = "z", ' + "a." * MANY + "a = 1}",
        'x = {y = """\nz""", ' + "a." * MANY + "a = 1}",
        'x = {y = """\nz"""", ' + "a." * MANY + "a = 1}",
        "x = {y = '''\n# z''', " + "a." * MANY + "a = 1}",
        'x = {y = """\n# z""", ' + "a." * MANY + "a = 1}",
        "x = " + "[" * MANY,
        "x = " + "[" * MANY + "]" * MANY,
        "x = " + "{a = " * MANY,
        "x = " + "{a = " * MANY + "1" + "}" * MANY,
        "x = " + "[{a = " * MANY,
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
        "x = [" + "1.5, " * 100 + "]",
        'x = """\n' + "a. b. c. " * 50 + '\n"""',
        'x = """' + '""a.' * 50 + '"""""\ny.z = 1',
        "x = '''" + "''a." * 50 + "'''''",
    ],
    ids=lambda text: text[:12],
)
def test_dots_in_strings_and_comments_are_no_keys(text: str) -> None:
    assert parse_toml(text)
    assert parse_toml(text.encode()) == parse_toml(text)
