"""Files that are no files are refused at once, whatever stands there."""

import errno
import os
import socket
from pathlib import Path

import pytest

from synaptic.files.bounded import (
    UNREADABLE_FOLDER,
    UnfitFileError,
    UnreadableFile,
    read_bounded,
    read_content,
    read_end,
    read_from,
    read_start,
)


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
    with pytest.raises(UnfitFileError, match="not a regular file"):
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


def test_what_is_missing_or_unfit_is_a_value(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x" * 1001)
    assert read_content(str(tmp_path / "a"), 1001) == b"x" * 1001
    assert read_content(str(tmp_path / "a"), 1000) == UnreadableFile("is larger than 0 KiB")
    assert read_content(str(tmp_path / "none"), 1000) is None
    assert read_content(f"{tmp_path}/a/b", 1000) is None
    assert read_content("\0", 1000) is None
    assert read_content(str(tmp_path), 1000) == UNREADABLE_FOLDER
    assert read_content("/dev/zero", 1000) == UnreadableFile("is not a regular file")


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="no /proc here")
def test_a_file_that_the_kernel_makes_up_is_read_though_it_has_no_size() -> None:
    assert read_bounded("/proc/self/status", 1 << 20).startswith(b"Name:")
    with pytest.raises(UnfitFileError, match="larger than"):
        read_bounded("/proc/self/status", 10)


def test_a_part_of_a_file_is_read_and_of_anything_else_nothing(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"12345")
    file = str(tmp_path / "a")
    assert (read_start(file, 2), read_end(file, 2), read_from(file, 1, 3)) == (b"12", b"45", b"234")
    assert read_end(file, 10) == b"12345"
    assert [read_start(path, 2) for path in (str(tmp_path), f"{file}/b", "/dev/zero", "\0")] == [b""] * 4


def test_a_file_that_the_kernel_makes_up_is_read_to_its_end_and_within_bounds() -> None:
    """It has no size, and a single reading gives a page of it."""
    whole = Path("/proc/self/smaps").read_bytes()
    assert len(whole) > 8192
    assert len(read_start("/proc/self/smaps", 1 << 24)) > 8192
    assert len(read_start("/proc/self/smaps", 5000)) == 5000
    assert read_start("/proc/self/smaps", 100) == whole[:100]
