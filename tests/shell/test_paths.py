import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synaptic.shell.paths import PLAIN_PATH, Standpoint, is_inside, is_settled, list_readings, resolve_path

AT = Standpoint("/home/u/p/sub", "/home/u")


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("a.py", "/home/u/p/sub/a.py"),
        ("./a//b/./c/", "/home/u/p/sub/a/b/c"),
        ("../x", "/home/u/p/x"),
        ("../../../../../../x", "/x"),
        ("/etc/passwd", "/etc/passwd"),
        ("//etc///passwd", "/etc/passwd"),
        ("/a/../b", "/b"),
        ("~", "/home/u"),
        ("~/x", "/home/u/x"),
        ("~u/x", "/home/u/x"),
        ("~bob/x", "/home/bob/x"),
        ("$HOME/x", "/home/u/x"),
        ("${HOME}/../v", "/home/v"),
        ("$PWD/x", "/home/u/p/sub/x"),
        ("$HOMER/x", "/home/u/p/sub/$HOMER/x"),
        ("file:///etc/x", "/etc/x"),
        ("/private/tmp/x", "/tmp/x"),
        ("a b\nc", "/home/u/p/sub/a b\nc"),
    ],
)
def test_a_path_is_resolved_by_its_text(text: str, path: str):
    assert resolve_path(text, AT) == path


@pytest.mark.parametrize("text", ["", "a\0b", "/etc/passwd\0.txt"])
def test_no_path_at_all(text: str):
    assert resolve_path(text, AT) is None


@pytest.mark.parametrize("text", ["%2e%2e/%2e%2e/%2e%2e/etc", "..%2f..%2F..%2fetc", "%252e%252e/../%252e%252e/etc"])
def test_encoded_dots_and_slashes_are_read_both_ways(text: str):
    found = list_readings(text, AT)
    assert any(not is_inside(path, ["/home/u/p/sub"]) for path in found)
    assert resolve_path(text, AT) in found


def test_a_percent_sign_alone_is_no_encoding():
    assert list_readings("100%.txt", AT) == ("/home/u/p/sub/100%.txt",)


@pytest.mark.parametrize(
    ("path", "roots", "expected"),
    [
        ("/p", ["/p"], True),
        ("/p/a", ["/p/"], True),
        ("/pa", ["/p"], False),
        ("/q", ["/p", "/q"], True),
        ("/x", ["/"], True),
        ("/x", [""], False),
        ("/x", [], False),
        ("/tmp/x", ["/private/tmp"], True),
    ],
)
def test_inside(path: str, roots: list[str], expected: bool):
    assert is_inside(path, roots) is expected


PIECES = st.lists(st.sampled_from(["..", ".", "a", "b c", "~", "", "$HOME", "%2e%2e", "..."]), max_size=8).map("/".join)


@given(PIECES, st.sampled_from(["", "/", "~/", "//"]))
def test_a_resolved_path_is_absolute_normal_and_stays_the_same(text: str, start: str):
    path = resolve_path(start + text, AT)
    if path is None:
        return
    assert path == os.path.normpath(path)
    assert path.startswith("/")
    assert ".." not in path.split("/")
    assert resolve_path(path.replace("$HOME", "x"), AT) == path.replace("$HOME", "x")


@given(PIECES)
def test_what_is_inside_by_text_is_inside_by_parts(text: str):
    path = resolve_path(text, AT)
    if path is not None:
        assert is_inside(path, ["/home/u/p"]) == (path.split("/")[:4] == ["", "home", "u", "p"])


FOLDERS = st.sampled_from(
    ["/p", "/p/", "/", "", "/p/../q", "/private/tmp/x", "/private/x", "/a b", "/p..q", "relative"]
)
PLAIN_NAMES = st.from_regex(PLAIN_PATH, fullmatch=True).filter(lambda text: len(text) < 80)


@given(PLAIN_NAMES, FOLDERS)
def test_a_plain_name_in_a_settled_folder_is_written_behind_it(text: str, folder: str):
    if is_settled(folder):
        assert resolve_path(text, Standpoint(folder, "/home/u")) == f"{folder}/{text}"
