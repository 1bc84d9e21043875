from pathlib import Path

import pytest

from synaptic.hooks import agreed
from synaptic.hooks.agreed import (
    AgreedHook,
    FileChange,
    compare_files,
    decode_agreed,
    describe_agreed,
    encode_agreed,
    read_files,
)
from synaptic.hooks.trust import HookTrust
from synaptic.model.hook import Command, Hook
from tests.hooks.projects import Project


def compare(before: bytes, now: bytes) -> FileChange:
    kept = decode_agreed(encode_agreed(describe_agreed("x", 1.0, {"/p/a": before}, "/p")))
    (change,) = compare_files(kept, {"/p/a": now}, "/p")
    return change


def test_what_is_kept_comes_back():
    kept = describe_agreed("sh a", 5.0, {"/p/a": b"one\n", "/else/b": b"\0"}, "/p")
    assert decode_agreed(encode_agreed(kept)) == kept
    assert (kept.files["a"].text, kept.files["/else/b"].text) == ("one\n", None)


@pytest.mark.parametrize("kept", [b"", b"garbage", encode_agreed(AgreedHook("x", 1.0))[:-6]])
def test_what_cannot_be_read_is_compared_with_nothing(kept: bytes):
    assert decode_agreed(kept) is None


def test_different_lines_are_shown_as_they_are_now():
    assert compare(b"a\nb\nc\n", b"a\nB\nc\n").lines == ("@@ -1,3 +1,3 @@", " a", "-b", "+B", " c")
    assert compare(b"a\n", b"a\n") == FileChange("a", "same")


@pytest.mark.parametrize(("before", "now"), [(b"a\n", b"a"), (b"a\xff\n", b"a\xfe\n")])
def test_a_difference_that_has_no_line_is_told(before: bytes, now: bytes):
    assert compare(before, now) == FileChange("a", "changed", (), agreed.INVISIBLE)


def test_a_file_of_too_many_lines_is_shown_and_not_compared():
    change = compare(b"1\n" * 2000, b"2\n" * 2000)
    assert (change.state, len(change.lines)) == ("changed", 2000)
    assert "more than 1,000 lines" in change.note


def test_only_so_much_text_is_kept():
    files = {f"/p/{number}": b"x" * 100_000 for number in range(5)}
    kept = describe_agreed("x", 1.0, files, "/p")
    assert [file.text is not None for file in kept.files.values()] == [True, True, False, False, False]
    assert len({file.sha256 for file in kept.files.values()}) == 1


def test_a_secret_is_not_kept_and_its_line_is_shown_again():
    secret = b"ghp_" + b"a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    kept = describe_agreed("x", 1.0, {"/p/a": b"T=" + secret + b"\n"}, "/p")
    assert secret.decode() not in (kept.files["a"].text or "")
    (change,) = compare_files(kept, {"/p/a": b"T=" + secret + b"\n# more\n"}, "/p")
    assert f"+T={secret.decode()}" in change.lines


def test_a_name_of_any_bytes_can_be_kept():
    assert decode_agreed(encode_agreed(describe_agreed("x", 1.0, {"/p/\udcff": b""}, "/p"))) is not None


def test_only_what_the_digest_was_made_of_is_shown(project: Project):
    """A file that is exchanged while somebody reads it is not among what they agree to."""
    script = project.script("a.sh")
    hook = Hook(id="h", events=("Stop",), handler=Command(argv=(str(script),)), scope="project")
    (item,) = HookTrust(project.root, lambda root: frozenset()).list_items([hook])
    assert read_files(item) == {str(script): b"#!/bin/sh\n"}
    Path(script).write_text("#!/bin/sh\nEVIL\n")
    assert read_files(item) == {}
