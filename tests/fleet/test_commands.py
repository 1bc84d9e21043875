"""How each agent is told what to do when it is started again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synaptic.fleet.commands import has_prompt, is_resuming, make_fresh_command, make_restart_command, read_program_name

KNOWN = ("claude", "codex", "gemini", "qwen", "copilot", "opencode", "droid")
"""Agents whose options somebody has looked at."""
RESTARTED = [
    ("claude", "claude NEW"),
    ("claude OLD", "claude NEW"),
    ("claude -p OLD", "claude NEW -p"),
    ("claude -p --output-format json OLD", "claude NEW -p --output-format json"),
    ("claude --model opus --resume 1234 --verbose", "claude NEW --model opus --verbose"),
    ("claude --resume=1234 OLD", "claude NEW"),
    ("claude -c -p OLD", "claude NEW -p"),
    ("claude -cp OLD", "claude NEW -p"),
    ("claude -r", "claude NEW"),
    ("claude --session-id 5 --fork-session", "claude NEW"),
    ("claude --allowedTools Bash Edit", "claude NEW --allowedTools Bash Edit"),
    ("claude OLD --add-dir /a /b", "claude NEW --add-dir /a /b"),
    ("claude --new-option value OLD", "claude NEW --new-option value"),
    ("claude -- OLD", "claude NEW"),
    ("/opt/bin/claude OLD", "/opt/bin/claude NEW"),
    ("codex", "codex NEW"),
    ("codex -m o4 -c a=b OLD", "codex NEW -m o4 -c a=b"),
    ("codex exec --json OLD", "codex exec NEW --json"),
    ("codex e OLD", "codex e NEW"),
    ("codex -m o4 exec resume --last OLD", "codex -m o4 exec NEW"),
    ("codex resume 1234", "codex NEW"),
    ("codex OLD -i a.png b.png", "codex NEW -i a.png b.png"),
    ("gemini", "gemini -i NEW"),
    ("gemini -p OLD -m pro", "gemini -p NEW -m pro"),
    ("gemini --prompt=OLD", "gemini --prompt NEW"),
    ("gemini -r latest -y", "gemini -y -i NEW"),
    ("qwen OLD", "qwen NEW"),
    ("qwen -c", "qwen -i NEW"),
    ("copilot --resume=1234 --yolo", "copilot --yolo -i NEW"),
    ("copilot -p OLD --model m", "copilot -p NEW --model m"),
    ("opencode /project -c", "opencode /project --prompt NEW"),
    ("opencode --prompt OLD -m a/b", "opencode --prompt NEW -m a/b"),
    ("opencode run -s 12 OLD WORDS", "opencode run NEW"),
    ("droid", "droid NEW"),
    ("droid resume 1234", "droid NEW"),
    ("droid exec -f file.md -r high", "droid exec NEW -r high"),
    ("mine --resume 1234 folder", "mine folder NEW"),
    ("bash -c true", "bash -c true NEW"),
]


@pytest.mark.parametrize(("given", "wanted"), RESTARTED)
def test_a_prompt_takes_the_place_of_the_old_one_and_the_old_session_goes(given: str, wanted: str):
    """S3-240, S3-241: never `--resume` after a kill."""
    prompt = "Go on, with 'all' of it"
    assert make_restart_command(given.split(), prompt) == tuple(
        prompt if word == "NEW" else word for word in wanted.split()
    )


@pytest.mark.parametrize(
    ("given", "wanted"),
    [("mine", "mine --ask NEW"), ("mine --ask OLD x", "mine --ask NEW x"), ("claude OLD", "claude OLD --ask NEW")],
)
def test_the_option_for_a_prompt_can_be_named(given: str, wanted: str):
    assert make_restart_command(given.split(), "NEW", "--ask") == tuple(wanted.split())


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ("claude --resume 1234 OLD", "claude OLD"),
        ("claude -c", "claude"),
        ("codex resume 1234 OLD", "codex OLD"),
        ("codex exec resume --last OLD", "codex exec"),
        ("mine --resume x -r y", "mine -r y"),
    ],
)
def test_a_command_without_its_old_session_keeps_its_prompt(given: str, wanted: str):
    """S3-244"""
    assert make_fresh_command(given.split()) == tuple(wanted.split())
    assert is_resuming(given.split())
    assert not is_resuming(wanted.split())


def test_an_agent_without_a_prompt_has_nothing_to_do_yet():
    for words in ("claude", "claude --model m", "codex", "gemini -y", "opencode /project", "droid"):
        assert not has_prompt(words.split()), words
    for words in ("claude x", "claude -p x", "codex exec", "gemini -i x", "opencode run x", "mine"):
        assert has_prompt(words.split()), words


def test_the_kind_is_the_program():
    assert read_program_name(("/usr/local/bin/claude", "-p")) == "claude"


WORDS = st.sampled_from(
    ["-p", "-c", "--resume", "--model", "x", "exec", "run", "--", "-i", "--a=b", "old prompt", "-r"]
)


@given(st.sampled_from([*KNOWN, "mine"]), st.lists(WORDS, max_size=6))
def test_a_prompt_is_there_once_and_twice_is_the_same(program: str, words: list[str]):
    once = make_restart_command((program, *words), "THE PROMPT")
    assert once.count("THE PROMPT") == 1
    assert once[0] == program
    assert set(once) - {"THE PROMPT", "-i", "--prompt"} <= {program, *words}
    if program != "mine":
        assert make_restart_command(once, "THE PROMPT") == once
