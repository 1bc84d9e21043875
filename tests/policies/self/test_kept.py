"""Which paths and patterns reach files that are kept."""

from fnmatch import fnmatchcase

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from synaptic.model.decision import Kind
from synaptic.model.event import PreToolUse
from synaptic.policies.facts import Facts, with_command
from synaptic.policies.self import changed
from synaptic.policies.self.engine_files import MAX_PATTERNS, EngineFiles
from synaptic.policies.self.kept import make_guarded_files, simplify_pattern

FILES = (".synaptic", ".claude/settings.json", ".config/amp/settings.json")
PARTS = [
    "home",
    "u",
    ".claude",
    "settings.json",
    ".*",
    "*",
    "?",
    ".c*",
    "[.]claude",
    ".[!x]laude",
    "s*",
    "a",
    "h*",
    "U",
]


def reaches(pattern: str, path: str) -> bool:
    """Part by part, as slowly as it is defined."""
    parts, names = pattern.split("/"), path.split("/")
    pairs = list(zip(parts, names, strict=False))
    written = all(name[:1] != "." or part[:1] == "." for part, name in pairs)
    return written and all(fnmatchcase(name, part) for part, name in pairs)


def is_below(pattern: str, files: tuple[str, ...]) -> bool:
    """Whether its signs come only behind the path of a file, which `holds` tells."""
    return any(pattern.startswith(f"{one}/") for one in files)


@given(st.lists(st.sampled_from(PARTS), min_size=1, max_size=6))
def test_a_pattern_reaches_what_its_parts_match(parts: list[str]):
    pattern = "/" + "/".join(parts).lower()
    files = make_guarded_files("/home/u", FILES)
    found = (files.is_near_pattern(pattern) and files.matches_pattern(pattern)) or is_below(pattern, files.files)
    assert found is (any(sign in pattern for sign in "*?[") and any(reaches(pattern, one) for one in files.files))


def test_a_file_holds_itself_what_is_below_it_and_the_folder_around_it():
    files = make_guarded_files("/home/u", FILES)
    assert files.holds("/home/u/.synaptic/state.key", (".claude",))
    assert files.holds("/home/u/.claude", (".claude",))
    assert not files.holds("/home/u/.claude/skills", (".claude",))
    assert not files.holds("/home/u/.synaptics", (".claude",))


def test_without_a_folder_nothing_is_kept():
    assert not make_guarded_files("", FILES).holds("/.synaptic", (".claude",))


def said(command: str, root: str = "/home/u/project") -> Kind | None:
    event = PreToolUse(hook_event_name="PreToolUse", cwd=root, tool_name="Bash", tool_input={"command": command})
    verdict = EngineFiles().check(event, with_command(Facts(root=root, home="/home/u"), event))
    return verdict.kind if verdict else None


WORDS = st.sampled_from((
    "a", "*", "src/*.py", "a.*", ".c*", "a/.c*", ".[c]laude", ".?ystem/hooks", "x=.c*", "-o.c*", ".claude",
    ".CLAUDE/s*", "settings*", "'.c*'", "./.s*", "./*", "../*", "~/.c*", "/h*", "$PWD/.c*", "{a,.c*}", "hooks/*",
))  # fmt: skip
LINES = st.tuples(st.sampled_from(["rm", "touch", "sed -i x", "curl -o", "vi", "cd", "echo >"]), WORDS, WORDS).map(
    " ".join
)


@given(st.lists(LINES, min_size=1, max_size=3).map("\n".join), st.sampled_from(["/home/u/project", "/home/u", "/home"]))
@example("rm u*", "/home")
def test_what_stays_clear_of_kept_files_is_about_none_of_them(command: str, root: str):
    quick = said(command, root)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(changed, "stays_clear", lambda known, root: False)
        assert said(command, root) is quick


def test_of_many_patterns_that_begin_like_a_kept_file_one_too_many_counts_as_a_match():
    many = [f"~/.c*{number}" for number in range(MAX_PATTERNS + 1)]
    assert said("rm " + " ".join(many[:MAX_PATTERNS])) is None
    assert said("rm " + " ".join(many)) is Kind.DENY
    assert said("rm " + " ".join(f".c*{number}" for number in range(MAX_PATTERNS + 1))) is Kind.ASK


def test_patterns_that_begin_otherwise_may_be_as_many_as_they_like():
    assert said("rm " + " ".join(f"~/.{number}* {number}* a/.c*{number}" for number in range(MAX_PATTERNS + 1))) is None


def test_a_pattern_reaches_what_is_in_a_file_that_is_a_folder():
    files = make_guarded_files("/home/u", FILES)
    assert files.is_near_pattern("/home/u/.?ynaptic/bin/x") and files.matches_pattern("/home/u/.?ynaptic/bin/x")
    assert not files.matches_pattern("/home/u/.?ynaptics/bin/x")


def test_a_leading_dot_need_not_be_written_where_the_shell_was_told_so():
    files = make_guarded_files("/home/u", FILES)
    assert not files.is_near_pattern("/home/u/*ynaptic/bin")
    assert files.is_near_pattern("/home/u/*ynaptic/bin", hidden=True)
    assert files.matches_pattern("/home/u/*ynaptic/bin", hidden=True)


@pytest.mark.parametrize(
    ("text", "simple"),
    [
        ("/a/.@(x|y)z", "/a/.*z"),
        ("/a/[[:alpha:]]b", "/a/?b"),
        ("/a/[^a-r]b", "/a/[!a-r]b"),
        ("/a/[ab]c", "/a/[ab]c"),
        ("/a/b", "/a/b"),
    ],
)
def test_what_the_signs_here_cannot_say_matches_anything(text: str, simple: str):
    assert simplify_pattern(text) == simple
