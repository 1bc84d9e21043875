"""Patterns of exceptions: what they cover, and every attempt to smuggle more past one."""

import shutil
import string
import subprocess

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from synaptic.model.call import Call
from synaptic.model.event import PreToolUse
from synaptic.pipeline.likeness import covers_command, covers_paths, find_subject, is_only_command, read_like
from synaptic.shell.read.grammar import parse_commands
from synaptic.shell.read.lexer import SourcePosition
from synaptic.shell.read.limits import Budget
from synaptic.shell.read.syntax import SimpleCommand

PUSH = "git push --force-with-lease origin feature/*"


def make_call(tool: str = "Bash", cwd: str = "/p", **given: object) -> Call:
    event = PreToolUse(hook_event_name="PreToolUse", cwd=cwd, tool_name=tool, tool_input=given)
    return Call(id="c1", agent="claude", event=event, payload={}, root="/p")


@pytest.mark.parametrize(
    ("pattern", "command"),
    [
        (PUSH, "git push --force-with-lease origin feature/a"),
        (PUSH, "git push --force-with-lease origin feature/a.b_c-d"),
        ("git push --force-with-lease origin feature/**", "git push --force-with-lease origin feature/a/b"),
        ("rm -r build/*", "rm -r build/out"),
        ("rm -r build/**", "rm -r build"),
        ("rm .cache/*", "rm .cache/a"),
        ("rm .*", "rm .cache"),
        ("git push origin +*", "git push origin +main"),
        ("git push origin *:*", "git push origin a:b"),
        ("make V=?", "make V=1"),
        ("git log a..b", "git log a..b"),
        ("tail -*", "tail -5"),
    ],
)
def test_a_pattern_covers_commands_of_its_shape(pattern: str, command: str) -> None:
    assert covers_command(pattern, command)


@pytest.mark.parametrize(
    "command",
    [
        "git push --force-with-lease origin main",
        "git push --force-with-lease origin feature/a main",
        "git push --force-with-lease origin feature/a:main",
        "git push --force-with-lease origin +feature/a",
        "git push --force-with-lease origin feature/a/b",
        "git push --force-with-lease origin feature/../main",
        "git push --force-with-lease origin feature/..",
        "git push --force-with-lease origin feature/.hidden",
        "git push --force-with-lease origin feature/",
        "git push --force-with-lease origin feature//a",
        "git push --force-with-lease origin feature/a^",
        "git push --force-with-lease origin feature/a..b",
        "git push --force-with-lease origin feature/a@1",
        "git push --force-with-lease origin feature/a=b",
        "git push --force-with-lease origin feature/a,b",
        "git push --force-with-lease origin feature/a%20",
        "git push --force-with-lease origin host:feature/a",
        "git push --force-with-lease --all feature/a",
        "git push --force origin feature/a",
        "git -C /etc push --force-with-lease origin feature/a",
        "GIT_DIR=/x git push --force-with-lease origin feature/a",
        "git push --force-with-lease  origin feature/a",
        " git push --force-with-lease origin feature/a",
        "git push --force-with-lease origin feature/a ",
        "git push --force-with-lease origin feature/a\n",
        "git push --force-with-lease origin feature/a\nid",
        "git push --force-with-lease origin feature/a\rid",
        "git\tpush --force-with-lease origin feature/a",
        "git push --force-with-lease origin feature/a;id",
        "git push --force-with-lease origin feature/a&&id",
        "git push --force-with-lease origin feature/a|id",
        "git push --force-with-lease origin feature/a&",
        "git push --force-with-lease origin feature/a>x",
        "git push --force-with-lease origin feature/$(id)",
        "git push --force-with-lease origin feature/`id`",
        "git push --force-with-lease origin feature/$X",
        "git push --force-with-lease origin feature/a#",
        "git push --force-with-lease origin feature/{a,b}",
        "git push --force-with-lease origin feature/~",
        "git push --force-with-lease origin feature/!1",
        "git push --force-with-lease origin feature/*",
        "git push --force-with-lease origin feature/?",
        "git push --force-with-lease origin feature/[a]",
        "git push --force-with-lease origin 'feature/a'",
        'git push --force-with-lease origin "feature/a"',
        "git push --force-with-lease origin feature\\/a",
        "git push --force-with-lease origin feature/а",
        "git push --force-with-lease origin feature/a\u200b",
        "git push --force-with-lease origin\u00a0feature/a",
        "git push --force-with-lease origin feature/a\0",
        "gıt push --force-with-lease origin feature/a",
        "",
        " ",
    ],
)
def test_nothing_is_smuggled_past_a_pattern(command: str) -> None:
    assert not covers_command(PUSH, command)


@pytest.mark.parametrize(
    ("pattern", "command"),
    [
        ("rm **", "rm /etc/passwd"),
        ("rm **", "rm .ssh/id"),
        ("rm **", "rm a/.git/b"),
        ("rm **", "rm ../x"),
        ("rm **", "rm -r"),
        ("rm build/**", "rm build/.git/x"),
        ("rm build/**/x", "rm build//x"),
        ("rm *", "rm ."),
        ("rm .*", "rm ."),
        ("rm .*", "rm .."),
        ("rm ?", "rm -"),
        ("rsync * dest", "rsync host:x dest"),
        ("git revert *", "git revert v1..v9"),
        ("tail -*", "tail -n=5"),
        ("* x", "rm x"),
        ("A=1 rm", "A=1 rm"),
        ("time *", "time rm"),
        ("if *", "if rm"),
        ("-x a", "-x a"),
    ],
)
def test_a_star_is_no_path_elsewhere_no_hidden_name_and_no_program(pattern: str, command: str) -> None:
    assert not covers_command(pattern, command)


WORD = st.text(alphabet=string.ascii_letters + string.digits + "_@%+=:,./^-", min_size=1, max_size=6)
ANY = st.text(alphabet=string.printable + "é а\u200b\0", max_size=12)


@given(words=st.lists(WORD, min_size=1, max_size=4), stars=st.lists(st.booleans(), min_size=4, max_size=4), junk=ANY)
def test_what_a_pattern_covers_is_one_simple_command_of_these_very_words(
    words: list[str], stars: list[bool], junk: str
) -> None:
    pattern = " ".join(
        "*" if star and place else word for place, (word, star) in enumerate(zip(words, stars, strict=False))
    )
    for command in (" ".join(words), " ".join(words) + junk, junk + " ".join(words), " ".join([*words[:-1], junk])):
        if covers_command(pattern, command):
            tree, broken = parse_commands(command, Budget(), SourcePosition(None))
            (found,) = tree.items
            assert isinstance(found, SimpleCommand)
            assert not (found.assignments or found.redirections or broken)
            assert [word.text for word in found.words] == command.split(" ")


@pytest.mark.parametrize("shell", ["bash", "dash", "zsh"])
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(words=st.lists(WORD, min_size=1, max_size=4))
def test_real_shells_read_what_a_pattern_covers_as_these_words(shell: str, words: list[str]) -> None:
    command = " ".join(["echo", *words])
    if shutil.which(shell) is None or any(word.startswith("=") for word in words):
        return  # zsh looks such a word up; a star never covers one
    assert covers_command(command, command)
    done = subprocess.run([shell, "-c", f"printf '%s\\0' {command}"], capture_output=True, check=True)
    assert done.stdout.decode().split("\0")[:-1] == command.split(" ")


@given(pattern=ANY, command=ANY)
def test_no_text_is_covered_that_a_shell_would_read_otherwise(pattern: str, command: str) -> None:
    if covers_command(pattern, command):
        assert not set(command) & set("\"'`$;&|<>(){}[]#~!*?\\\n\r\t\0")


@pytest.mark.parametrize(
    ("pattern", "path", "covers"),
    [
        ("src/**", "src/a.py", True),
        ("src/**", "src/b/c/a.py", True),
        ("src/**/*.py", "src/a.py", True),
        ("src/**/*.py", "src/b/c/a.py", True),
        ("**/*.md", "README.md", True),
        ("**/a/**/b", "x/a/y/a/z/b", True),
        (".github/**", ".github/ci.yml", True),
        ("src/*", "src/b/a.py", False),
        ("src/**", "lib/a.py", False),
        ("src/**", "src/.env", False),
        ("src/**", "src/.git/config", False),
        ("**", ".env", False),
        ("**", "", False),
        ("**", "/etc/hosts", False),
        ("src/**/*.py", "src/a.pyc", False),
        ("src/*.py", "src/.py", False),
    ],
)
def test_a_pattern_of_paths(pattern: str, path: str, covers: bool) -> None:
    assert covers_paths(pattern, [path]) is covers


def test_every_file_of_a_call_must_be_covered_and_there_must_be_one() -> None:
    assert not covers_paths("src/*", ["src/a", "lib/a"])
    assert not covers_paths("src/*", [])


def test_a_hostile_pattern_costs_no_more_than_its_length() -> None:
    assert not covers_paths("/".join(["**", "a*"] * 60) + "/b", ["/".join(["a"] * 2000)])


@pytest.mark.parametrize(
    "text",
    [
        "", "  ", "x" * 501, "* push", "g?t push", "git 'push'", "git push; id", "git push $(id)", "git push\nid",
        "git  push", "A=1 git push", "git push {a,b}", "git push ~/x", "git push [a]", "git \\push", "sudo\tx",
        "time git push",
        "-rf x", "gıt push",
    ],
)  # fmt: skip
def test_what_is_no_plain_pattern_of_commands_is_refused_with_a_reason(text: str) -> None:
    with pytest.raises(ValueError, match=r"pattern|program"):
        read_like(text, make_call(command="git push"))


@pytest.mark.parametrize("text", ["/etc/*", "~/x", "../x", "src/../../x", ""])
def test_a_pattern_of_paths_does_not_leave_the_project(text: str) -> None:
    with pytest.raises(ValueError, match="pattern"):
        read_like(text, make_call("Edit", file_path="/p/a"))


def test_a_pattern_is_about_one_program_or_about_edits_or_reads() -> None:
    assert read_like(f" {PUSH} ", make_call(command="git push")).subject == "git"
    assert read_like("src/**", make_call("Edit", file_path="/p/a")).subject == "edit"
    assert read_like("src/**", make_call("Read", file_path="/p/a")).subject == "read"
    with pytest.raises(ValueError, match="one by one"):
        read_like("x", make_call("WebFetch", url="http://x"))


def test_calls_that_no_pattern_may_cover_have_no_subject() -> None:
    assert find_subject(make_call(command="git push")) == "git"
    assert find_subject(make_call(command="git push; id")) == ""
    assert find_subject(make_call("mcp__shell__run", command="git push")) in ("", "edit", "read")
    assert find_subject(make_call("WebFetch", url="http://x")) == ""


@pytest.mark.parametrize(
    ("given", "cwd", "is_only"),
    [
        ({"description": "x", "timeout": 5, "run_in_background": True}, "/p", True),
        ({"workdir": "/p"}, "/p", True),
        ({"dir_path": "sub"}, "/p/sub", True),
        ({"dir_path": None}, "/p", True),
        ({"dir_path": "."}, "/p", True),
        ({"workdir": "/etc"}, "/p", False),
        ({"workdir": "../p"}, "/p", False),
        ({"env": {"A": "b"}}, "/p", False),
        ({"dangerouslyDisableSandbox": True}, "/p", False),
        ({"sandbox": False}, "/p", False),
    ],
)
def test_a_command_with_more_around_it_is_another_one(given: dict[str, object], cwd: str, is_only: bool) -> None:
    event = make_call(cwd=cwd, command="git push", **given).event
    assert isinstance(event, PreToolUse)
    assert is_only_command(event) is is_only
