"""What a repository knows of its remotes."""

from pathlib import Path

from synaptic.facts import tracking
from synaptic.model.project import KnownRemotes
from tests.facts.places import gathered
from tests.facts.test_repositories import call
from tests.lib.shell import git, repository


def test_branches_and_tags_are_found_loose_and_packed(tmp_path: Path) -> None:
    """S4-055"""
    remote, repo = repository(tmp_path / "remote"), repository(tmp_path / "repo")
    git(remote, "branch", "a/b")
    git(repo, "remote", "add", "up.stream", str(remote))
    git(repo, "fetch", "-q", "up.stream")
    git(repo, "tag", "v1")
    want = KnownRemotes(
        remotes=frozenset({"up.stream"}),
        branches=frozenset({"up.stream/main", "up.stream/a/b"}),
        tags=frozenset({"v1"}),
    )
    for packing in (("status",), ("pack-refs", "--all")):
        git(repo, *packing)
        found = gathered(tracking.gather_tracking, call(repo, "git push -f"), repo)[str(repo)]
        assert found.remotes == want.remotes
        assert found.tags >= want.tags
        assert found.branches >= want.branches


def test_nothing_is_looked_at_without_force(tmp_path: Path) -> None:
    repo = repository(tmp_path / "repo")
    for command in ("git push", "git push origin main --force-with-lease", "git fetch"):
        assert gathered(tracking.gather_tracking, call(repo, command), repo) == {}


def test_no_repository_is_no_trouble(tmp_path: Path) -> None:
    assert gathered(tracking.gather_tracking, call(tmp_path, "git push -f; git -C /nowhere push -f"), tmp_path) == {}
