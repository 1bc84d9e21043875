"""Where words lead after a line has set links and moved things."""

import pytest

from synaptic.policies.files.led import MAX_LED, LedPath, NamedPlace, follow_led, list_led, read_links
from synaptic.shell.places import WorkFolders
from synaptic.shell.read.script import Word
from synaptic.shell.reading import CommandReading

AT = WorkFolders("/h/p", "/h", "/h/p", (), ("/tmp",))


def lead(line: str, word: str, glob: bool = False, whole: bool = False) -> set[str]:
    led = list_led(CommandReading(line, AT.cwd, AT.home), AT)
    return {one.text for one in follow_led(NamedPlace(Word(word, glob=glob), AT.cwd, 99), led, AT, whole)}


@pytest.mark.parametrize(
    ("line", "word", "meant"),
    [
        ("ln -s ~/d /tmp/l", "/tmp/l/a", {"/h/d/a"}),
        ("ln -s ~/d /tmp/l", "/tmp/l/", {"/h/d"}),
        ("ln -s ~/d /tmp/l", "/tmp/l", set()),
        ("ln -s ~/d /tmp/l", "/tmp/lo/a", set()),
        ("ln ~/d/a /tmp/l", "/tmp/l/", set()),
        ("ln -s -t /tmp ~/d", "/tmp/d/a", {"/h/d/a"}),
        ("ln -sT ~/d /tmp/l", "/tmp/l/d/a", {"/h/d/d/a"}),
        ("ln -s ../h/d /tmp/l", "/tmp/l/a", {"/h/d/a"}),
        ("cd /tmp && ln -s ~/d", "/tmp/d/a", {"/h/d/a"}),
        ("ln -s ~/d /tmp/a; ln -s /tmp/a /tmp/b", "/tmp/b/x", {"/tmp/a/x", "/h/d/x"}),
        ("ssh h ln -s ~/d /tmp/l", "/tmp/l/a", set()),
        ("mv ~/a ~/b", "~/b", {"/h/a"}),
        ("mv ~/a ~/c ~/b", "~/b/a", {"/h/a"}),
        ("mv ~/a ~/b/", "~/b", set()),
        ('mv "$X" ~/b', "~/b", set()),
        ("mv ~/a ~/b.$$", "~/b.$$", {"/h/a"}),
    ],
)
def test_a_word_leads_to_what_the_line_has_put_there(line: str, word: str, meant: set[str]) -> None:
    assert lead(line, word) == meant


def test_a_pattern_is_kept_behind_the_link() -> None:
    assert lead("ln -s ~/d /tmp/l", "/tmp/l/*.md", glob=True) == {"/h/d/*.md"}


def test_with_a_folder_goes_what_was_moved_into_it() -> None:
    assert lead("mkdir ~/x && mv ~/a ~/x/", "~/x", whole=True) == {"/h/a"}
    assert lead("mkdir ~/x && ln -s ~/a ~/x/", "~/x", whole=True) == set()


def test_links_in_a_circle_and_very_many_are_followed_within_bounds() -> None:
    assert lead("ln -s /tmp/a /tmp/b; ln -s /tmp/b /tmp/a", "/tmp/a/x")
    many = "; ".join(f"ln -s ~/d{number} /tmp/l{number}" for number in range(3 * MAX_LED))
    assert len(list_led(CommandReading(many, AT.cwd, AT.home), AT)) == MAX_LED


def test_a_link_that_was_there_before_leads_the_first_command() -> None:
    led = read_links({"/tmp/l": "/h/d"})
    assert led == (LedPath("/tmp/l", "/h/d", -2, True),)
    assert follow_led(NamedPlace(Word("/tmp/l/a"), "", 0), led, AT) == (Word("/h/d/a"),)


def test_what_is_moved_later_does_not_lead_and_a_redirection_follows_links_alone() -> None:
    moved, linked = LedPath("/h/b", "/h/a", 3, False), LedPath("/tmp/l", "/h/d", 3, True)
    assert not follow_led(NamedPlace(Word("/h/b"), "", 2), (moved,), AT)
    assert not follow_led(NamedPlace(Word("/h/b"), "", -1), (moved,), AT)
    assert follow_led(NamedPlace(Word("/tmp/l/a"), "", -1), (linked,), AT)
