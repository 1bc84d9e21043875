"""What only zsh understands."""

import pytest

from tests.shell.read.seen import seen


@pytest.mark.parametrize(
    "text",
    [
        "=rm b",
        "- rm b",
        "zf_rm b",
        "repeat 2 rm b",
        "repeat 2 { rm b }",
        "function { rm b }",
        "() { rm b }",
        "f() { rm b }; f",
        "function f g { rm b }; g",
        "{ : } always { rm b }",
        "for x (rm) $x b",
        "for x in rm; $x b",
        "if [[ 1 ]] { rm b }",
        "if [[ 1 ]] { : } else { rm b }",
        "c='rm b'; $=c",
        "c='rm b'; ${=c}",
        "c='rm b'; ${(z)c}",
        "c='rm b'; ${(s: :)c}",
        "c=rmXb; ${(s.X.)c}",
        "c='rm b'; v=c; eval ${(P)v}",
        "a=(rm b); $a",
        "a=(rm b); $a[1] b",
        "a=(x rm b); ${a[2,-1]}",
        "a=(rm b); eval ${(j: :)a}",
        "x=RM; ${(L)x} b",
        "x=/a/rm; ${x:t} b",
        "x=/a/rm; $x:t b",
        "x=rm.c; ${x:r} b",
        "x=ram; ${x:s/a//} b",
        "x=xrmx; ${x[2,3]} b",
        "${:-rm} b",
        "${${:-xrm}#x} b",
        "x='$(rm b)'; : ${(e)x}",
        "alias -g B=b; eval 'rm B'",
        "alias -s x='rm b;:'; eval a.x",
        "aliases[x]='rm b'; eval x",
        "functions[f]='rm b'; f",
        "commands[f]=rm; f b",
        "hash f=rm; f b",
        "$commands[rm] b",
        "f() { rm b }; add-zsh-hook chpwd f",
        "f() { rm b }; chpwd_functions+=(f)",
        "TRAPUSR1() { rm b }",
        "rm(.) b",
        "sh =(echo rm b)",
        "sh < =(echo rm b)",
        "eval \"$(<<< 'rm b')\"",
        "emulate sh -c 'rm b'",
        "print rm b | sh",
        "print -v x rm b; $x",
        "c='rm b'; sh -c $c",
    ],
)
def test_it_runs(text: str) -> None:
    assert "rm b" in seen(text)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("echo } && ls", ["echo }", "ls"]),
        ("a=(b c); echo ${a[@]}", ["echo b c"]),
        ("echo $PATH:x", ["echo /usr/bin:/bin:x"]),
        ("awk '{ print }' f", ["awk { print } f"]),
        ("echo a=b =c", ["echo a=b =c"]),
    ],
)
def test_bash_is_read_as_before(text: str, found: list[str]) -> None:
    assert seen(text) == found
