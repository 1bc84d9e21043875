"""What a path is to its user."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synaptic.parse.places import Place, Places, matches_everything, without_everything
from synaptic.parse.shell.reader import read
from synaptic.parse.shell.script import Word

HOME = "/home/u"
ROOT = "/home/u/project"
AT = Places(ROOT, HOME, ROOT, ("/srv/other",), ("/tmp", "/home/u/.cache"))


def word(text: str) -> Word:
    """The word as a shell reads it."""
    return read(f"x {text}", ROOT, HOME).commands[0].argv[1]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("/", Place.WHOLE),
        ("//", Place.WHOLE),
        ("/*", Place.WHOLE),
        ("~", Place.WHOLE),
        ("~/*", Place.WHOLE),
        ("..", Place.WHOLE),
        ("/home", Place.WHOLE),
        (".", Place.HERE),
        ("*", Place.HERE),
        (".*", Place.HERE),
        (ROOT, Place.HERE),
        ("/etc", Place.SYSTEM),
        ("/ETC/hosts", Place.SYSTEM),
        ("/et?", Place.SYSTEM),
        ("/data", Place.SYSTEM),
        ("/home/other", Place.SYSTEM),
        ("/mnt/usr/lib", Place.SYSTEM),
        ("/tmp", Place.SYSTEM),
        ("/tmp/../etc", Place.SYSTEM),
        ("/tmp/a", Place.SCRATCH),
        ("/tmp/*", Place.SCRATCH),
        ("~/.cache/pip", Place.SCRATCH),
        ('"$TMPDIR/a"', Place.SCRATCH),
        ("build", Place.PROJECT),
        ("build/*", Place.PROJECT),
        ("/srv/other/x", Place.PROJECT),
        ("~/Documents", Place.OUTSIDE),
        ("../sibling", Place.OUTSIDE),
        ("/data/x", Place.OUTSIDE),
        ("C:/Users", Place.OUTSIDE),
        ('"$X"', Place.UNKNOWN),
        ('"$X/build"', Place.UNKNOWN),
        ('"${X:?}"/*', Place.UNKNOWN),
        ('"$X"/', Place.WHOLE),
        ("$X/*", Place.WHOLE),
        ('~/"$X"', Place.WHOLE),
        ('"$X/../.."', Place.WHOLE),
    ],
)
def test_a_word_hits_a_place(text: str, place: Place):
    assert AT.hit(word(text), ROOT) is place


@pytest.mark.parametrize("pattern", ["*", ".*", "**", "?*", "*.*", "[!.]*", "[a-z]*"])
def test_patterns_for_everything(pattern: str):
    assert matches_everything(pattern)
    assert without_everything(f"a/{pattern}") == "a/"


@pytest.mark.parametrize("pattern", ["*.py", "build*", "a", "node_*"])
def test_patterns_for_something(pattern: str):
    assert not matches_everything(pattern)
    assert without_everything(f"a/{pattern}") == f"a/{pattern}"


def test_an_agent_at_the_root_works_there_and_not_in_the_system():
    at = Places("", HOME, "/")
    assert at.hit(Word("build"), "/") is Place.PROJECT
    assert at.hit(Word("etc"), "/") is Place.SYSTEM
    assert at.hit(Word("."), "/") is Place.WHOLE


@given(st.text(max_size=60))
def test_any_text_is_some_place(text: str):
    assert AT.hit(Word(text, known=False, glob=True), ROOT) in Place


def test_a_text_too_long_for_a_path_is_no_place():
    assert AT.hit(Word("/" * 5000), ROOT) is Place.UNKNOWN
