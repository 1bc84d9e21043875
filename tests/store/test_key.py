from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from synaptic.model.home import Home
from synaptic.store.db import Store
from synaptic.store.key import KEY_BYTES, locate_key, read_signing_key


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


def test_a_key_is_made_once_and_is_the_users_own(home: Home) -> None:
    """S1-149"""
    one, other = Store.open(home), Store.open(home)
    assert read_signing_key(one) == read_signing_key(other)
    assert len(read_signing_key(one)) == KEY_BYTES
    assert locate_key(one).stat().st_mode & 0o777 == 0o600
    assert [file.name for file in home.root.iterdir() if ".state.key" in file.name] == []


def test_everybody_who_starts_at_once_has_the_same_key(home: Home) -> None:
    """A key that another process is still writing is never read in part."""
    stores = [Store.open(home) for _ in range(16)]
    with ThreadPoolExecutor(16) as pool:
        assert len(set(pool.map(read_signing_key, stores))) == 1


@pytest.mark.parametrize("content", [b"", b"short", b"x" * 33])
def test_what_is_no_key_is_set_aside_with_a_word(home: Home, content: bytes) -> None:
    store = Store.open(home)
    locate_key(store).write_bytes(content)
    key = read_signing_key(store)
    assert key == locate_key(store).read_bytes()
    (aside,) = home.root.glob("state.key.unusable-*")
    assert aside.read_bytes() == content
    assert "could not be read as a key" in store.notices[-1]
    assert read_signing_key(Store.open(home)) == key


def test_a_key_that_cannot_be_read_is_set_aside_too(home: Home) -> None:
    store = Store.open(home)
    locate_key(store).mkdir()
    assert len(read_signing_key(store)) == KEY_BYTES
    assert locate_key(store).is_file()
    assert list(home.root.glob("state.key.unusable-*"))


def test_where_no_file_can_be_made_the_key_lives_with_the_process(home: Home) -> None:
    store = Store.open(home)
    store.path = Path("/proc/nowhere/synaptic.db")
    assert len(read_signing_key(store)) == KEY_BYTES
    assert read_signing_key(store) == read_signing_key(store)
    assert "not believed after a restart" in store.notices[-1]


def test_a_key_that_was_made_in_memory_signs_nothing_on_disk(tmp_path: Path) -> None:
    """The next process could not believe what it has signed."""
    (tmp_path / "home").touch()
    home = Home(tmp_path / "home")
    store = Store.open(home)
    in_memory = read_signing_key(store)
    (tmp_path / "home").unlink()
    store.checkpoint()
    assert store.durable
    other = Store.open(home)
    assert read_signing_key(store) == read_signing_key(other) != in_memory
    store.close()
    other.close()
