import asyncio
import socket
import struct
import threading

import pytest

from synaptic.hub.export.syslog import open_destination, read_address
from synaptic.hub.shipping.destination import DestinationError
from synaptic.model.errors import SynapticError
from tests.hub.export.kit import HOSTILE, SyslogServer, make_events
from tests.hub.export.strict import read_message


def send(address: str, events: list[object], after: int = 0) -> int:
    async def work() -> int:
        destination = open_destination(address)
        try:
            return await destination.send(after, events)  # type: ignore[arg-type]
        finally:
            await destination.close()

    return asyncio.run(work())


def check(server: SyslogServer, address: str, size: int) -> None:
    events = make_events(1, 60, subject=HOSTILE * 50, tool=HOSTILE)
    try:
        assert send(address, events) == 60
        messages = server.wait_for(60)
    finally:
        server.close()
    assert [int(read_message(raw).values["seq"]) for raw in messages] == list(range(1, 61))
    assert max(map(len, messages)) <= size


def test_messages_over_udp():
    server = SyslogServer(socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0))
    check(server, f"udp://127.0.0.1:{server.port}?size=1024", 1024)


def test_messages_over_tcp_are_counted():
    server = SyslogServer(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0))
    check(server, f"tcp://127.0.0.1:{server.port}", 8192)


@pytest.mark.parametrize("kind", [socket.SOCK_DGRAM, socket.SOCK_STREAM])
def test_messages_to_the_socket_of_this_machine(tmp_path, kind):
    server = SyslogServer(socket.AF_UNIX, kind, str(tmp_path / "log"))
    check(server, f"unix://{tmp_path}/log", 8192)


def test_where_nobody_listens_nothing_counts_as_sent(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        for address in (f"tcp://127.0.0.1:{port}", f"udp://127.0.0.1:{port}", f"unix://{tmp_path}/none"):
            with pytest.raises(DestinationError):
                send(address, make_events(1, 50))


def test_a_server_that_hangs_up_gets_all_of_it_again():
    listener = socket.create_server(("127.0.0.1", 0))

    def cut() -> None:
        connection, _ = listener.accept()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.recv(10)
        connection.close()

    threading.Thread(target=cut, daemon=True).start()
    port = listener.getsockname()[1]
    with pytest.raises(DestinationError):
        send(f"tcp://127.0.0.1:{port}", make_events(1, 500))
    listener.close()


def test_a_connection_that_was_closed_meanwhile_is_opened_again():
    listener = socket.create_server(("127.0.0.1", 0))

    async def work() -> tuple[int, int]:
        destination = open_destination(f"tcp://127.0.0.1:{listener.getsockname()[1]}")
        threading.Thread(target=lambda: listener.accept()[0].recv(100_000), daemon=True).start()
        first = await destination.send(0, make_events(1, 1))
        await asyncio.sleep(0.1)  # the server is gone, and with it its connection
        second = await destination.send(1, make_events(2, 1))
        await destination.close()
        return first, second

    assert asyncio.run(work()) == (1, 2)
    assert b'seq="2"' in listener.accept()[0].recv(10_000)


def test_addresses():
    assert read_address("udp://logs.example.org").port == 514
    assert read_address("tcp://[::1]").text == "tcp://[::1]:601"
    assert read_address("unix:///dev/log").path == read_address("unix:/dev/log").path == "/dev/log"
    for wrong in (
        "", "logs", "http://x", "udp://", "tcp://x/y", "udp://x?size=9", "udp://x?size=99999", "udp://x?a=1",
        "unix://host/x", "unix:x", "udp://x:99999", "udp://u:p@x", "udp://x\n", "tcp://[::1",
    ):  # fmt: skip
        with pytest.raises(SynapticError):
            read_address(wrong)
