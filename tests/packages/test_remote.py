import shutil

import msgspec
import pytest

from synaptic.model.home import Home
from synaptic.model.refusal import Refusal
from synaptic.packages.author import import_package, promote_package, undo_commit
from synaptic.packages.create import clone_registry_file
from synaptic.packages.remote import locate_copy, pull_channels, push_channels, serve_registry
from synaptic.packages.source import open_source

CHANNELS = ("beta", "develop", "main")


def fill(desk):
    import_package(desk.source, desk.read("a"), "develop")
    import_package(desk.source, desk.read("b", files={"hooks/pre.sh": "b\\'\n"}), "develop")
    promote_package(desk.source, "a", "develop", "beta")


def everything(source):
    return {
        channel: [source.find_bundle(package.id, channel) for package in source.list_packages(channel)]
        for channel in source.list_channels()
    }


def refused(work, *arguments):
    with pytest.raises(Refusal) as caught:
        work(*arguments)
    return caught.value


@pytest.fixture
def remote(desk):
    fill(desk)
    url = f"file://{desk.base / 'remote.db'}"
    push_channels(desk.source.database, url, CHANNELS)
    return url


def test_a_second_user_gets_the_same_from_a_file_remote(desk, remote, tmp_path):
    with open_source(remote, Home(tmp_path / "second")) as theirs:
        assert theirs.list_channels() == CHANNELS
        assert everything(theirs) == everything(desk.source)
        assert [theirs.read_head(channel) for channel in CHANNELS] == [
            desk.source.read_head(channel) for channel in CHANNELS
        ]
        assert theirs.read_log("beta", "a") == desk.source.read_log("beta", "a")


def test_a_second_user_gets_the_same_over_http(desk, tmp_path):
    fill(desk)
    desk.source.close()
    with serve_registry(desk.path) as url:
        assert url.startswith("http://127.0.0.1:")
        with open_source(url, Home(tmp_path / "second")) as theirs:
            assert everything(theirs) == everything(desk.source)


def test_a_copy_follows_its_remote(desk, remote, tmp_path):
    home = Home(tmp_path / "second")
    open_source(remote, home).close()
    import_package(desk.source, desk.read("c"), "main")
    push_channels(desk.source.database, remote, ("main",))
    with open_source(remote, home) as theirs:
        assert [package.id for package in theirs.list_packages("main")] == ["c"]


def test_a_version_is_found_in_the_history_of_a_copy(desk, remote, tmp_path):
    import_package(desk.source, desk.read("a", version="2.0.0"), "develop")
    push_channels(desk.source.database, remote, ("develop",))
    with open_source(remote, Home(tmp_path / "second")) as theirs:
        assert theirs.find_package("a", "develop").version == "2.0.0"
        assert theirs.find_bundle("a", "develop", "1.0.0").package.version == "1.0.0"


def test_a_remote_that_has_moved_on_is_never_overwritten(desk, remote):
    undo_commit(desk.source, "develop")
    import_package(desk.source, desk.read("d"), "develop")
    error = refused(push_channels, desk.source.database, remote, ("develop",))
    assert error.code == "conflict"


def test_a_pull_brings_what_others_have_pushed(desk, remote, tmp_path):
    path = tmp_path / "other.db"
    shutil.copy(desk.path, path)
    import_package(desk.source, desk.read("c"), "develop")
    push_channels(desk.source.database, remote, ("develop",))
    with desk.open(f"dolt://{path}") as other:
        assert pull_channels(other.database, remote, ()) == CHANNELS
        assert everything(other) == everything(desk.source)


def test_a_clone_is_a_registry_of_ones_own_with_the_same_history(desk, remote, tmp_path):
    path = tmp_path / "mine" / "registry.db"
    clone_registry_file(remote, path)
    with desk.open(f"dolt://{path}") as mine:
        assert everything(mine) == everything(desk.source)
        import_package(mine, desk.read("mine"), "develop")
        push_channels(mine.database, remote, ("develop",))
    pull_channels(desk.source.database, remote, ("develop",))
    assert [package.id for package in desk.source.list_packages("develop")] == ["a", "b", "mine"]


@pytest.mark.parametrize("url", ["file:///nowhere/remote.db", "http://127.0.0.1:1/registry.db"])
def test_a_remote_that_is_gone_is_told_and_leaves_nothing(tmp_path, url):
    home = Home(tmp_path)
    error = refused(open_source, url, home)
    assert (error.code, error.where) == ("backend_unavailable", url)
    folder = locate_copy(url, home).parent
    assert [path.name for path in folder.iterdir() if not path.name.endswith(".lock")] == []


def test_a_copy_whose_remote_has_gone_is_not_taken_for_the_remote(desk, remote, tmp_path):
    home = Home(tmp_path / "second")
    open_source(remote, home).close()
    (desk.base / "remote.db").unlink()
    assert refused(open_source, remote, home).code == "backend_unavailable"


def test_a_port_that_is_taken_is_told(desk):
    with serve_registry(desk.path) as url:
        port = int(url.rpartition(":")[2].partition("/")[0])
        with pytest.raises(Refusal, match="cannot be had"), serve_registry(desk.path, port):
            pass


def test_a_registry_that_is_not_there_cannot_be_served(tmp_path):
    with pytest.raises(Refusal, match="there is no registry"), serve_registry(tmp_path / "x.db"):
        pass


def test_bundles_of_copies_name_their_channel(desk, remote, tmp_path):
    with open_source(remote, Home(tmp_path / "second")) as theirs:
        bundle = theirs.find_bundle("a", "beta")
    assert bundle.channel == "beta"
    assert msgspec.structs.replace(bundle, commit="").commit == ""
    assert bundle.commit == desk.source.read_head("beta")
