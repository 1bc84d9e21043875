import time
from functools import partial
from pathlib import Path

from synaptic.files.bounded import read_content
from synaptic.files.snapshot import WatchedFile, are_unchanged, list_names, merge_missing, read_signature

load = partial(read_content, limit=1000)


def test_a_file_at_rest_is_not_read_again(tmp_path: Path):
    path = tmp_path / "a"
    path.write_text("1")
    reads = []
    watched = WatchedFile(str(path), lambda name: reads.append(name) or load(name))
    time.sleep(0.06)
    watched.read()
    assert all(watched.is_unchanged() for _ in range(5))
    assert len(reads) == 1


def test_a_fresh_file_is_compared_until_the_tick_is_over(tmp_path: Path):
    path = tmp_path / "a"
    path.write_text("1")
    reads = []
    watched = WatchedFile(str(path), lambda name: reads.append(name) or load(name))
    watched.read()
    assert watched.is_unchanged()
    assert len(reads) == 2
    time.sleep(0.06)
    assert watched.is_unchanged()
    assert watched.is_unchanged()
    assert len(reads) == 3


def test_the_same_signature_with_another_content_is_a_change(tmp_path: Path):
    path = tmp_path / "a"
    path.write_text("1")
    watched = WatchedFile(str(path), load)
    watched.read()
    path.write_text("2")
    watched.signature = read_signature(str(path))
    assert not watched.is_unchanged()


def test_names_of_a_folder_are_sorted_bytes(tmp_path: Path):
    for name in ("b", "a"):
        (tmp_path / name).touch()
    assert list_names(str(tmp_path)) == b"a\nb"
    assert list_names(str(tmp_path / "none")) is None


def test_one_change_among_many_is_seen(tmp_path: Path):
    files = [tmp_path / str(number) for number in range(3)]
    watched = [WatchedFile(str(path), load) for path in files]
    for source in watched:
        source.read()
    assert are_unchanged(watched)
    files[1].write_text("new")
    assert not are_unchanged(watched)


def test_a_missing_folder_is_watched_for_all_that_is_not_in_it(tmp_path: Path):
    """Issue 14: one question a folder, and every way in which a file can appear is still seen."""
    here = tmp_path / "config.toml"
    here.write_text("1")
    time.sleep(0.06)
    names = ("config.toml", "none.toml", "sub/a.toml", "sub/b.toml", "sub/deep/c.toml")
    watched = [WatchedFile(str(tmp_path / name), load) for name in names]
    for file in watched:
        file.read()
    merged = merge_missing(watched)
    assert [file.path for file in merged] == [
        str(tmp_path / name) for name in ("config.toml", "none.toml", "sub", "sub/deep")
    ]
    assert are_unchanged(merged)
    (tmp_path / "sub").mkdir()
    assert not are_unchanged(merged)
    (tmp_path / "sub").rmdir()
    assert are_unchanged(merged)
    (tmp_path / "none.toml").write_text("2")
    assert not are_unchanged(merged)
