"""A MariaDB server of one's own: a temporary folder, this machine only, gone after the tests."""

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pymysql
import pytest

SECONDS = 30


def required() -> None:
    """Skip where there is no server; fail where everything must be tested."""
    if shutil.which("mariadbd"):
        return
    if os.environ.get("SYNAPTIC_TEST_ALL") == "1":
        pytest.fail("mariadbd is not installed (apt-get install mariadb-server)")
    pytest.skip("mariadbd is not installed (apt-get install mariadb-server)")


@contextmanager
def server(folder: Path) -> Iterator[str]:
    """The URL of an empty database `registry`, without the slash and the name."""
    data, port = folder / "data", _free_port()
    user = f"--user={'root' if os.geteuid() == 0 else os.environ.get('USER', '')}"
    # A temporary folder of its own: a server that starts deletes the temporary tables of all others in a shared one.
    where = ["--no-defaults", f"--datadir={data}", f"--tmpdir={folder}", user]
    make = ["mariadb-install-db", *where, "--auth-root-authentication-method=normal", "--skip-test-db"]
    made = subprocess.run(make, capture_output=True, text=True)
    assert made.returncode == 0, made.stdout + made.stderr
    run = ["mariadbd", *where, "--bind-address=127.0.0.1", f"--port={port}", f"--socket={folder / 's'}"]
    run += [f"--pid-file={folder / 'pid'}", "--innodb-flush-method=fsync", "--skip-name-resolve"]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(run, stdout=log, stderr=log)
    try:
        _wait(port)
        yield f"mysql://root@127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait()


def statement(url: str, sql: str) -> None:
    """One statement as the server's administrator."""
    with pymysql.connect(host="127.0.0.1", port=int(url.rpartition(":")[2]), user="root") as connection:
        with connection.cursor() as cursor:
            cursor.execute(sql)
        connection.commit()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait(port: int) -> None:
    deadline = time.monotonic() + SECONDS
    while True:
        try:
            pymysql.connect(host="127.0.0.1", port=port, user="root").close()
            return
        except pymysql.MySQLError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)
