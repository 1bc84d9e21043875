"""What a script takes away, writes over or makes, as far as its words say it."""

import pytest

from synaptic.shell.effects.effects import read_effects
from synaptic.shell.effects.losses import MAX_LOSSES, find_losses, find_made
from synaptic.shell.read.reader import read_safely


def lost(text: str) -> list[tuple[str, str]]:
    effects = read_effects(read_safely(text, "/home/u/p", "/home/u"))
    return [(one.kind, one.word.text) for one in find_losses(effects, lambda words, folders: True)]


def made(text: str) -> list[str]:
    return [one.word.text for one in find_made(read_effects(read_safely(text, "/home/u/p", "/home/u")))]


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("rm a b", [("delete", "a"), ("delete", "b")]),
        ("echo x > a", [("write", "a")]),
        ("truncate -s 0 a", [("delete", "a")]),
        ("sed -i s/x/y/ a", [("edit", "a")]),
        ("mv a b", [("move", "a"), ("replace", "b")]),
        ("cp a b", [("write", "b")]),
        ("cp -r a/. b", [("fill", "b")]),
        ("ln -sf a b", [("replace", "b")]),
        ("dd if=a of=b", [("write", "b")]),
        ("sort -o b a", [("write", "b")]),
        ("unzip -o a -d b", [("fill", "b")]),
        ("tar xf a -C b", [("fill", "b")]),
        ("tar cf b a", [("write", "b")]),
        ("rsync -a a/ b/", [("fill", "b/")]),
        ("curl -o b https://x.example", [("write", "b")]),
        ("python3 -c \"import os; os.remove('a')\"", [("delete", "a")]),
    ],
)
def test_what_is_lost_is_named(text: str, want: list[tuple[str, str]]) -> None:
    assert lost(text) == want


@pytest.mark.parametrize(
    "text",
    [
        "echo x >> a", "tee -a a", "cp -n a b", "mv -n a b", "ln -s a b", "rm -i a", "truncate -s +1K a", "touch a",
        "mkdir a", "unzip a -d b", "tar xkf a -C b", "rsync -n a/ b/", "git checkout -- a", "cat a > /dev/null",
        "trash a",
    ],
)  # fmt: skip
def test_what_loses_nothing_is_not(text: str) -> None:
    assert lost(text) == []


def test_what_is_made_has_the_folder_of_a_clone_and_nothing_that_was_moved() -> None:
    assert made("mkdir -p a; touch b; git clone https://x.example/c.git; git init d; echo > e") == [
        "e", "a", "b", "d", "c",
    ]  # fmt: skip
    assert made("mv a b; ln -s c d") == []


def test_words_that_do_not_matter_are_left_out_but_where_something_is_deleted() -> None:
    effects = read_effects(
        read_safely("cp a b; cp a /c; echo > d; echo > /e; rm f; sort -o g h", "/home/u/p", "/home/u")
    )
    found = find_losses(effects, lambda words, folders: any(word.text[:1] == "/" for word in words))
    assert [(one.kind, one.word.text) for one in found] == [("write", "/e"), ("write", "/c"), ("delete", "f")]


def test_a_long_script_is_looked_at_up_to_a_limit() -> None:
    assert len(lost("rm " + " ".join(f"f{number}" for number in range(MAX_LOSSES * 2)))) <= MAX_LOSSES
