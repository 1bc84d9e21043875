"""Where the output of a program that prints a secret goes."""

import pytest

from synaptic.policies.secrets.printers import PrintedOutputs, prints_secret
from synaptic.shell.read.reader import read_script


def is_shown(text: str) -> bool:
    found = read_script(text, "/p", "/h")
    return any(PrintedOutputs(found).is_shown(command) for command in found.commands if prints_secret(command))


@pytest.mark.parametrize(
    "text",
    [
        "gh auth token",
        "gh auth token | jq -R .",
        "gh auth token 2> /dev/null",
        "gh auth token > /dev/stdout",
        "echo $(gh auth token)",
        "T=`gh auth token`; echo $T | cat",
        "(gh auth token)",
        "x=$(ls); gh auth token",
        "gh auth token | tee f",
    ],
)
def test_what_a_filter_or_an_echo_hands_on_is_shown(text: str):
    assert is_shown(text)


@pytest.mark.parametrize(
    "text",
    [
        "gh auth token | docker login --password-stdin",
        "gh auth token > f",
        "gh auth token | tr -d x > f",
        "T=$(gh auth token)",
        "T=$(cd x && gh auth token | head -1)",
        "T=`gh auth token` make",
        "gh auth token | grep -q gho",
        "echo $(gh auth token) > f",
        "curl -H $(gh auth token) x | jq .",
    ],
)
def test_what_a_program_a_variable_or_a_file_takes_is_not(text: str):
    assert not is_shown(text)


def test_a_value_that_goes_through_many_variables_is_shown_and_ends():
    assert is_shown("T=$(gh auth token);" + "T=$(echo $T);" * 200 + "echo $T")
