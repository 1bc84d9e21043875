import random

from synaptic.work.text_diff import MOST_LETTERS, DiffPart, compare_texts


def join(parts: tuple[DiffPart, ...], without: str) -> str:
    return "".join(part.text for part in parts if part.change != without)


def test_words_that_came_and_went_are_told():
    parts = compare_texts("git push --force origin", "git push --force-with-lease origin")
    assert [part for part in parts if part.change != "same"] == [DiffPart("new", "-with-lease")]


def test_both_texts_can_be_read_out_of_any_comparison():
    chosen = random.Random(3)
    for _ in range(200):
        before, after = ("".join(chosen.choice("ab \n\x0b\u2028<") for _ in range(chosen.randint(0, 60))) for _ in "12")
        parts = compare_texts(before, after)
        assert (join(parts, "new"), join(parts, "gone")) == (before, after)


def test_of_long_texts_only_the_beginning_is_compared():
    for before, after in (("a b " * 100_000, "b a " * 100_000), ("x\n" * 100_000, "y\n" * 100_000)):
        parts = compare_texts(before, after)
        assert (join(parts, "new"), join(parts, "gone")) == (before[:MOST_LETTERS], after[:MOST_LETTERS])
