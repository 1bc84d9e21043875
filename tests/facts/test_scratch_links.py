"""Links in scratch folders that lead a deletion elsewhere."""

from pathlib import Path

import pytest

from synaptic.facts.scratch_links import MAX_PATHS, find_scratch_links
from synaptic.policies.reading import make_work_folders
from synaptic.shell.reading import CommandReading


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with documents, and with a link to them in its scratch folder."""
    (tmp_path / "u" / "docs").mkdir(parents=True)
    (tmp_path / "u" / ".cache" / "own").mkdir(parents=True)
    (tmp_path / "u" / ".cache" / "way").symlink_to(tmp_path / "u" / "docs")
    return tmp_path / "u"


def look(home: Path, line: str) -> dict[str, str]:
    cwd = str(home / "app")
    at = make_work_folders(cwd, str(home), cwd)
    return dict(find_scratch_links(CommandReading(line, cwd, str(home)), at))


@pytest.mark.parametrize(
    "line",
    [
        "rm -rf ~/.cache/way/*",
        "rm -rf ~/.cache/way/",
        "rm ~/.cache/way/a.md",
        "cd ~/.cache/way && rm -rf ./*",
        "rm -rf ~/.cache/own/../way/x",
    ],
)
def test_a_link_on_the_way_to_what_is_deleted_is_found(home: Path, line: str) -> None:
    assert look(home, line) == {str(home / ".cache" / "way"): str((home / "docs").resolve())}


@pytest.mark.parametrize(
    "line",
    [
        "rm -rf ~/.cache/way",
        "rm -rf ~/.cache/own/*",
        "ls ~/.cache/way/*",
        "rm -rf ~/docs/a",
        "ssh h rm -rf ~/.cache/way/a",
    ],
)
def test_where_no_link_is_gone_through_there_is_none(home: Path, line: str) -> None:
    assert look(home, line) == {}


def test_many_long_and_broken_paths_are_looked_at_within_bounds(home: Path) -> None:
    words = [f"~/.cache/own/{number}/x" for number in range(3 * MAX_PATHS)]
    assert look(home, "rm -rf " + " ".join(words)) == {}
    assert look(home, f"rm -rf ~/.cache/{'a' * 300}/x ~/.cache/{'b/' * 2500}c") == {}
    (home / ".cache" / "round").symlink_to(home / ".cache" / "round")
    assert set(look(home, "rm -rf ~/.cache/round/x")) <= {str(home / ".cache" / "round")}
