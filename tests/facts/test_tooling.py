"""Which programs a project is checked with, as they are installed."""

from pathlib import Path

from synaptic.facts import tooling as facts
from synaptic.model.project import Tooling
from tests.facts.places import call, gathered
from tests.lib.shell import git, repository


def program(folder: Path, name: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def test_a_project_own_program_before_the_user_one(tmp_path: Path):
    """S4-110, S4-125"""
    (tmp_path / "pyproject.toml").write_text("[tool.ruff]\n[tool.pytest.ini_options]\n")
    users = program(tmp_path / "bin", "ruff")
    about = call(tmp_path, "a.py", PATH=f"relative:{tmp_path}/bin")
    assert gathered(facts.gather_linter, about, tmp_path).argv[0] == str(users)
    own = program(tmp_path / ".venv" / "bin", "ruff")
    found = gathered(facts.gather_linter, about, tmp_path)
    assert found == Tooling(
        name="ruff", argv=(str(own), "check", "--fix", "--quiet", f"{tmp_path}/a.py"), cwd=str(tmp_path)
    )


def test_a_program_that_is_not_installed_is_left_out(tmp_path: Path):
    """S4-111"""
    (tmp_path / "pyproject.toml").write_text("[tool.ruff]\n[tool.pytest.ini_options]\n")
    assert gathered(facts.gather_linter, call(tmp_path, "a.py", PATH="/nowhere"), tmp_path).argv == ()
    assert gathered(facts.gather_suite, call(tmp_path, "a.py", PATH="/nowhere"), tmp_path).argv == ()


def test_a_worktree_is_checked_where_it_is(tmp_path: Path):
    repo = repository(tmp_path / "repo")
    git(repo, "worktree", "add", "-q", str(repo / ".claude" / "worktrees" / "side"), "-b", "side")
    side = repo / ".claude" / "worktrees" / "side"
    (side / "tests").mkdir()
    program(tmp_path / "bin", "pytest")
    found = gathered(facts.gather_suite, call(repo, str(side / "a.py"), PATH=f"{tmp_path}/bin"), tmp_path)
    assert (found.name, found.cwd) == ("pytest", str(side))


def test_other_files_are_nobody_s_business(tmp_path: Path):
    (tmp_path / "pyproject.toml").write_text("[tool.ruff]\n")
    program(tmp_path / ".venv" / "bin", "ruff")
    for path in ("a.md", "vendor/a.py", ""):
        assert gathered(facts.gather_linter, call(tmp_path, path), tmp_path) == Tooling()
        assert gathered(facts.gather_suite, call(tmp_path, path), tmp_path) == Tooling()


def test_where_the_configured_runner_is_missing_the_project_s_script_runs(tmp_path: Path):
    """S4-125"""
    (tmp_path / "vitest.config.ts").write_text("")
    (tmp_path / "pnpm-lock.yaml").write_text("")
    (tmp_path / "package.json").write_text('{"scripts": {"test": "vitest"}}')
    npm = program(tmp_path / "bin", "npm")
    about = call(tmp_path, "src/a.test.ts", PATH=f"{tmp_path}/bin")
    assert gathered(facts.gather_suite, about, tmp_path).argv == (str(npm), "test", "--silent")
    pnpm = program(tmp_path / "bin", "pnpm")
    assert gathered(facts.gather_suite, about, tmp_path).argv == (str(pnpm), "test")
    vitest = program(tmp_path / "node_modules" / ".bin", "vitest")
    assert gathered(facts.gather_suite, about, tmp_path).argv == (str(vitest), "run")
