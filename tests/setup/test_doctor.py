"""The checks of `doctor` that need neither the daemon nor a package; tests/cli/test_doctor.py types the verb itself."""

import os
import time
from pathlib import Path

from synaptic.model.home import Home
from synaptic.setup import dispatcher
from synaptic.setup.doctor import check_database, check_dispatcher, check_project, check_spool
from synaptic.store import losses
from synaptic.store.db import Store


def test_a_dispatcher_of_another_version_fails_and_is_repaired_by_bootstrap(tmp_path: Path):
    home = Home(tmp_path / "home")
    assert list(check_dispatcher(home)) == []
    dispatcher.install_dispatcher(home)
    (found,) = check_dispatcher(home)
    assert found.state in ("ok", "warn")
    home.engine.write_text(home.engine.read_text().replace("version=", "version=0."))
    (found,) = check_dispatcher(home)
    assert (found.state, found.repair) == ("fail", "bootstrap")


def test_a_damaged_database_that_was_moved_aside_is_named_once(tmp_path: Path):
    home = Home(tmp_path)
    (found,) = check_database(home)
    assert found.seen.startswith("none yet")
    Store.open(home).close()
    aside = f"{home.database.name}.damaged-20250101T000000Z"
    for suffix in ("", "-wal", "-shm"):
        (tmp_path / f"{aside}{suffix}").touch()
    usable, moved = check_database(home)
    assert (usable.state, moved.state) == ("ok", "warn")
    assert moved.seen.endswith(aside)


def test_output_that_nobody_collects_is_told_after_an_hour(tmp_path: Path):
    home = Home(tmp_path)
    assert list(check_spool(home)) == []
    (home.spool / "run").mkdir(parents=True)
    assert list(check_spool(home)) == []
    os.utime(home.spool / "run", (time.time() - 4000,) * 2)
    (found,) = check_spool(home)
    assert (found.state, found.repair) == ("warn", "daemon")


def test_a_project_without_its_variables_is_told_and_a_bare_folder_is_not(tmp_path: Path):
    assert list(check_project(None)) == []
    (found,) = check_project(tmp_path)
    assert (found.state, found.repair) == ("warn", "env")


def test_what_was_repaired_is_listed(tmp_path: Path):
    home = Home(tmp_path / "home")
    store = Store.open(home)
    store.write(lambda connection: losses.record_loss(connection, losses.Loss("its log was deleted")))
    store.close()
    found = list(check_database(home))
    assert [finding.state for finding in found] == ["ok", "warn"]
    assert "its log was deleted" in found[1].seen


def test_damage_is_found_without_an_event(tmp_path: Path):
    home = Home(tmp_path / "home")
    store = Store.open(home)
    sql = "SELECT rootpage FROM sqlite_master WHERE name = 'hook_counts'"
    page = store.read(lambda connection: connection.execute(sql).fetchone()[0])
    store.close()
    with home.database.open("r+b") as file:
        file.seek((page - 1) * 2048)
        file.write(b"\xff" * 2048)
    (found,) = check_database(home)
    assert found.state == "fail"
    assert "daemon restart" in found.fix
