"""The repositories of a command, wherever it goes."""

from pathlib import Path

from synaptic.facts import repositories as facts
from synaptic.model.call import Call
from synaptic.model.event import PreToolUse
from synaptic.model.project import PendingCommit
from tests.facts.places import gathered
from tests.lib.shell import git, repository


def call(root: Path, command: str, tool: str = "Bash", **env: str) -> Call:
    event = PreToolUse(
        hook_event_name="PreToolUse", session_id="s", cwd=str(root), tool_name=tool, tool_input={"command": command}
    )
    return Call("c", "claude", event, {}, root=str(root), at=5.0, env={"HOME": "/home/u", **env})


def branches(root: Path, command: str) -> dict[str, str]:
    found = gathered(facts.gather_repositories, call(root, command), root)
    return {Path(folder).name: tree.branch for folder, tree in found.items()}


def test_each_call_finds_its_own_repository(tmp_path: Path) -> None:
    """S4-053, S4-054"""
    here, other = repository(tmp_path / "here", "feature"), repository(tmp_path / "other app", "main")
    assert branches(here, "git commit -m x") == {"here": "feature"}
    assert branches(here, f"cd '{other}' && git commit -m x") == {"other app": "main"}
    assert branches(here, f"git -C '{other}' commit -m x; git push -f") == {"other app": "main", "here": "feature"}


def test_a_worktree_knows_the_main_one(tmp_path: Path) -> None:
    """S4-058"""
    repo = repository(tmp_path / "my repo")
    git(repo, "worktree", "add", "-q", str(tmp_path / "side"), "-b", "side")
    found = gathered(facts.gather_repositories, call(tmp_path / "side", "git worktree remove ."), tmp_path)
    assert found[str(tmp_path / "side")].main == str(repo)


def test_nothing_is_looked_at_for_other_commands_and_tools(tmp_path: Path) -> None:
    repo = repository(tmp_path / "repo")
    assert branches(repo, "git status && ls") == {}
    assert gathered(facts.gather_repositories, call(repo, "git push", tool="Write"), repo) == {}
    assert gathered(facts.gather_pending, call(repo, "git push"), repo) == {}


def test_what_a_commit_would_hold(tmp_path: Path) -> None:
    """S4-053"""
    repo = repository(tmp_path / "repo")
    (repo / "MASTER_PLAN.md").write_text("plan")
    (repo / "b c.py").write_text("x = 1\n")
    git(repo, "add", "MASTER_PLAN.md", "b c.py")
    found = gathered(facts.gather_pending, call(repo, "git commit -m x"), repo)
    assert found == {str(repo): PendingCommit(staged=("MASTER_PLAN.md", "b c.py"))}


def test_a_merge_that_waits_for_its_commit(tmp_path: Path) -> None:
    """S4-054"""
    repo = repository(tmp_path / "repo")
    git(repo, "switch", "-q", "-c", "side")
    (repo / "b.py").write_text("x = 1\n")
    git(repo, "add", "b.py")
    git(repo, "commit", "-q", "-m", "side")
    git(repo, "switch", "-q", "main")
    git(repo, "merge", "-q", "--no-commit", "--no-ff", "side")
    assert gathered(facts.gather_pending, call(repo, "git commit --no-edit"), repo)[str(repo)].merging


def test_no_repository_is_no_trouble(tmp_path: Path) -> None:
    assert branches(tmp_path, "git push; git -C /does/not/exist commit; cd $X && git push") == {
        tmp_path.name: "",
        "exist": "",
    }
    assert gathered(facts.gather_pending, call(tmp_path, "git commit -m x"), tmp_path) == {
        str(tmp_path): PendingCommit()
    }


def test_a_folder_with_nothing_in_it_is_known_to_be_empty(tmp_path: Path) -> None:
    new, full = tmp_path / "new", tmp_path / "full"
    new.mkdir()
    full.mkdir()
    (full / "a.txt").write_text("x")
    line = f"cd {new} && git init && git reset --hard; cd {full} && git init && git reset --hard"
    found = gathered(facts.gather_repositories, call(tmp_path, line), tmp_path)
    assert [found[str(folder)].empty for folder in (new, full)] == [True, False]


def test_an_empty_folder_of_a_repository_is_that_repositorys(tmp_path: Path) -> None:
    repo = repository(tmp_path / "repo")
    (repo / "new").mkdir()
    found = gathered(facts.gather_repositories, call(repo / "new", "git init && git reset --hard"), tmp_path)
    assert found[str(repo / "new")].top == str(repo)
    assert not found[str(repo / "new")].empty


def test_a_remote_that_the_command_makes_is_looked_for(tmp_path: Path) -> None:
    repository(tmp_path / "old")
    line = "git init --bare up.git && git init --bare old && git clone up.git c && cd c && git push -f origin main"
    found = gathered(facts.gather_repositories, call(tmp_path, line), tmp_path)
    assert found[str(tmp_path / "up.git")].missing
    assert found[str(tmp_path / "old")].is_known


def test_that_no_repository_is_there_says_nothing_where_the_environment_names_one(tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    line = call(tmp_path / "new", "git init && git reset --hard", GIT_DIR="/home/u/project/.git")
    assert gathered(facts.gather_repositories, line, tmp_path) == {}
