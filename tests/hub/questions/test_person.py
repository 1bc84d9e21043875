"""A person's key, the machines that they know, and the hub as they ask it."""

import os
import stat
from pathlib import Path

import msgspec
import pytest

from synaptic.hooks.bundle import parse_bundle
from synaptic.hub.client import HubAccess, keep_access, read_access
from synaptic.hub.keys import SecretKey, WrongSignatureError
from synaptic.hub.place import HubPlace
from synaptic.hub.questions.person import (
    check_words,
    describe_for_bundle,
    make_person_key,
    read_person_key,
    remember_host,
)
from synaptic.hub.questions.seal import sign_question
from synaptic.hub.wire import HostQuestion
from synaptic.model.errors import SynapticError
from synaptic.model.home import Home

HUB = "https://hub.example.org"
QUESTION = HostQuestion(mark="m", code="k7qmd", at=1.0, policies=("git.clean",), acts="a", shown="git clean")


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / ".synaptic")


def test_a_key_is_made_once_and_only_its_user_reads_it(home: Home) -> None:
    made = make_person_key(home, "ada")
    place = HubPlace.of(home)
    assert stat.S_IMODE(place.person_key.stat().st_mode) == 0o600
    assert read_person_key(home) == made
    with pytest.raises(SynapticError, match="key already"):
        make_person_key(home, "ada")
    assert read_person_key(home) == made


@pytest.mark.parametrize("name", ["", "a\nb", 'a"]', "x" * 100, "\x1b[2J"])
def test_a_name_can_stand_in_a_bundle(home: Home, name: str) -> None:
    with pytest.raises(SynapticError):
        make_person_key(home, name)


def test_the_line_for_the_bundle_is_understood_by_bundles(home: Home) -> None:
    made = make_person_key(home, "Ada L. @home")
    text = 'name = "acme"\nversion = 1\n' + describe_for_bundle(made.name, made.key.public)
    bundle = parse_bundle(text.encode())
    assert bundle.problems == ()
    assert bundle.people[made.name].key == made.key.public.text
    assert bundle.people[made.name].grants == ()


def test_a_key_that_was_exchanged_is_told(home: Home) -> None:
    make_person_key(home, "ada")
    place = HubPlace.of(home)
    place.person_key.unlink()
    SecretKey.make().write(place.person_key)
    with pytest.raises(SynapticError, match="public part"):
        read_person_key(home)
    place.person_key.unlink()
    with pytest.raises(SynapticError, match="cannot be read"):
        read_person_key(home)


def test_a_machine_is_known_by_its_key_from_the_first_answer_on(home: Home) -> None:
    key = SecretKey.make()
    asked = sign_question("build-7", QUESTION, key)
    assert not check_words(home, HUB, "build-7", asked)
    remember_host(home, HUB, "build-7", asked.key)
    assert check_words(home, HUB, "build-7", asked)
    assert not check_words(home, "https://other.example.org", "build-7", asked)
    with pytest.raises(SynapticError, match="another key than before"):
        check_words(home, HUB, "build-7", sign_question("build-7", QUESTION, SecretKey.make()))
    with pytest.raises(WrongSignatureError):
        check_words(home, HUB, "build-7", msgspec.structs.replace(asked, shown="ls"))


def test_a_list_of_machines_that_is_damaged_believes_nobody(home: Home) -> None:
    asked = sign_question("build-7", QUESTION, SecretKey.make())
    remember_host(home, HUB, "build-7", asked.key)
    HubPlace.of(home).known_hosts.write_text("[")
    with pytest.raises(SynapticError, match="cannot be understood"):
        check_words(home, HUB, "build-7", asked)


def test_a_token_is_kept_for_its_user_alone_and_goes_nowhere_in_the_clear(home: Home) -> None:
    keep_access(home, HubAccess(url=f"{HUB}/", token="synhub_x"))
    path = HubPlace.of(home).access
    path.chmod(0o644)
    keep_access(home, HubAccess(url=f"{HUB}/", token="synhub_y"))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert read_access(home, {}) == HubAccess(url=HUB, token="synhub_y")
    for url in ("http://hub.example.org", "ftp://x", "https://me:pw@hub.example.org", "x" * 10, os.sep):
        with pytest.raises(SynapticError):
            keep_access(home, HubAccess(url=url, token="t"))
