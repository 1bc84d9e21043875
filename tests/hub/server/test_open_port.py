"""The port that a hub listens on."""

import socket

from synaptic.hub.server.serve import HubListen, open_port


def test_answers_that_leave_in_two_parts_wait_for_nobody():
    """The web server writes head and body apart; else the system would hold the body back for 40 ms."""
    with open_port(HubListen(port=0)) as listener, socket.create_connection(listener.getsockname()):
        accepted, _ = listener.accept()
        with accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
