"""`up --ci` in what a job has: no HOME, no terminal, a checkout that cannot be written, perhaps no user."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import synaptic
from synaptic.daemon import lifecycle
from synaptic.model.home import Home

COMMAND = (sys.executable, "-m", "synaptic.cli.main")
SOURCE = str(Path(synaptic.__file__).parent.parent)
RESET = {"tool_name": "Bash", "tool_input": {"command": "git reset --hard HEAD~3"}}
"""Only a payload: nothing here runs it."""
NOBODY = "54321"
"""A number without an entry in /etc/passwd."""


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    made = Home(tmp_path / "state")
    yield made
    lifecycle.stop_daemon(made)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    (tmp_path / "checkout" / ".git").mkdir(parents=True)
    (tmp_path / "checkout" / "README").write_text("x")
    return tmp_path / "checkout"


def run(*words: str, cwd: Path, before: tuple[str, ...] = (), **env: str) -> "subprocess.CompletedProcess[str]":
    """Run a command in an environment with nothing in it but what is named."""
    plain = {"PATH": "/usr/bin:/bin", **env}
    return subprocess.run(
        [*before, *words], cwd=cwd, env=plain, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120
    )


def list_files(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def ask(home: Home, checkout: Path, **env: str) -> str:
    payload = {"session_id": "s", "cwd": str(checkout), "hook_event_name": "PreToolUse", **RESET}
    done = subprocess.run(
        [home.dispatch, "PreToolUse"],
        input=json.dumps(payload),
        capture_output=True,
        text=True,
        env={"PATH": "/usr/bin:/bin", **env},
        timeout=60,
    )
    return json.loads(done.stdout)["hookSpecificOutput"]["permissionDecision"]


def test_without_home_or_terminal_everything_is_below_one_folder(home: Home, checkout: Path) -> None:
    before = list_files(checkout)
    done = run(*COMMAND, "up", "--ci", "--fail", "closed", cwd=checkout, SYNAPTIC_HOME=str(home.root))
    assert done.returncode == 0, done.stderr
    assert f"export SYNAPTIC_HOME={home.root}" in done.stdout
    assert f"export CLAUDE_CONFIG_DIR={home.root}/claude" in done.stdout
    assert "PATH line" not in done.stdout
    assert list_files(checkout) == before
    assert json.loads((home.root / "claude" / "settings.json").read_text())["hooks"]["PreToolUse"]
    assert "fail=closed" in home.engine.read_text()
    assert ask(home, checkout) in ("deny", "ask")


def test_twice_changes_nothing_and_is_no_error(home: Home, checkout: Path) -> None:
    words = (*COMMAND, "up", "--ci", "--fail", "closed")
    run(*words, cwd=checkout, SYNAPTIC_HOME=str(home.root))
    again = run(*words, cwd=checkout, SYNAPTIC_HOME=str(home.root))
    assert again.returncode == 0
    assert "  changed" not in again.stdout


def test_without_a_folder_that_is_named_a_new_one_is_made_and_said(checkout: Path, tmp_path: Path) -> None:
    (tmp_path / "scratch").mkdir()
    done = run(*COMMAND, "up", "--ci", cwd=checkout, TMPDIR=str(tmp_path / "scratch"), HOME=str(tmp_path / "user"))
    (made,) = (tmp_path / "scratch").glob("synaptic-*")
    try:
        assert done.returncode == 0, done.stderr
        assert f"export SYNAPTIC_HOME={made}" in done.stdout
        assert made.stat().st_mode & 0o777 == 0o700
        assert not (tmp_path / "user").exists()
    finally:
        lifecycle.stop_daemon(Home(made))


def test_the_jobs_own_folder_of_the_agent_is_used(home: Home, checkout: Path, tmp_path: Path) -> None:
    env = {"SYNAPTIC_HOME": str(home.root), "CLAUDE_CONFIG_DIR": str(tmp_path / "claude")}
    done = run(*COMMAND, "up", "--ci", cwd=checkout, **env)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "claude" / "settings.json").is_file()
    assert "export CLAUDE_CONFIG_DIR" not in done.stdout


def test_a_folder_that_cannot_be_written_is_a_failure_that_says_so(checkout: Path) -> None:
    done = run(*COMMAND, "up", "--ci", cwd=checkout, SYNAPTIC_HOME="/proc/nowhere")
    assert done.returncode == 1
    assert "/proc/nowhere" in done.stderr


def test_an_agent_may_not_choose_it(home: Home, checkout: Path) -> None:
    env = {"SYNAPTIC_HOME": str(home.root), "CLAUDECODE": "1"}
    for words in (("--ci",), ("--fail", "open"), ("--fail=open",)):
        assert run(*COMMAND, "up", *words, cwd=checkout, **env).returncode == 3


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user can enter, as pytest's own is not."""
    folder = Path(tempfile.mkdtemp(prefix="synaptic-test-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


def show_python(stash: Path) -> str:
    """Commands that let every user reach this Python, in mounts of its own: it may lie in a folder of root's."""
    base = Path(sys.base_prefix).resolve()
    closed = [folder for folder in (base, *base.parents) if not folder.stat().st_mode & 0o001]
    if not closed:
        return "true"
    return (
        f'mkdir "{stash}" && mount --bind "{base}" "{stash}" && mount -t tmpfs -o mode=755 tmpfs "{closed[-1]}" && '
        f'mkdir -p "{base}" && mount --bind "{stash}" "{base}"'
    )


@pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("setpriv"), reason="only root can be another user")
def test_a_user_without_an_account_in_a_checkout_that_cannot_be_written(open_folder: Path) -> None:
    if subprocess.run(["unshare", "-m", "true"], check=False).returncode:
        pytest.skip("no mounts of its own here")
    home, checkout, code = Home(open_folder / "state"), open_folder / "checkout", open_folder / "src"
    home.root.mkdir()
    os.chown(home.root, int(NOBODY), int(NOBODY))
    (checkout / ".git").mkdir(parents=True)
    shutil.copytree(SOURCE, code, ignore=shutil.ignore_patterns("__pycache__"))
    script = (
        f'{show_python(open_folder / "python")} && mount --bind "{checkout}" "{checkout}" && '
        f'mount -o remount,ro,bind "{checkout}" && cd "{checkout}" && '
        f"exec setpriv --reuid {NOBODY} --regid {NOBODY} --clear-groups "
        f'env -i PATH=/usr/bin:/bin PYTHONPATH="{code}" SYNAPTIC_HOME="{home.root}" "$@"'
    )
    words = ["unshare", "-m", "sh", "-c", script, "sh", *COMMAND]
    try:
        done = subprocess.run(
            [*words, "up", "--ci", "--fail", "closed"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr
        assert "A real event through the real dispatcher" in done.stdout
        assert [path.name for path in checkout.iterdir()] == [".git"]
    finally:
        subprocess.run([*words, "daemon", "stop"], capture_output=True, timeout=60)
