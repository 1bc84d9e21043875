"""The end of the first screen: what was found is offered to a person, and named to everybody else."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from synaptic.agents.shared.wired import list_wired_agents
from tests.cli.conftest import User

OWN_HOOK = {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "/bin/true"}]}]}}


@pytest.fixture
def owner(user: User, monkeypatch: pytest.MonkeyPatch) -> User:
    """Somebody with a hook of their own, and with Codex."""
    user.settings.parent.mkdir()
    user.settings.write_text(json.dumps(OWN_HOOK))
    (user.folder / ".codex").mkdir()
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    return user


def type_at_terminal(words: tuple[str, ...], answers: str, **env: str) -> tuple[int, str]:
    """Run a command at a terminal of its own, with what a person types; its exit code and what was shown."""
    here, there = pty.openpty()
    command = [sys.executable, "-m", "synaptic.cli.main", *words]
    running = subprocess.Popen(
        command, stdin=there, stdout=there, stderr=there, env={**os.environ, "TERM": "xterm", **env}
    )
    os.close(there)
    os.write(here, answers.encode())
    shown = b""
    while True:
        try:
            piece = os.read(here, 1 << 16)
        except OSError:  # what Linux says when the last one has closed the other end
            break
        if not piece:
            break
        shown += piece
    os.close(here)
    return running.wait(60), shown.decode(errors="replace").replace("\r\n", "\n")


def test_without_a_terminal_it_asks_nothing_and_says_what_to_type(owner: User) -> None:
    shown = owner.types("up")
    assert shown.code == 0, shown.err
    launcher = owner.home.launcher
    assert f"1 hook of your own in {owner.settings}" in shown.out
    assert f"{launcher} import claude" in shown.out
    assert f"{launcher} bootstrap --agent codex" in shown.out
    assert list_wired_agents(owner.home) == {"claude"}
    assert "/bin/true" in owner.settings.read_text()


def test_a_person_who_says_yes_has_both_done(owner: User) -> None:
    code, shown = type_at_terminal(("up",), "y\ny\n")
    assert code == 0, shown
    assert "1 hook is now in" in shown
    assert "/bin/true" in owner.home.registry.read_text()
    assert "/bin/true" not in owner.settings.read_text()
    assert list_wired_agents(owner.home) == {"claude", "codex"}


def test_a_person_who_says_nothing_has_neither(owner: User) -> None:
    code, shown = type_at_terminal(("up",), "\n\n")
    assert code == 0, shown
    assert list_wired_agents(owner.home) == {"claude"}
    assert not owner.home.registry.exists()


def test_an_agent_with_a_terminal_is_not_asked(owner: User) -> None:
    code, shown = type_at_terminal(("up",), "y\ny\n", CLAUDECODE="1")
    assert code == 0, shown
    assert "import claude" in shown
    assert list_wired_agents(owner.home) == {"claude"}


def test_json_names_what_was_found(owner: User) -> None:
    assert owner.types("up", "--json").json["offers"] == {"hooks": 1, "agents": ["codex"]}


def test_settings_that_cannot_be_read_offer_nothing(owner: User) -> None:
    owner.types("up")
    owner.settings.write_text("{")
    assert "Also found" not in owner.types("up").out


def test_the_last_lines_are_commands_that_work_in_this_shell(owner: User) -> None:
    shown = owner.types("up")
    assert f'export PATH="{owner.home.bin}:$PATH"' in shown.out
    assert f"{owner.home.launcher} doctor" in shown.out
    done = subprocess.run([owner.home.launcher, "--version"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.startswith("synaptic ")) == (0, True)


def test_where_the_command_is_found_the_word_is_enough(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{owner.home.bin}:/usr/bin:/bin")
    shown = owner.types("up")
    assert "synaptic doctor" in shown.out
    assert str(owner.home.launcher) not in shown.out.partition("Undo all of it")[2]


def test_the_first_line_is_there_before_anything_was_done(owner: User) -> None:
    """Through a pipe as well, which Python fills before it writes."""
    running = subprocess.Popen([sys.executable, "-m", "synaptic.cli.main", "up"], stdout=subprocess.PIPE)
    assert running.stdout is not None
    assert running.stdout.readline().startswith(b"Setting up in ")
    running.stdout.read()
    assert running.wait(60) == 0


def test_upgrading_itself_is_shown_and_nothing_is_run_without_a_yes(user: User) -> None:
    shown = user.types("upgrade", "--self")
    assert shown.code == 0, shown.err
    assert "Nothing was run" in shown.out
    code, said = type_at_terminal(("upgrade", "--self"), "\n")
    assert (code, "Run this now?" in said) == (1, True)
    assert user.types("upgrade", "--self", "--json").json["commands"]
    assert user.types("upgrade", "--self", "--all").code == 1


def test_an_agent_may_look_at_the_upgrade_and_not_run_it(user: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDECODE", "1")
    assert user.types("upgrade", "--self").code == 3
    assert user.types("upgrade", "--self", "--dry-run").code == 0


def test_down_says_a_way_back_that_is_still_there_and_clears_every_project(
    user: User, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    user.types("up")
    other = tmp_path / "other"
    (other / ".git").mkdir(parents=True)
    monkeypatch.chdir(other)
    user.types("up")
    shown = user.types("down")
    assert not (user.project / ".synaptic").exists()
    assert not (other / ".synaptic").exists()
    back = shown.out.partition("Back again:")[2].split()
    assert back[0] == "make" or Path(back[0]).exists() or back[0] == "synaptic"
    assert str(user.home.bin) not in " ".join(back)
