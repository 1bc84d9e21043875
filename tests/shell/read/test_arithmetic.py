"""Formulas and subscripts: what they run, and the numbers that are known."""

import pytest

from tests.shell.read.seen import seen

HELD = "x='a[$(rm b)]'; "


@pytest.mark.parametrize(
    "text",
    [
        ": ${a[$(rm b)]}",
        "a[$(rm b)]=1",
        "[[ -v 'a[$(rm b)]' ]]",
        "[ -v 'a[$(rm b)]' ]",
        "[[ 'a[$(rm b)]' -eq 0 ]]",
        "let 'x=a[$(rm b)]'",
        "unset 'a[$(rm b)]'",
        "read 'a[$(rm b)]' <<< 1",
        "declare -i y='a[$(rm b)]'",
        f"{HELD}(( x ))",
        f"{HELD}echo $((x + 1))",
        f"{HELD}[[ x -eq 0 ]]",
        f"{HELD}echo ${{b[x]}}",
        f"{HELD}echo ${{HOME:x}}",
        f"{HELD}y=x; (( y ))",
        f"{HELD}: ${{!x}}",
        "x='$(rm b)'; : \"${x@P}\"",
        "PS4='$(rm b)' bash -xc :",
        "env BASH_ENV='`rm b`' bash -c :",
        "export PROMPT_COMMAND='rm b'",
        "((rm b))",
    ],
)
def test_what_is_computed_runs(text: str) -> None:
    assert "rm b" in seen(text)


@pytest.mark.parametrize(
    ("formula", "number"),
    [
        ("1+2*3", "7"),
        ("7/2", "3"),
        ("-7/2", "-3"),
        ("7%4", "3"),
        ("2>1", "1"),
        ("x+1", "5"),
        ("x++", "4"),
        ("(1)", "1"),
    ],
)
def test_plain_numbers_are_known(formula: str, number: str) -> None:
    assert seen(f"x=4; echo $(({formula}))") == [f"echo {number}"]


@pytest.mark.parametrize("formula", ["y", "1/0", "2**99999", "a?b:c", "1 2", "x=", "0x", "9" * 99])
def test_other_formulas_stay_unknown(formula: str) -> None:
    assert seen(f"echo $(({formula}))") == [f"echo <$(({formula}))>"]


def test_variables_that_name_one_another_end() -> None:
    assert seen("a=b; b=a; echo $((a))") == ["echo <$((a))>"]
