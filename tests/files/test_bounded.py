"""Files that are no files are refused at once, whatever stands there."""

import errno
import os
import socket
from pathlib import Path

import pytest

from synaptic.files.bounded import UnfitFileError, read_bounded


def test_a_regular_file_is_read_up_to_the_limit(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_bytes(b"12345")
    assert read_bounded(file, 5) == b"12345"
    with pytest.raises(UnfitFileError, match="larger than"):
        read_bounded(file, 4)


def test_an_empty_file_is_empty(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    assert read_bounded(str(tmp_path / "a"), 5) == b""


def test_a_missing_file_is_the_systems_own_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_bounded(tmp_path / "none", 5)


def test_a_sparse_giant_is_refused_before_it_is_read(tmp_path: Path) -> None:
    with (tmp_path / "a").open("wb") as file:
        file.truncate(5 << 30)
    with pytest.raises(UnfitFileError, match="1 MiB"):
        read_bounded(tmp_path / "a", 1 << 20)


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/null", "/dev/tty"])
def test_a_device_is_refused(device: str) -> None:
    with pytest.raises(OSError):
        read_bounded(device, 5)


def test_a_pipe_a_folder_and_a_socket_are_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UnfitFileError, match="no regular file"):
        read_bounded(tmp_path / "pipe", 5)
    with pytest.raises(UnfitFileError, match="folder"):
        read_bounded(tmp_path, 5)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "s"))
        with pytest.raises(OSError) as raised:
            read_bounded(tmp_path / "s", 5)
    assert raised.value.errno in (errno.ENXIO, errno.EOPNOTSUPP)


def test_the_error_names_the_file(tmp_path: Path) -> None:
    with pytest.raises(UnfitFileError) as raised:
        read_bounded(tmp_path, 5)
    assert str(tmp_path) in str(raised.value)
