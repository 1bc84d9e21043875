"""Text that code may start, by whatever way it gets to it."""

import pytest

from synaptic.shell.languages.startable import CodeSurroundings, find_removable, find_startable

RESET = "git reset --hard"


@pytest.mark.parametrize(
    ("language", "code"),
    [
        ("perl", f'%h = (a => "{RESET}"); system $h{{a}}'),
        ("perl", 'system join " ", "git", "reset", "--hard"'),
        ("perl", 'system sprintf("git %s --hard", "reset")'),
        ("perl", 'system scalar reverse "drah-- teser tig"'),
        ("perl", '$c = "git resXet --hard"; $c =~ s/X//; system $c'),
        ("awk", 'BEGIN { system(tolower("GIT RESET --HARD")) }'),
        ("python", "import os; f(os.system, bytes([103,105,116,32,114,101,115,101,116,32,45,45,104,97,114,100]))"),
        ("python", 'import os; f(os.system, b64decode("Z2l0IHJlc2V0IC0taGFyZA=="))'),
        ("tcl", f'set c "{RESET}"; eval exec $c'),
        ("c", f'int main() {{ system("{RESET}"); }}'),
    ],
)
def test_a_text_is_found_whatever_the_code_makes_of_it(language: str, code: str) -> None:
    assert RESET in find_startable(CodeSurroundings(code, language))


def test_what_code_is_given_counts_as_well() -> None:
    code = "system @ARGV"
    assert find_startable(CodeSurroundings(code, "perl", ("rm", "-rf", "x"))) == ["rm -rf x"]
    assert find_startable(CodeSurroundings("system <STDIN>", "perl", stdin=RESET)) == [RESET]
    assert find_startable(CodeSurroundings("system $ENV{X}", "perl", variables={"X": RESET, "Y": "rm -rf y"})) == [
        RESET
    ]


def test_code_that_starts_nothing_and_texts_that_were_followed_are_left_alone() -> None:
    assert not find_startable(CodeSurroundings(f'print "{RESET}"', "perl"))
    followed = frozenset({f"echo '{RESET}'"})
    assert not find_startable(CodeSurroundings(f"system \"echo '{RESET}'\"", "perl", followed=followed))


def test_folders_that_code_may_remove() -> None:
    assert find_removable(CodeSurroundings("use File::Path; rmtree shift", "perl", ("/home/u/x",))) == ["/home/u/x"]
    assert find_removable(CodeSurroundings('unlink glob "~/x/*"; rmdir "$ENV{HOME}/x"', "perl")) == ["~/x/*", "~/x"]
    assert not find_removable(CodeSurroundings('print "/home/u/x"', "perl"))
