"""A command that is read once."""

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from synaptic.shell import reading
from synaptic.shell.paths import is_inside
from synaptic.shell.read.script import Script
from synaptic.shell.reading import CommandReading

ROOT, HOME = "/home/u/project", "/home/u"


def known(text: str, cwd: str = ROOT) -> CommandReading:
    return CommandReading(text, cwd, HOME)


def test_nothing_is_read_before_somebody_asks_and_then_once(monkeypatch: pytest.MonkeyPatch):
    texts = []

    def counted(text: str, cwd: str, home: str, is_powershell: bool) -> Script:
        texts.append(text)
        return read_safely(text, cwd, home, is_powershell)

    read_safely = reading.read_safely
    monkeypatch.setattr(reading, "read_safely", counted)
    command = known("git commit -m x > log; rm a")
    assert texts == []
    for _ in range(2):
        for answer in (
            "script",
            "programs",
            "words",
            "start_folders",
            "folders",
            "targets",
            "pattern_targets",
            "git_verbs",
        ):
            assert getattr(command, answer) is getattr(command, answer)
    assert texts == ["git commit -m x > log; rm a"]


def test_a_reading_is_the_text_and_where_it_starts():
    command = known("ls")
    assert command.script
    assert command == known("ls")
    assert command != known("ls", "/elsewhere")
    assert msgspec.structs.astuple(command) == ("ls", ROOT, HOME, False)


def test_programs_are_named_without_case_and_version():
    assert known("RM x; python3.11 x.py").programs == {"rm", "python"}


def test_calls_of_git_are_found_with_their_verbs():
    command = known("cd sub && git commit -m x; git push --help")
    assert [(call.verb, call.cwd) for call in command.git_calls] == [("commit", f"{ROOT}/sub"), ("push", f"{ROOT}/sub")]
    assert command.git_verbs == {"commit"}


def test_hints_are_found_in_words_files_and_folders_whatever_their_case():
    command = known("cat A.PEM < .Env; cd Secrets && ls")
    assert command.find_hints((".pem", ".env", "secrets", "/home/u", "nothing")) == (
        ".pem",
        ".env",
        "secrets",
        "/home/u",
    )
    assert command.find_hints(("/home/u",), command.words) == ()
    assert command.find_hints((".aws", "secrets", ".ssh")) == ("secrets",)


@pytest.mark.parametrize("hints", [(".env",), ("secrets",), (".aws", "secrets"), ("nothing", ".pem", ".aws")])
def test_one_hint_is_enough_to_hold_one(hints: tuple[str, ...]):
    assert known("cat a.pem .env secrets").holds_hint(hints)
    assert not known("cat a.txt env secret").holds_hint(hints)
    assert not known("cat a.pem .env secrets").holds_hint(hints, "another text")


def test_letters_that_a_pattern_takes_for_plain_ones_are_hints_too():
    command = known("cat \u017fecret.json \u212aey serv\u0131ce")
    assert command.find_hints(("secret", "key", "service")) == ("secret", "key", "service")


WORDS = st.sampled_from((
    "a", "-o/etc/x", "-oa", "--output=/x", "--output=a", "of=/x", "~/x", "a~", "..", "a/../b", "a..b", "$HOME/x",
    "$X/y", "${PWD}/../x", "file:///x", "/dev/null", "/etc/x", "s/a/b/", "./a", "a*", "-", "--", "-t", "x" * 9000,
))  # fmt: skip
PROGRAMS = st.sampled_from(["touch", "cp", "mv -t", "dd", "sed -i", "curl", "rm -rf", "rsync", "tar", "cd", "echo >"])
LINES = st.lists(st.tuples(PROGRAMS, st.lists(WORDS, max_size=3).map(" ".join)).map(" ".join), max_size=4)


@given(LINES, st.sampled_from(["/home/u/project", "/home/u/project/sub", "/etc", "/home/u/project/../x"]))
@example(["curl -o/etc/x"], "/home/u/project")
def test_what_stays_in_a_folder_writes_nothing_elsewhere(lines: list[str], cwd: str):
    command = known("\n".join(["ls", *lines]), cwd)
    if command.stays_in("/home/u/project"):
        elsewhere_written = [
            target.path for target in command.targets if not is_inside(target.path, ["/home/u/project"])
        ]
        assert [path for path in elsewhere_written if path != "/dev/null"] == []


def test_a_word_that_is_too_long_is_left_out_and_said_to_be():
    command = known(f"cat {'a' * 9000} b")
    assert command.has_long_words
    assert command.words == "b"
