"""Variables: arrays, references, slices, and those that stand in front of a command."""

import pytest

from tests.shell.read.seen import seen


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("X=rm sh -c '$X a'", "rm a"),
        ("env X=rm sh -c '$X a'", "rm a"),
        ("X='rm a' eval '$X'", "rm a"),
        ("f() { $X a; }; X=rm f", "rm a"),
        ("X=rm true; ${X:-ls} a", "<ls> a"),
        ("a=(x rm b); ${a[@]:1}", "rm b"),
        ('set -- x rm b; "${@:2}"', "rm b"),
        ("set -- x 'rm b'; eval \"${!#}\"", "rm b"),
        ("a=([3]='rm b'); ${a[3]}", "rm b"),
        ("a[3]='rm b'; i=2; ${a[i+1]}", "rm b"),
        ("declare -A m=([k]='rm b'); ${m[k]}", "rm b"),
        ("declare -A m; m[k]='rm b'; k=k; ${m[$k]}", "rm b"),
        ("x='rm b'; declare -n r=x; $r", "rm b"),
        ("a=(x 'rm b'); n='a[1]'; ${!n}", "rm b"),
        ("declare -l x; x=RM; $x b", "rm b"),
        ("x=xxrm; ${x:1+1} b", "rm b"),
        ("x=rmxx; ${x::2} b", "rm b"),
        ("x=rmX; ${x/%X/} b", "rm b"),
        ("x=(RM B); ${x[@],,}", "rm b"),
        ("x=RM; ${x@L} b", "rm b"),
        ('for w in rm b; do c="$c $w"; done; $c', "rm b"),
        ('a=(rm b); for ((i=0;i<2;i++)); do c+="${a[i]} "; done; $c', "rm b"),
        ("while read w; do c=\"$c $w\"; done <<< $'rm\\nb'; $c", "rm b"),
        ("f() { local c=$1; $c; }; f 'rm b'", "rm b"),
        ("r$@m b", "rm b"),
        ("r${nobody}m b", "rm b"),
        ("rm$IFS$9b", "rm b"),
        ('printf -v x "%s" "it\'s"; rm "$x"', "rm it's"),
    ],
)
def test_what_a_variable_makes_run(text: str, found: str) -> None:
    assert seen(text)[-1] == found


def test_a_variable_in_front_of_a_command_ends_with_it() -> None:
    assert seen("X=rm; X=ls true; $X b")[-1] == "rm b"


def test_a_reference_to_itself_ends() -> None:
    assert seen("declare -n a=b; declare -n b=a; echo $a") == ["declare -n a=b", "declare -n b=a", "echo <$a>"]
