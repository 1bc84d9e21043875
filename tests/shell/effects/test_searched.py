"""The search that a word is a result of."""

import pytest

from synaptic.shell.effects.searched import LISTING_PROGRAMS, FileSearch, ScriptSearches
from synaptic.shell.read.reader import read_script


def search(text: str, among: frozenset[str] = LISTING_PROGRAMS) -> FileSearch | None:
    """The search that the last word of the last `rm` is a result of."""
    found = read_script(text, "/p", "/h")
    command = found.by_name["rm"][-1]
    return ScriptSearches(found, among).find_search(command.argv[-1], command)


@pytest.mark.parametrize(
    "text",
    [
        "find /a -type f -exec rm {} +",
        "find /a -exec sh -c 'rm \"$1\"' _ {} \\;",
        "find /a -execdir rm x +",
        "find /a -type f -delete",
        "gfind /a | xargs rm",
        "find /a | xargs -I% rm %",
        "find /a | sort | xargs rm",
        "find /a | head -3 | xargs rm",
        "find /a | grep -v x | xargs rm",
        "rm $(find /a)",
        "rm `find /a`",
        "x=$(find /a); rm $x",
        "for x in $(find /a); do rm \"$x\"; done",
        "find /a | while read x; do rm \"$x\"; done",
        "find /a | while IFS= read -r x; do rm \"${x}\"; done",
        "while read x; do rm \"$x\"; done < <(find /a)",
        "while read x; do rm \"$x\"; done <<< \"$(find /a)\"",
        "mapfile -t x < <(find /a); rm \"${x[@]}\"",
        "find /a | xargs -I% sh -c 'rm %'",
        "find /a -exec sh -c 'rm {}' \\;",
        "fd . /a -x rm",
        "find /a | xargs -I% rm %/*",
    ],
)  # fmt: skip
def test_every_result_of_a_search(text: str):
    found = search(text)
    assert found is not None
    assert [root.text for root in found.roots] == ["/a"]
    assert not found.narrowed


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("find /a -name x -exec rm {} +", ("x",)),
        ("find /a | grep x | xargs rm", ("x",)),
        ("rm $(find /a -name x | grep y)", ("x", "y")),
        ("find /a -exec rm {}/x \\;", ()),
        ("find /a | while read x; do rm $x/y; done", ()),
        ("grep -rl x /a | xargs rm", ()),
        ("rg --files /a | xargs rm", ()),
    ],
)
def test_some_results_of_a_search(text: str, names: tuple[str, ...]):
    found = search(text)
    assert found is not None
    assert [root.text for root in found.roots] == ["/a"]
    assert found.narrowed
    assert found.names == names


@pytest.mark.parametrize(
    "text",
    [
        "rm $x",
        "rm a",
        "find /a; rm $x",
        "find /a | xargs -I% rm b/%",
        "find /a -exec rm b/{} \\;",
        "find /a -exec rm b \\;",
        "for x in $(find /a); do rm \"b/$x\"; done",
        "find /a | while read x; do rm \"$y\"; done",
        "rm $x; find /a | while read x; do echo; done",
        "for x in $(find /a); do t=$(mktemp -d); rm \"$t/$(basename $x)\"; done",
        "rm \"$t/$(find /a)\"",
        "grep x /a | xargs rm",
        "ls /a | xargs rm",
    ],
)  # fmt: skip
def test_no_result_of_a_search(text: str):
    assert search(text) is None


def test_a_result_is_seen_from_where_the_search_ran():
    found = search("cd /a; x=$(find b); cd /c; rm $x")
    assert found is not None
    assert found.cwd == "/a"


def test_what_is_added_to_a_result_is_known():
    found = search("find /a -name .git -exec rm {}/hooks \\;")
    assert found is not None
    assert found.tail == "/hooks"


def test_the_same_question_about_the_same_results_is_asked_once():
    found = read_script("find /a | xargs rm a b", "/p", "/h")
    searches = ScriptSearches(found)
    command = found.by_name["rm"][0]
    one = searches.find_search(command.argv[-1], command)
    assert one is not None
    assert [searches.ask_once(one, 1), searches.ask_once(one, 1), searches.ask_once(one, 2)] == [True, False, True]
