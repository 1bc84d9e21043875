"""What a pattern over command lines plainly names becomes conditions; everything else is told, never guessed."""

import pytest

from synaptic.hooks.rules_import.named_commands import NamedCommand, group_commands, read_pattern


def conditions(pattern: str) -> list[dict[str, object]]:
    found = group_commands(read_pattern(pattern).commands)
    return [{key: value for key, value in one.items() if key in ("run", "flags", "args")} for one in found]


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        (r"rm\s+-rf", [{"run": "rm", "flags": "-rf"}]),
        (r"rm\s*-rf", [{"run": "rm", "flags": "-rf"}]),
        ("rm -rf", [{"run": "rm", "flags": "-rf"}]),
        (r"/bin/rm\s+-rf", [{"run": "rm", "flags": "-rf"}]),
        (r"\brm\b", [{"run": "rm"}]),
        (r"sudo\s+", [{"run": "sudo"}]),
        (r"chmod\s+777", [{"run": "chmod 777"}]),
        (r"dd\s+if=", [{"run": "dd", "args": "if=*"}]),
        (r"git\s+push\s+.*--force", [{"run": "git push", "flags": "--force"}]),
        (r"git\s+push.*(?:--force|-f)\b", [{"run": "git push", "flags": ["--force", "-f"]}]),
        (r"git\s+commit[^|;&]*--no-verify", [{"run": "git commit", "flags": "--no-verify"}]),
        (r"git\s+reset\s+--hard(\s|$)", [{"run": "git reset", "flags": "--hard"}]),
        (r"(npm|yarn|pnpm)\s+publish", [{"run": ["npm publish", "yarn publish", "pnpm publish"]}]),
        (r"(^|[;&|]\s*)npm\s+publish\b", [{"run": "npm publish"}]),
        (r"^our-deploy\s+--env", [{"run": "our-deploy", "flags": "--env"}]),
        (r"(^|\s)our-deploy\s+prod", [{"run": "our-deploy prod"}]),
        (r"sudo\s+|rm\s+-rf|chmod\s+777", [{"run": ["sudo", "chmod 777"]}, {"run": "rm", "flags": "-rf"}]),
        (r"git\s+push(\s+--force)?", [{"run": "git push"}]),
    ],
)
def test_a_pattern_that_names_commands(pattern: str, found: list[dict[str, object]]):
    assert conditions(pattern) == found
    assert read_pattern(pattern).unread == ()


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        ("rm", "nothing ends"),
        ("mkfs", "nothing ends"),
        (r"drop\s+table", "whether `drop` is a program"),
        (r"our-deploy\s+prod", "whether `our-deploy` is a program"),
        (r"DROP\s+TABLE", "whether `DROP` is a program"),
        (r"\bgit\b.*\bpush\b", "anything may stand between"),
        (r"rm\s+-r\s+-f", "more than one option"),
        (r"rm\s+-rf\s+/", "more than one option, or a word behind one"),
        (r"rm\s+-[a-z]*r", "more than a program and words"),
        (r"git\s+push\s+\S+\s+main", "more than a program and words"),
        (r"(?!x)rm\s+-rf", "more than a program and words"),
        (r"rm\s+(?i:-rf)", "more than a program and words"),
        (r"(?x) rm\s+-rf", "flags"),
        (r"curl.*\|\s*sh", "two commands"),
        (r"npm publish && git push", "two commands"),
        (r"rm(x?y?z?a?b?c?)", "more than a program and words"),
        (r"rm\s+-rf$HOME", "cannot be told"),
        (r"--force", "no program"),
        (r".*", "no program"),
        ("", "no program"),
        ("(", "no regular expression"),
        ("a" * 501, "longer than"),
    ],
)
def test_a_pattern_that_says_more_or_less(pattern: str, why: str):
    found = read_pattern(pattern)
    assert found.commands == ()
    assert why in found.unread[0][1]


def test_alternatives_are_judged_one_by_one():
    found = read_pattern(r"rm\s+-rf|dd\s+if=|mkfs|format")
    assert found.commands == (NamedCommand("rm", "-rf"), NamedCommand("dd", "", "if=*"))
    assert [text for text, _ in found.unread] == ["mkfs", "format"]


def test_a_program_that_the_source_names_is_one():
    assert read_pattern(r"our-deploy\s+prod", ["our-deploy"]).commands == (NamedCommand("our-deploy prod"),)


def test_examples_are_the_command_and_near_misses_that_follow():
    (rule,) = group_commands([NamedCommand("git push", "--force"), NamedCommand("git push", "-f")])
    assert rule["stops"] == ["git push --force", "git push -f"]
    assert rule["passes"] == ["echo 'git push --force'", "git push"]
    (echo,) = group_commands([NamedCommand("echo")])
    assert "passes" not in echo
