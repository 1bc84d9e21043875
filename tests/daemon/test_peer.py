import os
import socket

from synaptic.daemon.peer import read_peer_pid, read_peer_uid


def test_the_peer_of_a_socket_is_known_by_its_user() -> None:
    one, other = socket.socketpair(socket.AF_UNIX)
    with one, other:
        assert read_peer_uid(one) == os.getuid()


def test_the_process_that_connected_is_known():
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    with ours, theirs:
        assert read_peer_pid(Transport(ours)) == os.getpid()


def test_without_a_socket_nobody_is_known():
    assert read_peer_pid(Transport(None)) == 0


class Transport:
    """What is asked of a transport here."""

    def __init__(self, sock: socket.socket | None) -> None:
        self.sock = sock

    def get_extra_info(self, name: str) -> socket.socket | None:
        return self.sock
