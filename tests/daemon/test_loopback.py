import os
import socket
import subprocess
import sys

import pytest

from synaptic.daemon import loopback
from synaptic.daemon.loopback import ConnectionEnds, find_loopback_peer

CLIENT = (
    "import socket, sys; way = socket.create_connection(('127.0.0.1', int(sys.argv[1]))); way.send(b'x'); way.recv(1)"
)

BOUND_CLIENT = """
import socket, sys
way = socket.create_connection(("127.0.0.1", int(sys.argv[1])), source_address=("127.0.0.2", int(sys.argv[2])))
way.send(b"x"); way.recv(1)
"""
LISTENER = (
    "import socket, sys; one = socket.create_server(('127.0.0.1', 0)); print(one.getsockname()[1], flush=True); input()"
)

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the kernel's tables are read on Linux only")


def find(server: socket.socket, port: int, host: str = "127.0.0.1") -> int:
    return find_loopback_peer(ConnectionEnds((host, port), server.getsockname()))


def test_the_process_at_the_other_end_is_found(program: str = CLIENT):
    with socket.create_server(("127.0.0.1", 0)) as server:
        client = subprocess.Popen([sys.executable, "-c", program, str(server.getsockname()[1])])
        connection, (_, port) = server.accept()
        try:
            assert connection.recv(1) == b"x"
            assert find(server, port) == client.pid
        finally:
            connection.close()
            client.wait()


def test_among_many_connections_it_is_found_too():
    """The kernel hands its table out in pages."""
    others = [socket.create_server(("127.0.0.1", 0)) for _ in range(200)]
    try:
        test_the_process_at_the_other_end_is_found()
    finally:
        for one in others:
            one.close()


def test_a_port_that_nobody_holds_is_nobody():
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    assert find_loopback_peer(ConnectionEnds(("127.0.0.1", port), ("127.0.0.1", 1))) == 0
    for host in ("", "testclient", "::1"):
        assert find_loopback_peer(ConnectionEnds((host, port), (host, 1))) == 0


def test_somebody_else_with_the_same_port_is_not_meant():
    """Who has chosen the port of a person's program for a connection is not that program."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        person = subprocess.Popen(
            [sys.executable, "-c", LISTENER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert person.stdin and person.stdout
        port = int(person.stdout.readline())
        client = subprocess.Popen([sys.executable, "-c", BOUND_CLIENT, str(server.getsockname()[1]), str(port)])
        connection, _ = server.accept()
        try:
            assert connection.recv(1) == b"x"
            assert find(server, port, "127.0.0.2") == client.pid
            assert find(server, port) == 0
        finally:
            connection.close()
            client.wait()
            person.communicate("")


def test_a_client_that_comes_by_a_socket_of_ipv6_is_found_too():
    test_the_process_at_the_other_end_is_found(CLIENT.replace("create_connection((", "create_connection(('::ffff:' + "))


def test_a_process_that_ends_while_it_is_looked_at_is_no_trouble():
    assert list(loopback._iter_open_files(2**22 + 1)) == []
    assert os.getpid() not in loopback._iter_own_processes()


BUSY_CLIENT = """
import os, socket, sys
kept = [os.open("/dev/null", os.O_RDONLY) for _ in range(300)]
way = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
way.send(b"x")
while True:
    for place, handle in enumerate(kept):
        os.close(handle)
        kept[place] = os.open("/dev/null", os.O_RDONLY)
"""


def test_a_process_that_opens_and_closes_files_meanwhile_is_found_all_the_same():
    with socket.create_server(("127.0.0.1", 0)) as server:
        client = subprocess.Popen([sys.executable, "-c", BUSY_CLIENT, str(server.getsockname()[1])])
        connection, (_, port) = server.accept()
        try:
            assert connection.recv(1) == b"x"
            assert [find(server, port) for _ in range(50)] == [client.pid] * 50
        finally:
            client.kill()
            client.wait()
            connection.close()


def test_it_is_found_behind_many_other_connections():
    with socket.create_server(("127.0.0.1", 0), backlog=200) as server:
        others = [socket.create_connection(server.getsockname()) for _ in range(100)]
        client = subprocess.Popen([sys.executable, "-c", CLIENT, str(server.getsockname()[1])])
        try:
            accepted = [server.accept() for _ in range(101)]
            ports = {port for _, (_, port) in accepted} - {other.getsockname()[1] for other in others}
            assert [find(server, port) for port in ports for _ in range(20)] == [client.pid] * 20
        finally:
            client.kill()
            client.wait()
            for one in (*others, *(connection for connection, _ in accepted)):
                one.close()
