"""Bounds: no text makes the reader fail, hang or recurse without end; a limit that was reached is said."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synaptic.shell.read.limits import MAX_COMMANDS, MAX_FOREIGN, MAX_TEXT, MAX_WORDS, Budget
from synaptic.shell.read.reader import read_script
from tests.shell.read.wrapping import RUNNING, SILENT

PIECES = [
    "(", "((", "$(", "$((", "${", "${a", "{", "{a,", "`", "\"", "'", "$'", "$\"", "<<A ", "<<A\n", "<(",
    "[[ ", "if ", "for ", "case x in ", "f(){ ", "a=(", "a[", "\\", "\\\n", "#", "\n", " ", ";", "&", "|",
    "&|", "x ", "x;", "1", "a=b ", "sudo ", "eval ", "bash -c \"", "{a,b}", "{1..9}", "$a", "*", "time ",
    "! ", "coproc ", "\t", "}", ")", "fi ", ";;", ">", "<",
]  # fmt: skip

HERE_START, HERE_END = "cat <<E | bash\n", "\nE\n"


@pytest.mark.parametrize("piece", PIECES)
def test_a_piece_repeated_over_and_over_is_bounded(piece: str) -> None:
    script = read_script(piece * (60_000 // len(piece)), "/p", "/h")
    assert len(script.commands) <= MAX_COMMANDS


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("ls;" * 4000, "commands"),
        ("ls " * (MAX_WORDS + 1), "words"),
        ("$(" * 100 + "ls" + ")" * 100, "constructions"),
        ("#" * (MAX_TEXT + 1), "characters"),
        ("sudo " * 100 + "ls", "constructions"),
        ("for i in 1 2 3 4 5 6 7 8 9; do " * 5 + "ls; " + "done; " * 5, "commands"),
        ("x=1234567890;" + "x=$x$x;" * 40 + "echo $x", "expansions"),
        (f"alias a='{HERE_START * 5}x=rm -\\x72rf $((\n/w i | bash -e{HERE_END * 5}'\na", "made from others"),
    ],
)
def test_a_limit_that_was_reached_is_said(text: str, reason: str) -> None:
    assert reason in read_script(text).truncated


def test_code_beyond_the_limit_is_still_searched_for_plain_calls() -> None:
    padding = "a = 1\n" * (MAX_FOREIGN // 6 + 1)
    found = read_script(f"python3 <<'E'\n{padding}import shutil\nshutil.rmtree('/home')\nE\n")
    assert ["rm", "-rf", "/home"] in [[word.text for word in command.argv] for command in found.commands]


def test_many_small_pieces_of_code_share_the_limit() -> None:
    budget = Budget()
    assert [budget.count_foreign_code(MAX_FOREIGN // 2) for _ in range(3)] == [True, True, False]


def test_what_stands_before_the_limit_is_still_seen() -> None:
    assert read_script("rm x;" + "ls;" * 9000).commands[0].args == ("x",)
    assert read_script("rm x " + "y " * 9000).commands[0].args[0] == "x"


def test_a_large_document_is_no_limit() -> None:
    script = read_script("cat > f <<'EOF'\n" + "rm -rf /\n" * 90_000 + "EOF\nls")
    assert [command.name for command in script.commands] == ["cat", "ls"]
    assert not script.truncated


def test_many_rounds_end_in_one_unknown_round() -> None:
    script = read_script("for i in {1..50}; do rm $i; done")
    assert [command.argv[1].known for command in script.commands] == [True] * 16 + [False]
    assert not script.truncated


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=120))
def test_no_text_makes_it_fail(text: str) -> None:
    read_script(text, "/p", "/h")


@settings(max_examples=400, deadline=None)
@given(
    st.lists(
        st.sampled_from([*PIECES, "rm -rf / ", "EOF\n", "done ", "esac ", "then ", "do ", "python -c '"]), max_size=40
    )
)
def test_no_mixture_of_pieces_makes_it_fail(pieces: list[str]) -> None:
    text = "".join(pieces)
    assert read_script(text, "/p", "/h") == read_script(text, "/p", "/h")


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(sorted(RUNNING)), st.sampled_from(sorted(SILENT)), st.randoms(use_true_random=False))
def test_a_damaged_construction_never_makes_it_fail(running: str, silent: str, chance: random.Random) -> None:
    text = list(RUNNING[running](SILENT[silent]("rm -rf /")))
    for _ in range(chance.randrange(6)):
        place = chance.randrange(len(text))
        text[place] = chance.choice(["", "'", '"', "$", "(", ")", "\\", "\n", "`", "{", "}", "\0", "é"])
    script = read_script("".join(text), "/p", "/h")
    assert all(command.span is None or command.span[1] <= len(script.text) for command in script.commands)


@pytest.mark.parametrize(
    "text",
    [
        "fi " * 6000,
        "cat <<E\n" + "E x\n" * 6000,
        "cat <<-E\n" + "\tE x\n" * 6000,
        "$a" * 6000,
    ],
)
def test_what_is_passed_over_counts_too(text: str) -> None:
    assert "words" in read_script(text).truncated


def test_brackets_that_close_nothing_are_one_complaint() -> None:
    script = read_script(")" * 100_000 + "\nrm x", "/p", "/h")
    assert [gap.text for gap in script.unresolved] == ["`)` stands alone"]
    assert [command.name for command in script.commands] == ["rm"]


def test_output_that_would_grow_too_long_is_unknown() -> None:
    long = "x" * 60_000
    script = read_script(f"{{ echo {long}; echo {long}; }} | sh", "/p", "/h")
    assert script.commands[-1].stdin is None
    assert read_script(f"echo {long} | sh", "/p", "/h").commands[1].stdin is not None


def test_code_made_from_others_inside_one_another_is_not_read_in_every_order() -> None:
    for depth in range(1, 12):
        text = f"alias a='{HERE_START * depth}x=rm -\\x72rf $((\n/w i | bash -e{HERE_END * depth}'\na"
        script = read_script(text, "/p", "/h")
        assert script.truncated
        assert len(script.commands) < 40 * depth + 200
