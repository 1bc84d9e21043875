"""Options as programs read them."""

import pytest

from synaptic.shell.book.arguments import Arguments, read_arguments
from synaptic.shell.book.entries import UNKNOWN_PROGRAM, find_program
from synaptic.shell.book.notation import parse_options
from synaptic.shell.read.script import Word


def given(line: str, options: str = "", **how: bool) -> Arguments:
    return read_arguments([Word(text) for text in line.split()], parse_options(options, **how))


def of_git(verb: str, line: str) -> Arguments:
    return (find_program("git").find_verb(verb) or UNKNOWN_PROGRAM).read([Word(text) for text in line.split()])


def texts(words: tuple[Word, ...]) -> list[str]:
    return [word.text for word in words]


@pytest.mark.parametrize("line", ["-r -f x", "-rf x", "-fR x", "--recursive --force x", "--rec --forc x", "x -rf"])
def test_bundled_and_shortened_options_are_the_same(line: str):
    found = given(line, "recursive|r|R force|f")
    assert found.has("recursive")
    assert found.has("force")
    assert texts(found.operands) == ["x"]


def test_two_dashes_end_the_options():
    found = given("-- -rf x")
    assert not found.has("r")
    assert texts(found.operands) == ["-rf", "x"]


@pytest.mark.parametrize(
    "line", ["-o out x", "-oout x", "--output out x", "--output=out x", "-so out x", "--out out x"]
)
def test_a_value_is_no_operand(line: str):
    found = given(line, "output|o=:write |s")
    assert texts(found.get_values("output")) == texts(found.get_by_role("write")) == ["out"]
    assert texts(found.operands) == ["x"]


def test_a_dash_alone_is_an_operand_and_a_missing_value_is_none():
    assert texts(given("-").operands) == ["-"]
    assert given("-o", "|o=").get_values("o") == ()


def test_an_optional_value_is_only_what_is_attached():
    assert given("-i.bak x", "|i?").get_value("i") == ".bak"
    assert texts(given("-i x", "|i?").operands) == ["x"]


def test_of_two_values_the_second_counts():
    found = given("--bind a b c", "bind==")
    assert texts(found.get_values("bind")) == ["b"]
    assert texts(found.operands) == ["c"]


def test_options_end_where_the_command_begins():
    assert texts(given("-n 5 make -k", "|n=", stops=True).operands) == ["make", "-k"]
    assert texts(given("-c code -c more", "|c=!").operands) == ["-c", "more"]


@pytest.mark.parametrize("line", ["-out a b", "--out a b", "-out=a b"])
def test_long_options_may_have_one_dash(line: str):
    found = given(line, "out=:write", single_dash=True)
    assert texts(found.get_by_role("write")) == ["a"]
    assert texts(found.operands) == ["b"]


def test_options_may_be_assignments():
    found = given("if=a of=b bs=1M", "if=:read of=:write", assigned=True)
    assert texts(found.get_by_role("write")) == ["b"]
    assert texts(found.operands) == ["bs=1M"]


def test_an_unknown_option_keeps_its_name_and_takes_no_word():
    found = given("-x=1 --unheard-of=2 --more y", "|v")
    assert [(flag.name, flag.text, flag.known) for flag in found.flags] == [
        ("x", "1", False),
        ("unheard-of", "2", False),
        ("more", "", False),
    ]
    assert texts(found.operands) == ["y"]


@pytest.mark.parametrize(
    ("verb", "line", "want"),
    [
        ("push", "-uf origin main", [("set-upstream", "", True), ("force", "", True)]),
        ("push", "--forc origin", [("force", "", True)]),
        ("reset", "--mer x", [("merge", "", True)]),
        ("push", "--force-with-lease=main:abc", [("force-with-lease", "main:abc", True)]),
        ("push", "--no-force", [("force", "", False)]),
        ("push", "--repo --help origin", [("repo", "--help", True)]),
        ("push", "-oci.skip", [("push-option", "ci.skip", True)]),
        ("push", "-o ci.skip", [("push-option", "ci.skip", True)]),
        ("checkout", "-bnew", [("b", "new", True)]),
        ("checkout", "-tdirect", [("track", "direct", True)]),
        ("branch", "--merged -d feature", [("merged", "-d", True)]),
        ("branch", "--no-merged -d feature", [("no-merged", "-d", True)]),
        ("branch", "--no-format -d x", [("format", "", False), ("delete", "", True)]),
        ("prune", "--expire= x", [("expire", "", True)]),
        ("push", "--unheard-of", [("unheard-of", "", True)]),
        ("unheard-of", "-ab --cd=1", [("a", "", True), ("b", "", True), ("cd", "1", True)]),
    ],
)
def test_options_are_read_as_git_reads_them(verb: str, line: str, want: list[tuple[str, str, bool]]):
    assert [(flag.name, flag.text, flag.on) for flag in of_git(verb, line).flags] == want


def test_words_and_what_stands_behind_dashes_are_kept_apart():
    found = of_git("checkout", "HEAD -q -- a -f")
    assert texts(found.words) == ["HEAD"]
    assert texts(found.behind) == ["a", "-f"]
    assert found.dashes
    assert not found.has("force")


def test_the_last_mention_counts():
    assert not of_git("push", "--force --no-force").has("force")
    assert of_git("reset", "--hard --soft").find_last("hard", "soft") == "soft"


@pytest.mark.parametrize("line", ["-h", "--help", "file -h", "-qh"])
def test_a_call_for_help_does_nothing(line: str):
    assert of_git("restore", line).is_help


def test_help_behind_dashes_is_a_file():
    assert not of_git("restore", "-- --help").is_help


def test_a_long_cluster_hides_no_letter_and_counts_none_a_hundred_times() -> None:
    given = find_program("rm").read([Word("-" + "v" * 900 + "rf"), Word("x")])
    assert given.has("recursive")
    assert given.has("force")
    assert len(given.flags) <= 6
