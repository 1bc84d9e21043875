"""Calls of git, however they are spelled (S4-D09)."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synaptic.shell.effects.git import find_git_calls
from synaptic.shell.programs.git_line import GitCall
from synaptic.shell.read.reader import read_script


def calls(text: str) -> list[GitCall]:
    return list(find_git_calls(read_script(text, "/home/u/project", "/home/u"), "/home/u"))


def only(text: str) -> GitCall:
    (found,) = calls(text)
    return found


@pytest.mark.parametrize(
    ("text", "verb", "cwd"),
    [
        ("git status", "status", "/home/u/project"),
        ("git -C ../other status", "status", "/home/u/other"),
        ("git -C/srv/app status", "status", "/srv/app"),
        ("git -C a -C b status", "status", "/home/u/project/a/b"),
        ('git -C "$X" status', "status", ""),
        ("cd /srv && git status", "status", "/srv"),
        ("git -c a.b=c --no-pager --git-dir=x --work-tree y status", "status", "/home/u/project"),
        ("git --namespace n -P status", "status", "/home/u/project"),
        ("git -- status", "status", "/home/u/project"),
        ("/usr/bin/git status", "status", "/home/u/project"),
        ("git-status", "status", "/home/u/project"),
        ("GIT STATUS", "status", "/home/u/project"),
        ("git", "help", "/home/u/project"),
        ("git --version", "help", "/home/u/project"),
        ("git $VERB", "", "/home/u/project"),
    ],
)
def test_verb_and_folder_are_found(text: str, verb: str, cwd: str) -> None:
    found = only(text)
    assert (found.verb, found.cwd) == (verb, cwd)


@pytest.mark.parametrize(
    "text",
    [
        "git -c alias.w='reset --hard' w",
        "git -c alias.v=w -c alias.w='reset --hard' v",
        "GIT_CONFIG_PARAMETERS=\"'alias.w=reset'\" git w --hard",
        "GIT_CONFIG_PARAMETERS=\"'alias.w'='reset'\" git w --hard",
        "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.w GIT_CONFIG_VALUE_0='reset --hard' git w",
        "V='reset --hard' git --config-env=alias.w=V w",
        "git -c alias.W='reset --hard' w",
    ],
)
def test_an_alias_of_the_same_text_is_what_it_stands_for(text: str) -> None:
    found = only(text)
    assert found.verb == "reset"
    assert found.given.has("hard")
    assert found.place is None


def test_an_alias_that_was_set_before_counts() -> None:
    assert calls("git config alias.w 'reset --hard'; git w")[-1].given.has("hard")
    assert calls("git w; git config alias.w 'reset --hard'")[0].verb == "w"


def test_an_alias_of_shell_code_is_followed() -> None:
    assert [call.verb for call in calls("git config alias.w '!git clean -f'; git w")] == ["config", "w", "clean"]
    assert calls("git config alias.w '!git reset'; git w --hard")[2].given.has("hard")


def test_an_alias_cannot_take_the_name_of_a_verb() -> None:
    assert only("git -c alias.reset=status reset --hard").verb == "reset"


def test_aliases_of_themselves_end() -> None:
    assert only("git -c alias.a=b -c alias.b=a a").verb in ("a", "b")


@pytest.mark.parametrize("text", ['git -c alias.w="$X" w', "git --config-env alias.w=X w"])
def test_an_alias_that_cannot_be_read_is_said_to_be_hidden(text: str) -> None:
    assert only(text).hidden == "w"


@pytest.mark.parametrize(
    "text", ["echo git status", "# git status", "grep 'git status' x", "legit status", "cat <<< 'git status'"]
)
def test_what_is_only_text_is_no_call(text: str) -> None:
    assert not calls(text)


def test_a_whole_command_line_in_quotes_is_read() -> None:
    assert only("'git reset --hard'").verb == "reset"
    assert only("'git push origin'").verb == "push"


def test_a_space_that_is_none_for_the_shell_separates_nothing() -> None:
    assert not calls("git\u3000status")


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet="git resth-aCc=.!'\"$`;|&\n", max_size=60))
def test_no_text_makes_it_fail(text: str) -> None:
    for call in calls(f"git {text}"):
        assert call.given is not None


@given(
    st.lists(
        st.sampled_from(["-h", "--help", "--no-help", "-nh", "-x", "--hard", "--", "h", "help", "--h", "-"]), max_size=4
    )
)
def test_help_is_only_shown_by_an_option_that_holds_its_letter(words: list[str]):
    for verb in ("reset", "log"):
        call = only(" ".join(["git", verb, *words]))
        assert call.is_help is call.given.is_help


def test_a_setting_counts_from_its_line_on_and_not_before():
    before, _, written, after = calls("git x; git config alias.x 'reset --hard'; git x")
    assert (before.verb, written.verb, after.verb) == ("x", "x", "reset")
    assert not before.settings
