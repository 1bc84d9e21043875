"""The files that a hook's command names."""

from pathlib import Path

import pytest

from synaptic.hooks.named_files import find_folders, find_matches, find_named_files, find_patterns
from synaptic.model.hook import Command


@pytest.mark.parametrize(
    ("handler", "expected"),
    [
        (Command(shell="python3 'hooks/lint.py' --fast"), ["python3", "hooks/lint.py", "--fast"]),
        (Command(argv=("python3", "hooks/lint.py")), ["hooks/lint.py"]),
        (Command(argv=("/p/a.sh", "--fast")), ["a.sh", "--fast"]),
    ],
)
def test_plain_commands_keep_the_digests_that_users_have_accepted(handler: Command, expected: list[str]):
    """Each of these files is part of the digest, so another list would ask every user again."""
    assert list(find_named_files(handler, "/p")) == [f"/p/{name}" for name in expected]


@pytest.mark.parametrize(
    ("shell", "file"),
    [
        ("cd hooks && ./x.sh", "/p/hooks/x.sh"),
        ("bash -c 'cd hooks; . lib.sh'", "/p/hooks/lib.sh"),
        ("python3 -m tools.check", "/p/tools/check.py"),
        ("python3 -m tools", "/p/tools/__main__.py"),
        ("cat a | sh > out", "/p/out"),
        ("make --file=build/rules.mk", "/p/build/rules.mk"),
        ("/p/bin/x", "/p/bin/x"),
    ],
)
def test_a_file_is_seen_from_where_its_command_runs(shell: str, file: str):
    assert file in find_named_files(Command(shell=shell, cwd="/p"), "/p")


@pytest.mark.parametrize("shell", ["../x.sh", "/etc/x.sh", "~/x.sh", "cat <<'EOF'\nhooks/x.sh\nEOF", "echo 'a\0b'"])
def test_what_is_outside_of_the_project_or_only_text_is_left_out(shell: str):
    named = list(find_named_files(Command(shell=shell, cwd="/p"), "/p"))
    assert all(path.startswith("/p/") for path in named)
    assert "/p/hooks/x.sh" not in named


@pytest.mark.parametrize(
    ("shell", "patterns"),
    [
        ("sh hooks/*.sh", ["/p/hooks/*.sh"]),
        ("./hooks/[ab].sh", ["/p/hooks/[ab].sh"]),
        ("timeout 5 bash -e h?oks/x.sh", ["/p/h?oks/x.sh"]),
        ("ruff check src/*.py", []),
        ("sh ../*.sh", []),
    ],
)
def test_patterns_count_where_they_name_what_runs(shell: str, patterns: list[str]):
    assert list(find_patterns(Command(shell=shell, cwd="/p"), "/p")) == patterns


def test_every_folder_in_which_a_pattern_may_match_is_known(tmp_path: Path):
    for name in ("a/one", "a/two", "b"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "a/one/x.sh").touch()
    pattern = f"{tmp_path}/a/*/*.sh"
    assert sorted(find_folders(pattern)) == [f"{tmp_path}/a", f"{tmp_path}/a/one", f"{tmp_path}/a/two"]
    assert find_matches(pattern) == [f"{tmp_path}/a/one/x.sh"]
