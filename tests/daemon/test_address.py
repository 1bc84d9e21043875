"""A socket can be bound and reached under a path of any length."""

import socket
from pathlib import Path

import pytest

from synaptic.daemon.address import PATH_LIMIT, bind_name, connect_daemon
from synaptic.model.home import Home


@pytest.mark.parametrize("folder", ["s", "long/" * 60, "new\nline"])
def test_what_is_bound_can_be_reached(tmp_path: Path, folder: str) -> None:
    home = Home(tmp_path / folder)
    home.run.mkdir(parents=True)
    with socket.socket(socket.AF_UNIX) as listener:
        with bind_name(home.socket) as name:
            assert len(name) <= PATH_LIMIT
            listener.bind(name)
        listener.listen()
        assert home.socket.is_socket()
        connect_daemon(home, 1.0).close()


@pytest.mark.parametrize("folder", ["short", "long/" * 60])
def test_nobody_there_is_an_os_error(tmp_path: Path, folder: str) -> None:
    with pytest.raises(OSError, match="No such file"):
        connect_daemon(Home(tmp_path / folder), 1.0)
