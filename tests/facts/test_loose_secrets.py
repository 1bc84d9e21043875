"""Which files with secrets lie where a call of git would add everything."""

import os
import subprocess
from pathlib import Path

import pytest

from synaptic.facts.loose_secrets import MAX_FOUND, MAX_LOOKED_AT, gather_loose_secrets
from synaptic.model.call import Call
from synaptic.model.event import PreToolUse

IGNORED = ".env\nbuild/\n"


def find_loose(folder: Path, command: str) -> tuple[str, ...]:
    event = PreToolUse(tool_name="Bash", tool_input={"command": command}, cwd=str(folder))
    call = Call("c", "claude", event, {}, root=str(folder), env={"HOME": str(folder.parent)})
    return gather_loose_secrets(call, None)  # type: ignore[arg-type]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    (folder / "api" / "src").mkdir(parents=True)
    (folder / "build").mkdir()
    (folder / "build" / "o.js").write_text("1\n")
    (folder / ".gitignore").write_text(IGNORED)
    (folder / ".env").write_text("KEY=abc\n")
    (folder / ".env.example").write_text("KEY=\n")
    return folder


@pytest.mark.parametrize(
    "command",
    [
        "git add -f .",
        "git add -A -f .",
        "git add --force --all",
        "git add -f :/",
        "cd api && git add -A -f",
        "sed -i '/\\.env/d' .gitignore && git add -A",
        "rm .gitignore; git add .",
        ": > .gitignore && git add -A",
        "echo '!.env' >> .gitignore && git add -A",
    ],
)
def test_a_secret_is_found_where_everything_is_added(project: Path, command: str) -> None:
    assert find_loose(project, command) == (f"{project}/.env",)


@pytest.mark.parametrize(
    "command",
    [
        "git add -A",
        "git add -f build",
        "git add -f -n .",
        "git status",
        "sed -i '/build/d' .gitignore && git add -A",
        "echo dist >> .gitignore && git add -A",
        "printf '.env\\nbuild\\n' > .gitignore && git add -A",
        "git add -A && rm .gitignore",
        "ssh host 'cd shop && git add -f .'",
    ],
)
def test_nothing_is_looked_for_where_what_is_ignored_stays_out(project: Path, command: str) -> None:
    assert find_loose(project, command) == ()


def test_a_secret_in_a_folder_below_is_found_and_code_of_others_is_left_out(project: Path) -> None:
    (project / ".env").unlink()
    (project / "node_modules" / "x").mkdir(parents=True)
    (project / "node_modules" / "x" / ".env").write_text("A=1\n")
    (project / "api" / "src" / ".env").write_text("A=1\n")
    assert find_loose(project, "git add -f .") == (f"{project}/api/src/.env",)


def test_what_the_repository_has_already_is_no_news(project: Path) -> None:
    def run(*words: str) -> None:
        subprocess.run(["git", *words], cwd=project, check=True, capture_output=True)

    # A file that is as old as the index may have changed since: only an older one is certainly the same.
    os.utime(project / ".env", (1_700_000_000, 1_700_000_000))
    run("init", "-q")
    run("add", "-f", ".env")
    assert find_loose(project, "git add -f .") == ()


def test_a_folder_that_is_not_there_or_cannot_be_listed_has_none(project: Path) -> None:
    assert find_loose(project, "git add -f missing") == ()
    assert find_loose(project / "missing", "git add -f .") == ()


def test_a_huge_folder_is_looked_into_within_bounds(project: Path) -> None:
    for at in range(MAX_FOUND + 3):
        (project / f".env.stage{at}").write_text("A=1\n")
    assert len(find_loose(project, "git add -f .")) <= MAX_FOUND < MAX_LOOKED_AT


def test_a_folder_with_a_name_that_no_file_system_has_holds_no_secret(project: Path) -> None:
    assert find_loose(project, "git add -f build/o.\udfffjs") == ()
