"""Hooks of a repository run only after somebody has agreed."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from synaptic.cli import trust_view
from tests.cli.conftest import User


def trusted(user: User) -> list[bool]:
    hooks = user.types("list", "--json").json["hooks"]
    return [hook["trusted"] for hook in hooks if hook["scope"] != "builtin"]


def test_trust_shows_what_it_remembers(user: User):
    script = user.brings_hook()
    assert trusted(user) == [False]
    shown = user.types("trust", "--yes")
    assert shown.code == 0
    assert "demo:guard.sh" in shown.out
    assert str(script) in shown.out
    assert trusted(user) == [True]


def test_nothing_to_trust_is_no_error(user: User):
    shown = user.types("trust")
    assert shown.code == 0
    assert "nothing to trust" in shown.out


def test_a_changed_script_is_not_trusted_any_more(user: User):
    user.brings_hook("exit 0")
    user.types("trust", "--yes")
    (user.project / "guard.sh").write_text("#!/bin/sh\nexit 1\n")
    assert trusted(user) == [False]
    assert len(user.types("trust", "--json", "--yes").json["trusted"]) == 1
    assert trusted(user) == [True]


def test_the_listing_and_forgetting(user: User):
    user.brings_hook()
    user.types("trust", "--yes")
    assert f"worktrees of {user.project}/.git" in user.types("trust", "--list").out
    rows = user.types("trust", "--list", "--json").json["trusted"]
    assert [row["root"] for row in rows] == [str(user.project), f"git:{user.project}/.git//"]
    assert user.types("trust", "--list", "--json", str(user.project)).json["trusted"] == rows
    assert "1 agreements forgotten" in user.types("trust", "--forget").out
    assert trusted(user) == [False]
    assert "nothing was trusted" in user.types("trust", "--forget").out


def test_another_project_by_its_path(user: User, monkeypatch):
    user.brings_hook()
    monkeypatch.chdir(user.folder)
    assert user.types("trust").code == 1
    assert user.types("trust", str(user.project), "--yes").code == 0
    monkeypatch.chdir(user.project)
    assert trusted(user) == [True]


def test_a_path_that_is_not_there_is_said(user: User):
    shown = user.types("trust", "/no/such/place")
    assert shown.code == 1
    assert "no such folder" in shown.err


@pytest.mark.parametrize("words", [(), ("--json",), ("--uncovered",)])
def test_where_nobody_can_be_asked_nothing_is_trusted(user: User, words: tuple[str, ...]):
    user.brings_hook()
    shown = user.types("trust", *words)
    assert shown.code == 1
    assert "demo:guard.sh" in shown.out
    assert trusted(user) == [False]


def test_json_says_what_would_be_trusted_and_what_is_not_covered(user: User):
    user.brings_hook("pytest -q")
    said = user.types("trust", "--json").json
    assert (said["ok"], said["trusted"]) == (False, [])
    assert said["untrusted"][0]["not_covered"] == ["which files of the project `pytest` runs"]


def test_what_is_not_covered_needs_a_yes_of_its_own(user: User):
    user.brings_hook("pytest -q")
    shown = user.types("trust", "--yes")
    assert shown.code == 1
    assert "not covered: which files of the project `pytest` runs" in shown.out
    assert trusted(user) == [False]
    assert user.types("trust", "--yes", "--uncovered").code == 0
    assert trusted(user) == [True]


def test_what_would_run_is_shown_line_by_line(user: User):
    user.writes("lib.sh", "echo from a library\n")
    user.brings_hook(". ./lib.sh\necho one")
    registry = user.project / ".synaptic" / "hooks" / "registry.toml"
    registry.write_text(registry.read_text().replace(f'script = "{user.project}/', 'command = "sh '))
    out = user.types("trust").out
    assert "  guard.sh:\n  | #!/bin/sh\n  | . ./lib.sh\n  | echo one\n" in out
    assert "  lib.sh:\n  | echo from a library\n" in out
    assert trusted(user) == [False]


def test_a_long_file_is_cut_and_that_is_said(user: User):
    user.brings_hook("\n".join(f"echo {number}" for number in range(100)) + "\n: " + "x" * 500)
    out = user.types("trust").out
    assert "  | echo 38\n" in out
    assert "  | echo 39\n" not in out
    assert f"  | ... 62 lines more; read them: less {user.project}/guard.sh   (or: synaptic trust --lines 0)" in out
    whole = user.types("trust", "--lines", "0").out
    assert "  | echo 99\n" in whole
    assert "... (342 characters more)" in whole


def test_after_a_change_the_difference_is_shown(user: User):
    user.brings_hook("echo one\necho two")
    user.types("trust", "--yes")
    user.writes("guard.sh", "#!/bin/sh\necho one\necho EVIL\n", 0o755)
    out = user.types("trust").out
    assert "guard.sh: changed since you agreed on 20" in out
    assert "  | -echo two\n  | +echo EVIL\n" in out
    (told,) = user.types("trust", "--json").json["untrusted"]
    assert [(file["path"], file["state"]) for file in told["files"]] == [("guard.sh", "changed")]
    assert "+echo EVIL" in told["files"][0]["lines"]


def test_another_command_and_a_new_and_a_lost_file_are_shown(user: User):
    user.writes("a.sh", "echo a\n")
    user.writes("b.sh", "echo b\n")
    user.writes("both.sh", "echo both\n")
    registry = user.writes(
        ".synaptic/hooks/registry.toml", '[[hook]]\nevent = "Stop"\nid = "h"\ncommand = "sh a.sh; sh both.sh"\n'
    )
    user.types("trust", "--yes")
    registry.write_text(registry.read_text().replace("sh a.sh", "sh b.sh"))
    out = user.types("trust").out
    assert "it was: sh a.sh; sh both.sh" in out
    assert "  b.sh: new since you agreed" in out
    assert "  | echo b\n" in out
    assert "  both.sh: the same since you agreed" in out
    assert "  | echo both\n" not in out
    assert "  a.sh: no more part of it since you agreed" in out


def test_what_is_new_stands_before_what_is_as_it_was(user: User):
    names = [f"{number:02}.sh" for number in range(30)]
    for name in names:
        user.writes(name, f"echo {name}\n")
    user.brings_hook("\n".join(f'. "$(dirname "$0")/{name}"' for name in names))
    assert "  and 11 files more, 11 of them not as they were" in user.types("trust", "--yes").out
    user.writes("29.sh", "echo EVIL\n")
    out = user.types("trust").out
    assert out.index("29.sh: changed since") < out.index("00.sh: the same since")
    assert "  | +echo EVIL\n" in out
    assert "  and 11 files more, 0 of them not as they were" in out
    assert "  28.sh: the same since" in user.types("trust", "--lines", "0").out


def test_a_file_that_is_exchanged_while_it_is_shown_is_not_agreed_to(user: User, monkeypatch):
    user.brings_hook()
    monkeypatch.setattr(trust_view, "read_files", lambda item: {})
    shown = user.types("trust", "--yes")
    assert shown.code == 1
    assert "guard.sh: was changed while it was looked at; nothing is trusted (look again: synaptic trust)" in shown.err
    assert trusted(user) == [False]


def test_what_looks_like_a_secret_is_shown_and_not_kept(user: User):
    """A change must not hide in a place that is redacted."""
    key = "AKIA" + "Q3EXAMPLE7ABCDWZ"
    user.brings_hook(f"export AWS_ACCESS_KEY_ID={key}\necho one")
    assert key in user.types("trust", "--yes").out
    user.writes("guard.sh", f"#!/bin/sh\nexport AWS_ACCESS_KEY_ID={key[::-1]}\necho one\n", 0o755)
    out = user.types("trust").out
    assert f"  | +export AWS_ACCESS_KEY_ID={key[::-1]}" in out
    assert key not in out
    assert key.encode() not in b"".join(path.read_bytes() for path in user.home.root.glob("synaptic.db*"))


def test_a_file_drives_no_terminal(user: User):
    user.brings_hook("echo \x1b[2J\x1b]0;title\x07 \u202e evil")
    out = user.types("trust").out
    assert not {"\x1b", "\x07", "\u202e"} & set(out)


def test_a_relative_script_is_trusted_by_content(user: User):
    user.brings_hook("exit 0", script="guard.sh")
    assert user.types("trust", "--yes").code == 0
    assert trusted(user) == [True]
    user.writes("guard.sh", "#!/bin/sh\nexit 1\n", 0o755)
    assert trusted(user) == [False]


def git(folder: Path, *words: str) -> None:
    env = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}
    names = ("-c", "user.name=a", "-c", "user.email=a@b")
    subprocess.run(["git", "-C", str(folder), *names, *words], check=True, capture_output=True, env=env)


@pytest.fixture
def worktree(user: User) -> Path:
    """A second worktree of a project with a hook that can be committed."""
    (user.project / ".git").rmdir()
    git(user.project, "init", "-q")
    user.brings_hook("exit 0", script="guard.sh")
    git(user.project, "add", ".")
    git(user.project, "commit", "-qm", "hook")
    git(user.project, "worktree", "add", "-q", str(user.project.parent / "second"))
    return user.project.parent / "second"


def test_an_agreement_counts_in_every_worktree_with_the_same_content(user: User, worktree: Path, monkeypatch):
    monkeypatch.chdir(worktree)
    assert trusted(user) == [False]
    assert user.types("trust", "--yes").code == 0
    monkeypatch.chdir(user.project)
    assert trusted(user) == [True]
    user.writes("guard.sh", "#!/bin/sh\nexit 1\n", 0o755)
    assert trusted(user) == [False]
    assert "  | -exit 0\n  | +exit 1\n" in user.types("trust").out
    monkeypatch.chdir(worktree)
    assert trusted(user) == [True]


def test_forgetting_counts_for_every_worktree_that_has_no_agreement_of_its_own(user: User, worktree: Path, monkeypatch):
    user.types("trust", "--yes")
    monkeypatch.chdir(worktree)
    assert trusted(user) == [True]
    assert "1 agreements forgotten" in user.types("trust", "--forget").out
    assert trusted(user) == [False]
    monkeypatch.chdir(user.project)
    assert trusted(user) == [True], "agreed to here"


def types_at_a_terminal(words: list[str], answer: bytes) -> tuple[int, str]:
    """The command in a terminal of 80 columns."""
    pid, terminal = pty.fork()
    if not pid:
        os.environ["COLUMNS"] = "80"
        os.execv(sys.executable, [sys.executable, "-m", "synaptic.cli.main", *words])
    seen = b""
    while True:
        try:
            part = os.read(terminal, 4096)
        except OSError:
            break
        if not part:
            break
        seen += part
        if answer and b"[y/N]" in seen:
            os.write(terminal, answer)
            answer = b""
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), seen.decode()


@pytest.mark.parametrize(("answer", "code"), [(b"y\n", 0), (b"n\n", 1), (b"\n", 1)])
def test_a_person_sees_the_lines_and_then_is_asked(user: User, answer: bytes, code: int):
    user.brings_hook("echo shown before the question")
    left, seen = types_at_a_terminal(["trust"], answer)
    assert left == code
    assert seen.index("echo shown before the question") < seen.index("Run these hooks in")
    assert trusted(user) == [not code]
