import os
import socket

from synaptic.daemon.peer import read_peer_uid


def test_the_peer_of_a_socket_is_known_by_its_user() -> None:
    one, other = socket.socketpair(socket.AF_UNIX)
    with one, other:
        assert read_peer_uid(one) == os.getuid()
