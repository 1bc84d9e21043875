import contextlib
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from synaptic.model.refusal import Refusal
from synaptic.packages.database import RegistryChange
from synaptic.packages.dolt import DoltDatabase
from synaptic.packages.rows import Package
from synaptic.packages.tables import make_insert


def put(name, version="1"):
    return make_insert(Package(id=name, name=name, version=version))


def refused(work, *arguments):
    with pytest.raises(Refusal) as caught:
        work(*arguments)
    return caught.value


def test_doltlite_is_never_loaded_into_the_process_that_asks(desk):
    """It takes the place of the interpreter's SQLite, which the journal lives in."""
    code = (
        "import sys; from pathlib import Path; from synaptic.packages.dolt import DoltDatabase;"
        f"d = DoltDatabase(Path({str(desk.path)!r})); print(d.list_channels()); d.close();"
        "assert 'doltlite' not in sys.modules;"
        "import sqlite3;"
        "sqlite3.connect(':memory:').execute('select dolt_version()')"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "('beta', 'develop', 'main')" in ran.stdout
    assert "no such function: dolt_version" in ran.stderr


def test_the_daemon_does_not_import_it():
    code = "import sys, synaptic.daemon.server; assert not {'doltlite', 'pymysql', 'jinja2'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_database_that_is_gone_is_refused_and_not_made(tmp_path):
    error = refused(DoltDatabase(tmp_path / "x.db").list_channels)
    assert (error.code, error.hint) == ("not_found", "type: synaptic registry init")
    assert not (tmp_path / "x.db").exists()


def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path):
    path = tmp_path / "x.db"
    path.write_text("this is not a database, and it is longer than a header " * 20)
    before = path.read_bytes()
    database = DoltDatabase(path)
    assert refused(database.list_channels).code == "validation_failed"
    database.close()
    assert path.read_bytes() == before


def test_a_change_that_fails_half_way_leaves_nothing(desk):
    database = desk.source.database
    head = database.read_head("main")
    refused(database.write, RegistryChange("main", [put("a"), ("INSERT INTO nowhere VALUES (1)", ())], "broken"))
    assert database.read_head("main") == head
    assert desk.source.list_packages("main") == ()
    assert database.query("SELECT * FROM dolt_status") == []
    assert database.write(RegistryChange("main", [put("a")], "works again"))


def test_a_change_that_changes_nothing_makes_no_commit(desk):
    assert desk.source.database.write(RegistryChange("main", [("DELETE FROM packages", ())], "nothing")) == ""


def test_many_writers_wait_for_each_other_and_all_are_kept(desk):
    def write(number):
        source = desk.open(desk.url)
        try:
            channel = ("develop", "main")[number % 2]
            return source.database.write(RegistryChange(channel, [put(f"p{number}")], f"p{number}"))
        finally:
            source.close()

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(write, range(8)))
    assert [package.id for package in desk.source.list_packages("main")] == ["p1", "p3", "p5", "p7"]
    assert [package.id for package in desk.source.list_packages("develop")] == ["p0", "p2", "p4", "p6"]


def test_a_locked_registry_says_so(desk):
    """A second process holds the write lock for longer than anybody waits."""
    holder = DoltDatabase(desk.path)
    holder.query("BEGIN IMMEDIATE")
    desk.source.database.patience = 0.1
    error = refused(desk.source.database.write, RegistryChange("main", [put("a")], "a"))
    assert (error.code, error.is_retryable) == ("backend_unavailable", True)
    holder.close()
    assert desk.source.database.write(RegistryChange("main", [put("a")], "a"))


@pytest.mark.parametrize("delay", [0.0, 0.01, 0.03, 0.06])
def test_a_writer_that_is_killed_leaves_the_registry_as_before_or_as_after(desk, delay):
    before = desk.source.read_head("main")
    code = (
        "import sys; from pathlib import Path; from synaptic.packages.dolt import DoltDatabase;"
        "from synaptic.packages.database import RegistryChange; from synaptic.packages.rows import Package;"
        "from synaptic.packages.tables import make_insert;"
        f"d = DoltDatabase(Path({str(desk.path)!r})); d.list_channels(); print(d._process.pid, flush=True);"
        "rows = [make_insert(Package(id=f'p{n}', name='p', version='1')) for n in range(3000)];"
        "d.write(RegistryChange('main', rows, 'many'))"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    worker = int(process.stdout.readline())
    time.sleep(delay)
    with contextlib.suppress(ProcessLookupError):
        os.kill(worker, signal.SIGKILL)
    process.wait()
    process.stdout.close()
    count = len(desk.source.list_packages("main"))
    assert count in (0, 3000)
    assert (desk.source.read_head("main") == before) == (count == 0)
    assert desk.source.database.write(RegistryChange("main", [put("next")], "goes on"))
    assert len(desk.source.list_packages("main")) == count + 1


def test_a_worker_that_dies_is_told_and_the_next_question_starts_another(desk):
    database = desk.source.database
    database.list_channels()
    os.kill(database._process.pid, signal.SIGKILL)
    assert "process ended" in refused(database.list_channels).message
    assert database.list_channels() == ("beta", "develop", "main")


@pytest.mark.parametrize("name", ["x'); DROP", "", "a b", "../x", "-x", "a..b"])
def test_a_name_that_could_be_sql_is_refused(desk, name):
    assert refused(desk.source.database.make_table_sql, "packages", name).code == "invalid_args"
