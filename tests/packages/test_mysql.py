"""The plain SQL against a MariaDB; what only Dolt has, against a Dolt server when SYNAPTIC_TEST_DOLT names one."""

import os
import uuid

import msgspec
import pytest

from synaptic.model.home import Home
from synaptic.model.refusal import Refusal
from synaptic.packages.author import import_package, promote_channel, promote_package, undo_commit
from synaptic.packages.create import create_on_server
from synaptic.packages.database import RegistryChange
from synaptic.packages.rows import PackageFile
from synaptic.packages.source import open_source
from synaptic.packages.tables import TABLE_NAMES, make_insert
from tests.packages import mariadb
from tests.packages.authoring import HOOK, SCRIPT, read_package

DOLT = os.environ.get("SYNAPTIC_TEST_DOLT", "")


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    mariadb.required()
    with mariadb.server(tmp_path_factory.mktemp("mariadb")) as url:
        yield url


@pytest.fixture
def source(server, tmp_path):
    name = f"r{uuid.uuid4().hex[:8]}"
    mariadb.statement(server, f"CREATE DATABASE {name}")
    with open_source(f"{server}/{name}", Home(tmp_path)) as opened:
        create_on_server(opened.database)
        yield opened


def refused(work, *arguments):
    with pytest.raises(Refusal) as caught:
        work(*arguments)
    return caught.value


def test_a_package_comes_back_as_it_was_imported(source, tmp_path):
    """S0-130 to S0-135"""
    more = HOOK + 'requires_nothing = 1\n[[questions]]\nid = "q"\nprompt = "?"\ntype = "text"\n[[deps]]\nname = "git"\n'
    files = {"hooks/pre.sh": SCRIPT, "a.md": "---\nname: x\n---\n", "á.md": "another"}
    read = read_package(tmp_path / "p", files=files, more=more)
    assert import_package(source, read, "main").changed
    found = source.find_bundle("guard", "main")
    package = msgspec.structs.replace(found.package, created_at="", updated_at="")
    assert msgspec.structs.replace(found, package=package, channel="") == read.bundle
    assert found.commit == ""
    assert not import_package(source, read, "main").changed


@pytest.mark.parametrize("text", ["a\\'b\n", "'; DROP TABLE x; --", "\\", '"`$(x)`"', "\r\n\t", "ünï 🙂", "%s ? {}"])
def test_any_text_comes_back_as_it_went_in(source, tmp_path, text):
    """S0-147"""
    import_package(source, read_package(tmp_path / "p"), "main")
    file = PackageFile(package_id="guard", dest_path="x", content=text, sha256="y", frontmatter={"a": text})
    source.database.write(RegistryChange("main", [make_insert(file)], ""))
    assert file in source.find_bundle("guard", "main").files


def test_the_same_version_with_other_content_is_refused(source, tmp_path):
    """S0-138"""
    import_package(source, read_package(tmp_path / "p"), "main")
    other = read_package(tmp_path / "p", files={"hooks/pre.sh": "other"})
    assert refused(import_package, source, other, "main").code == "conflict"


def test_a_change_that_fails_half_way_leaves_nothing(source):
    rows = [
        ("INSERT INTO packages (id, name, version) VALUES ('p', 'p', '1')", ()),
        ("INSERT INTO gone VALUES (1)", ()),
    ]
    assert refused(source.database.write, RegistryChange("main", rows, "")).code == "validation_failed"
    assert source.list_packages("main") == ()


def test_what_belongs_to_a_package_goes_with_it_and_the_indexes_are_there(source, tmp_path):
    """S0-131, S0-136"""
    import_package(source, read_package(tmp_path / "p"), "main")
    source.database.write(RegistryChange("main", [("DELETE FROM packages WHERE id = ?", ["guard"])], ""))
    assert all(source.database.query(f"SELECT * FROM {table}") == [] for table in TABLE_NAMES.values())
    sql = "SELECT DISTINCT index_name FROM information_schema.statistics WHERE table_schema = DATABASE()"
    found = {row[0] for row in source.database.query(sql)}
    assert {"files_by_type", "files_by_model", "variants_by_logical_id", "hooks_by_event", "deps_by_type"} <= found


def test_search_is_the_same_as_elsewhere(source, tmp_path):
    import_package(source, read_package(tmp_path / "a", name="alpha", description="Watches the beta."), "main")
    import_package(source, read_package(tmp_path / "b", name="beta", description="100% sure_ly"), "main")
    assert [one.name for one in source.search("BETA", "main")] == ["beta", "alpha"]
    assert [one.name for one in source.search("100%", "main")] == ["beta"]
    assert [one.name for one in source.search("1%0", "main")] == []


def test_plain_tables_are_one_channel_without_history(source, tmp_path):
    import_package(source, read_package(tmp_path / "p"), "main")
    assert (source.list_channels(), source.read_head("main"), source.read_log("main", "guard")) == (("main",), "", ())
    assert source.find_package("guard", "main", "1.0.0") is not None
    assert source.find_package("guard", "main", "2.0.0") is None
    assert refused(source.list_packages, "develop").code == "not_found"
    assert refused(promote_channel, source, "main", "beta").code in ("not_found", "unsupported_backend")
    assert refused(promote_package, source, "guard", "main", "beta").code == "not_found"


def test_a_server_that_is_not_there_says_so_without_the_password(tmp_path):
    error = refused(open_source, "mysql://me:secret@127.0.0.1:1/x", Home(tmp_path))
    assert (error.code, error.is_retryable) == ("backend_unavailable", True)
    assert "secret" not in str(error)


def test_a_wrong_user_and_a_database_that_is_not_there_are_told_apart(server, tmp_path):
    stranger = server.replace("root@", "nobody:wrong@")
    assert refused(open_source, f"{stranger}/mysql", Home(tmp_path)).code == "backend_auth_failed"
    assert refused(open_source, f"{server}/gone", Home(tmp_path)).code == "not_found"


def test_tables_that_are_no_registry_are_refused(server, tmp_path):
    mariadb.statement(server, "CREATE DATABASE IF NOT EXISTS empty_one")
    with open_source(f"{server}/empty_one", Home(tmp_path)) as empty:
        assert refused(empty.list_packages, "main").code == "validation_failed"


@pytest.mark.skipif(not DOLT, reason="SYNAPTIC_TEST_DOLT names no empty database on a Dolt SQL server")
def test_a_dolt_server_has_channels_history_and_promotion(tmp_path):
    """S0-137, S0-144"""
    with open_source(DOLT, Home(tmp_path)) as source:
        create_on_server(source.database)
        import_package(source, read_package(tmp_path / "p"), "develop")
        promote_package(source, "guard", "develop", "beta")
        assert source.list_channels() == ("beta", "develop", "main")
        assert source.find_bundle("guard", "beta").files == source.find_bundle("guard", "develop").files
        assert len(source.read_log("beta", "guard")) == 1
        undo_commit(source, "beta")
        assert source.list_packages("beta") == ()
