"""What a path is to its user."""

from fnmatch import fnmatchcase

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from synaptic.shell.places import PROBE_NAMES, PathArea, WorkFolders, matches_everything, strip_match_all
from synaptic.shell.read.reader import read_script
from synaptic.shell.read.script import Word

HOME = "/home/u"
ROOT = "/home/u/project"
AT = WorkFolders(ROOT, HOME, ROOT, ("/srv/other",), ("/tmp", "/home/u/.cache"))


def word(text: str) -> Word:
    """The word as a shell reads it."""
    return read_script(f"x {text}", ROOT, HOME).commands[0].argv[1]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("/", PathArea.WHOLE),
        ("//", PathArea.WHOLE),
        ("/*", PathArea.WHOLE),
        ("~", PathArea.WHOLE),
        ("~/*", PathArea.WHOLE),
        ("..", PathArea.WHOLE),
        ("/home", PathArea.WHOLE),
        (".", PathArea.HERE),
        ("*", PathArea.HERE),
        (".*", PathArea.HERE),
        (ROOT, PathArea.HERE),
        ("/etc", PathArea.SYSTEM),
        ("/ETC/hosts", PathArea.SYSTEM),
        ("/et?", PathArea.SYSTEM),
        ("/data", PathArea.SYSTEM),
        ("/home/other", PathArea.SYSTEM),
        ("/mnt/usr/lib", PathArea.SYSTEM),
        ("/tmp", PathArea.SYSTEM),
        ("/tmp/../etc", PathArea.SYSTEM),
        ("/tmp/a", PathArea.SCRATCH),
        ("/tmp/*", PathArea.SCRATCH),
        ("~/.cache/pip", PathArea.SCRATCH),
        ('"$TMPDIR/a"', PathArea.SCRATCH),
        ("build", PathArea.PROJECT),
        ("build/*", PathArea.PROJECT),
        ("/srv/other/x", PathArea.PROJECT),
        ("~/Documents", PathArea.OUTSIDE),
        ("../sibling", PathArea.OUTSIDE),
        ("/data/x", PathArea.OUTSIDE),
        ("C:/Users", PathArea.OUTSIDE),
        ('"$X"', PathArea.UNKNOWN),
        ('"$X/build"', PathArea.UNKNOWN),
        ('"${X:?}"/*', PathArea.UNKNOWN),
        ('"$X"/', PathArea.WHOLE),
        ("$X/*", PathArea.WHOLE),
        ('~/"$X"', PathArea.WHOLE),
        ('"$X/../.."', PathArea.WHOLE),
    ],
)
def test_a_word_hits_a_place(text: str, place: PathArea):
    assert AT.classify_word(word(text), ROOT) is place


@pytest.mark.parametrize("pattern", ["*", ".*", "**", "?*", "*.*", "[!.]*", "[a-z]*"])
def test_patterns_for_everything(pattern: str):
    assert matches_everything(pattern)
    assert strip_match_all(f"a/{pattern}") == "a/"


@pytest.mark.parametrize("pattern", ["*.py", "build*", "a", "node_*"])
def test_patterns_for_something(pattern: str):
    assert not matches_everything(pattern)
    assert strip_match_all(f"a/{pattern}") == f"a/{pattern}"


def test_an_agent_at_the_root_works_there_and_not_in_the_system():
    at = WorkFolders("", HOME, "/")
    assert at.classify_word(Word("build"), "/") is PathArea.PROJECT
    assert at.classify_word(Word("etc"), "/") is PathArea.SYSTEM
    assert at.classify_word(Word("."), "/") is PathArea.WHOLE


@pytest.mark.parametrize(
    ("home", "path", "place"),
    [
        ("/tmp/ci/home", "/tmp/ci/home/Documents", PathArea.OUTSIDE),
        ("/tmp/ci/home", "/tmp/ci/home/.cache/pip", PathArea.SCRATCH),
        ("/tmp/ci/home", "/tmp/ci/home", PathArea.WHOLE),
        ("/tmp/ci/home", "/tmp/ci", PathArea.WHOLE),
        ("/tmp/ci/home", "/tmp/ci/work", PathArea.SCRATCH),
        ("/tmp", "/tmp/a", PathArea.SCRATCH),
        ("/", "/tmp/a", PathArea.SCRATCH),
        ("", "/tmp/a", PathArea.SCRATCH),
    ],
)
def test_a_home_in_a_scratch_folder_is_a_home(home: str, path: str, place: PathArea):
    assert WorkFolders("/p", home, "/p", (), ("/tmp", f"{home}/.cache")).classify(path) is place


@given(st.text(max_size=60))
def test_any_text_is_some_place(text: str):
    assert AT.classify_word(Word(text, known=False, glob=True), ROOT) in PathArea


def test_a_text_too_long_for_a_path_is_no_place():
    assert AT.classify_word(Word("/" * 5000), ROOT) is PathArea.UNKNOWN


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
    at = WorkFolders(root, HOME, stand, (), ("/tmp",))
    words = [word(text or "''") for text in texts]
    if at.are_plain_names(words, cwd):
        assert {at.classify_word(one, cwd) for one in words} == {PathArea.PROJECT}


PATTERNS = st.sampled_from(
    [
        "*",
        "a*",
        "*.py",
        "sub/*",
        "sub/?x",
        ".*",
        "..*",
        "*/x",
        "a/*/b",
        "../*",
        "~/*",
        "/e*",
        "sub/..*",
        "-*",
        "?",
        "??",
    ]
)


@given(st.lists(NAMES | PATTERNS, min_size=1, max_size=3), STANDS, STANDS, STANDS)
@example(["*"], ROOT, ROOT, ROOT)
@example(["sub/*"], ROOT, "/home/u", ROOT)
def test_patterns_in_plain_folders_match_nothing_but_the_project(texts: list[str], cwd: str, root: str, stand: str):
    at = WorkFolders(root, HOME, stand, (), ("/tmp",))
    words = [word(text or "''") for text in texts]
    if at.stay_below(words, (cwd,)):
        assert {at.classify_word(one, cwd) for one in words} <= {PathArea.PROJECT, PathArea.HERE}


def test_names_below_the_project_are_ordinary():
    assert AT.are_plain_names([word("-rf"), word("build/out"), word("a.py")], ROOT)
    assert not AT.are_plain_names([word("build"), word("../other")], ROOT)
    assert not AT.are_plain_names([word("build")], "/etc")
    assert AT.stay_below([word("build/out"), word("src/*.py"), word("out/")], (ROOT, f"{ROOT}/sub"))
    assert AT.stay_below([word("-o"), word("a.tgz"), word("https://example.com/a.tgz")], (ROOT,))
    assert not AT.stay_below([word("src/*"), word("../*")], (ROOT,))
    assert not AT.stay_below([word("a"), word("/etc/x")], (ROOT,))
    assert not AT.stay_below([word("-o/etc/x")], (ROOT,))
    assert not AT.stay_below([word("a")], (ROOT, "/etc"))


@given(st.text("q9z.w7k*?[]!a", max_size=6))
def test_everything_is_what_one_of_the_probes_shows(pattern: str):
    assert matches_everything(pattern) is any(fnmatchcase(probe, pattern) for probe in PROBE_NAMES)
