"""What a terminal shows and what a pipe gets."""

import os
import pty
import sys
from pathlib import Path

from tests.cli.conftest import User


def at_terminal(words: list[str], typed: bytes = b"", program: str = "", **env: str) -> tuple[int, str]:
    """Run the command, or a program in Python, with a terminal on all three streams."""
    start = ["-c", program] if program else ["-m", "synaptic.cli.main"]
    pid, terminal = pty.fork()
    if pid == 0:
        os.execvpe(sys.executable, [sys.executable, *start, *words], {**os.environ, **env})
    os.write(terminal, typed)  # a terminal keeps what is typed ahead
    seen = b""
    while True:
        try:
            piece = os.read(terminal, 4096)
        except OSError:
            break
        if not piece:
            break
        seen += piece
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), seen.decode()


def test_colour_is_for_terminals_that_want_it(user: User):
    user.types("bootstrap")
    env = {"TERM": "xterm-256color", "COLUMNS": "200"}
    assert "\u001b[" in at_terminal(["doctor"], **env)[1]
    assert "\u001b[3" not in at_terminal(["doctor"], NO_COLOR="1", **env)[1]
    assert "\u001b[" not in user.runs("doctor").out


def test_tables_on_a_terminal_show_the_same_words(user: User):
    user.brings_hook(id="one")
    code, seen = at_terminal(["list"], TERM="xterm", COLUMNS="200")
    assert code == 0
    assert "one" in seen and "PreToolUse" in seen


def brought(user: User) -> list[dict[str, object]]:
    return [hook for hook in user.types("list", "--json").json["hooks"] if hook["scope"] != "builtin"]


def test_trust_asks_on_a_terminal_and_takes_no_for_an_answer(user: User):
    user.brings_hook()
    code, seen = at_terminal(["trust"], b"n\n", TERM="xterm", COLUMNS="200")
    assert "Run these hooks" in seen
    assert code == 1
    assert [hook["trusted"] for hook in brought(user)] == [False]
    code, seen = at_terminal(["trust"], b"y\n", TERM="xterm", COLUMNS="200")
    assert code == 0
    assert [hook["trusted"] for hook in brought(user)] == [True]


def test_names_of_any_bytes_can_be_printed(user: User):
    folder = Path(os.fsdecode(os.fsencode(user.project) + b"/caf\xe9"))
    (folder / ".git").mkdir(parents=True)
    os.chdir(folder)
    assert user.runs("config", "path").code == 0
    assert user.runs("list", "--json").code == 0
    assert "rename the folder" in user.runs("trust").err
    assert user.runs("doctor").out
    assert user.runs("try", "PreToolUse", "--tool", "Bash").code == 0
    assert user.runs("check", "ls").code == 0


def test_a_program_gets_one_object_with_ok_from_every_kind_of_answer(user: User):
    for line in ("list", "status", "policy list", "config show", "usage", "check ls", "effort list", "freeze"):
        assert user.types(*line.split(), "--json").json["ok"] is True, line
    assert user.types("explain", "--json").json["ok"] is False


def test_a_line_is_cut_between_words(user: User):
    at = {"program": "from synaptic.cli import screen; print(screen.cut_line('some words to be cut here', 0))"}
    assert at_terminal([], TERM="xterm", COLUMNS="14", **at)[1].strip() == "some words to…"
    assert at_terminal([], TERM="xterm", COLUMNS="12", **at)[1].strip() == "some words…"
    assert user.runs(**at).out == "some words to be cut here\n"


def test_a_reason_is_told_in_whole_words_that_fit_the_terminal(user: User):
    user.types("bootstrap")
    told = user.runs("check", "terraform destroy").out.splitlines()[1]
    _, seen = at_terminal(["check", "terraform destroy"], TERM="xterm", NO_COLOR="1", COLUMNS="60")
    lines = [line.rstrip("\r") for line in seen.split("\n")]
    reason = [line for line in lines[1:] if line.startswith("  ") and "asked" not in line]
    assert " ".join(line.strip() for line in reason) == told.strip()
    assert len(reason) > 1 and max(map(len, reason)) <= 60
