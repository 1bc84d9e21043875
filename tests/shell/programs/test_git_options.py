"""Options as git reads them."""

import pytest

from synaptic.shell.programs.git_options import read_options
from synaptic.shell.read.script import Word


def flags(verb: str, line: str) -> list[tuple[str, str, bool]]:
    given = read_options(verb, [Word(text) for text in line.split()])
    return [(flag.name, flag.value, flag.on) for flag in given.flags]


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
def test_options_are_read_as_git_reads_them(verb: str, line: str, want: list[tuple[str, str, bool]]) -> None:
    assert flags(verb, line) == want


def test_words_and_paths_are_kept_apart() -> None:
    given = read_options("checkout", [Word(text) for text in ["HEAD", "-q", "--", "a", "-f"]])
    assert [word.text for word in given.words] == ["HEAD"]
    assert [word.text for word in given.paths] == ["a", "-f"]
    assert given.dashes
    assert not given.has("force")


def test_the_last_mention_counts() -> None:
    assert not read_options("push", [Word("--force"), Word("--no-force")]).has("force")
    assert read_options("reset", [Word("--hard"), Word("--soft")]).last("hard", "soft") == "soft"


@pytest.mark.parametrize("line", ["-h", "--help", "file -h", "-qh"])
def test_a_call_for_help_does_nothing(line: str) -> None:
    assert read_options("restore", [Word(text) for text in line.split()]).helps


def test_help_behind_dashes_is_a_file() -> None:
    assert not read_options("restore", [Word("--"), Word("--help")]).helps
