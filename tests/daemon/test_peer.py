import os
import socket

from synaptic.daemon.peer import peer_uid


def test_the_peer_of_a_socket_is_known_by_its_user() -> None:
    one, other = socket.socketpair(socket.AF_UNIX)
    with one, other:
        assert peer_uid(one) == os.getuid()
