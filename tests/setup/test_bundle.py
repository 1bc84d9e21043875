from pathlib import Path

import msgspec
import pytest

from synaptic.hooks.bundle_seal import BundlePlace, BundleTrouble
from synaptic.model.home import Home
from synaptic.setup.bundle import check_bundle
from synaptic.work.consent import read_grants_config
from tests.hooks.bundles import HEAD, seal_into


@pytest.fixture
def home(tmp_path: Path) -> Home:
    found = Home(tmp_path / ".synaptic")
    found.root.mkdir()
    return found


def test_without_a_bundle_there_is_nothing_to_say(home: Home):
    assert list(check_bundle(home)) == []


def test_which_is_in_force_and_why_the_last_was_refused(home: Home):
    seal_into(home, HEAD.format(version=1), is_managed=True)
    trouble = BundleTrouble(at=1.0, why="the signature is wrong")
    BundlePlace.of(home).trouble.write_bytes(msgspec.json.encode(trouble))
    good, bad = check_bundle(home)
    assert (good.state, good.seen) == ("ok", "acme 1 is in force, managed (synaptic bundle status)")
    assert (bad.state, bad.seen) == ("warn", "the last one that came was refused: the signature is wrong")


def test_a_yes_is_given_as_the_bundle_has_it(home: Home):
    home.config.write_text('[grants]\npin = "unsure"\n')
    body = 'locked = ["grants.pin"]\n[grants]\npin = "always"\nnever = ["git.*"]\n'
    seal_into(home, HEAD.format(version=1) + body, is_managed=True)
    found = read_grants_config(home)
    assert (found.pin, found.never) == ("always", ("git.*",))
