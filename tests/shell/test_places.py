"""What a path is to its user."""

from fnmatch import fnmatchcase

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from synaptic.shell.places import PROBES, Place, Places, matches_everything, without_everything
from synaptic.shell.read.reader import read
from synaptic.shell.read.script import Word

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


@pytest.mark.parametrize(
    ("home", "path", "place"),
    [
        ("/tmp/ci/home", "/tmp/ci/home/Documents", Place.OUTSIDE),
        ("/tmp/ci/home", "/tmp/ci/home/.cache/pip", Place.SCRATCH),
        ("/tmp/ci/home", "/tmp/ci/home", Place.WHOLE),
        ("/tmp/ci/home", "/tmp/ci", Place.WHOLE),
        ("/tmp/ci/home", "/tmp/ci/work", Place.SCRATCH),
        ("/tmp", "/tmp/a", Place.SCRATCH),
        ("/", "/tmp/a", Place.SCRATCH),
        ("", "/tmp/a", Place.SCRATCH),
    ],
)
def test_a_home_in_a_scratch_folder_is_a_home(home: str, path: str, place: Place):
    assert Places("/p", home, "/p", (), ("/tmp", f"{home}/.cache")).of(path) is place


@given(st.text(max_size=60))
def test_any_text_is_some_place(text: str):
    assert AT.hit(Word(text, known=False, glob=True), ROOT) in Place


def test_a_text_too_long_for_a_path_is_no_place():
    assert AT.hit(Word("/" * 5000), ROOT) is Place.UNKNOWN


NAMES = st.sampled_from(
    [
        "a",
        "u",
        "project",
        "sub",
        "b.c",
        "-rf",
        "a/b",
        "sub/x",
        "..",
        ".",
        "./a",
        "/etc",
        "~",
        "~/x",
        "$X",
        "*",
        "a*",
        "c:",
        "",
    ]
)
STANDS = st.sampled_from(
    [ROOT, f"{ROOT}/sub", f"{ROOT}/sub/x", "/home/u", "/home", "/", "", f"{ROOT}/../x", "/private/tmp"]
)


@given(st.lists(NAMES, min_size=1, max_size=3), STANDS, STANDS, STANDS)
@example(["u"], "/home", "/home", "/home")
@example(["sub/x"], ROOT, ROOT, f"{ROOT}/sub/x")
@example(["a"], "/home/u", ROOT, ROOT)
def test_ordinary_names_are_in_the_project_and_nowhere_worse(texts: list[str], cwd: str, root: str, stand: str):
    at = Places(root, HOME, stand, (), ("/tmp",))
    words = [word(text or "''") for text in texts]
    if at.ordinary(words, cwd):
        assert {at.hit(one, cwd) for one in words} == {Place.PROJECT}


def test_names_below_the_project_are_ordinary():
    assert AT.ordinary([word("-rf"), word("build/out"), word("a.py")], ROOT)
    assert not AT.ordinary([word("build"), word("../other")], ROOT)
    assert not AT.ordinary([word("build")], "/etc")


@given(st.text("q9z.w7k*?[]!a", max_size=6))
def test_everything_is_what_one_of_the_probes_shows(pattern: str):
    assert matches_everything(pattern) is any(fnmatchcase(probe, pattern) for probe in PROBES)
